#include "server/core/embedding_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "tests/support/table_files.h"
#include "tests/support/temporary_directory.h"

namespace posenc::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NpyFile;
using testing::SafetensorsFile;
using testing::TemporaryDirectory;
using testing::WriteFile;

// Holds tables where they are, and does nothing else.
class HoldingDevice final : public Device {
 public:
  absl::string_view name() const override { return "holding"; }
  std::string description() const override { return "holding"; }
  absl::StatusOr<std::unique_ptr<DeviceTable>> Hold(HostTable table) override {
    if (table.rows > most_rows) {
      return absl::ResourceExhaustedError(
          absl::StrCat(table.rows, " rows, but room for ", most_rows));
    }
    return std::make_unique<Table>(std::move(table));
  }
  absl::StatusOr<ResponseBuffer> AllocateResponse(std::size_t) override {
    return absl::UnimplementedError("AllocateResponse");
  }
  absl::Status Add(const AddOp&, std::span<std::byte>) override {
    return absl::UnimplementedError("Add");
  }
  absl::Status AddInPlace(const AddOp&) override {
    return absl::UnimplementedError("AddInPlace");
  }
  absl::Status Rotate(const RotateOp&, std::span<std::byte>) override {
    return absl::UnimplementedError("Rotate");
  }
  absl::Status RotateInPlace(const RotateOp&) override {
    return absl::UnimplementedError("RotateInPlace");
  }
  absl::Status DropOut(const Dropout&, DType, std::span<std::byte>) override {
    return absl::UnimplementedError("DropOut");
  }

  std::uint64_t most_rows = 1000;

 private:
  class Table final : public DeviceTable {
   public:
    explicit Table(HostTable table) : table_(std::move(table)) {}
    DType dtype() const override { return table_.dtype; }
    std::uint64_t rows() const override { return table_.rows; }
    std::uint64_t width() const override { return table_.width; }

   private:
    HostTable table_;
  };
};

std::string Npy(std::string_view descr, std::string_view shape,
                std::string_view data) {
  return NpyFile(absl::StrCat("{'descr': '", std::string(descr),
                              "', 'fortran_order': False, 'shape': ",
                              std::string(shape), "}"),
                 data);
}

// [2,3] of float32, 0 to 5.
std::string SmallNpy() {
  const float values[] = {0, 1, 2, 3, 4, 5};
  return Npy("<f4", "(2, 3)",
             {reinterpret_cast<const char*>(values), sizeof(values)});
}

// A matrix m of BFLOAT16 [2,2], one of FLOAT64, and what is no table: a bias,
// ids, nothing.
std::string MixedSafetensors() {
  return SafetensorsFile(
      R"({"m":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]},)"
      R"("bias":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
      R"("ids":{"dtype":"I64","shape":[1,1],"data_offsets":[16,24]},)"
      R"("double":{"dtype":"F64","shape":[1,1],"data_offsets":[24,32]},)"
      R"("empty":{"dtype":"F32","shape":[0,2],"data_offsets":[32,32]}})",
      std::string(32, 'x'));
}

class EmbeddingStoreTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, std::string_view content) {
    WriteFile(directory_.File(name), content);
  }

  absl::StatusOr<std::unique_ptr<EmbeddingStore>> Open() {
    return EmbeddingStore::Open(directory_.path(), device_);
  }

  std::unique_ptr<EmbeddingStore> MustOpen() {
    auto store = Open();
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : std::make_unique<EmbeddingStore>();
  }

  void ExpectRefused(absl::StatusCode code, const std::string& file,
                     const std::string& reason) {
    const auto store = Open();
    EXPECT_EQ(store.status().code(), code) << store.status();
    EXPECT_THAT(std::string(store.status().message()),
                AllOf(HasSubstr(directory_.path()), HasSubstr(file),
                      HasSubstr(reason)));
  }

  TemporaryDirectory directory_;
  HoldingDevice device_;
};

std::vector<std::string> Names(const EmbeddingStore& store) {
  std::vector<std::string> names;
  for (const auto& table : store.List()) names.push_back(table->name);
  return names;
}

// The reason and the message.
void ExpectError(const absl::Status& status, absl::StatusCode code,
                 const std::string& reason, const std::string& message) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_EQ(ReasonOf(status), reason);
  EXPECT_THAT(std::string(status.message()), HasSubstr(message));
}

TEST_F(EmbeddingStoreTest, ServesAnNpyFileByItsStem) {
  Write("small.v1.npy", SmallNpy());
  const auto store = MustOpen();
  const auto table = store->Find("small.v1");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->name, "small.v1");
  EXPECT_EQ((*table)->host.dtype, DType::kFloat32);
  EXPECT_EQ((*table)->host.rows, 2u);
  EXPECT_EQ((*table)->host.width, 3u);
  float last = 0;
  std::memcpy(&last, (*table)->host.data + 5 * sizeof(float), sizeof(float));
  EXPECT_EQ(last, 5);
  EXPECT_EQ((*table)->on_device->rows(), 2u);
  EXPECT_TRUE((*table)->CheckUnchanged().ok());
}

TEST_F(EmbeddingStoreTest, ServesTensorsOfASafetensorsFileByName) {
  Write("model.safetensors", MixedSafetensors());
  const auto store = MustOpen();
  EXPECT_THAT(Names(*store), ElementsAre("model/double", "model/m"));
  const auto table = store->Find("model/m");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->host.dtype, DType::kBFloat16);
  EXPECT_EQ((*store->Find("model/double"))->host.dtype, DType::kFloat64);
}

TEST_F(EmbeddingStoreTest, TellsWhyATensorIsNotServed) {
  Write("model.safetensors", MixedSafetensors());
  Write("integers.npy", Npy("<i8", "(1, 1)", "12345678"));
  const auto store = MustOpen();
  const auto expect = [&](const char* name, const std::string& what) {
    ExpectError(store->Find(name).status(), absl::StatusCode::kNotFound,
                "TABLE_NOT_FOUND", what);
  };
  expect("model/bias",
         "'model/bias' is 'F32' [2], but an embedding table is a matrix of "
         "FLOAT32, FLOAT16, BFLOAT16 or FLOAT64 with at least 1 row and 1 to "
         "65536 columns");
  expect("model/ids", "'model/ids' is 'I64' [1,1], but");
  expect("model/empty", "'model/empty' is 'F32' [0,2], but");
  expect("integers", "'integers' is '<i8' [1,1], but");
}

TEST_F(EmbeddingStoreTest, LeavesOutTablesThatAreTooWide) {
  const auto wide = [](std::uint64_t width) {
    return Npy("<f2", absl::StrCat("(1, ", width, ")"),
               std::string(2 * width, 'x'));
  };
  Write("widest.npy", wide(kMaxDModel));
  Write("wider.npy", wide(kMaxDModel + 1));
  EXPECT_THAT(Names(*MustOpen()), ElementsAre("widest"));
}

TEST_F(EmbeddingStoreTest, ListsTablesByName) {
  for (const char* const name : {"b.npy", "c.npy", "a.npy"}) {
    Write(name, SmallNpy());
  }
  EXPECT_THAT(Names(*MustOpen()), ElementsAre("a", "b", "c"));
}

TEST_F(EmbeddingStoreTest, PassesOverHiddenAndOtherFiles) {
  for (const char* const name : {"vocab.txt", ".hidden.npy", "a.npy.part"}) {
    Write(name, "no table");
  }
  EXPECT_THAT(MustOpen()->List(), IsEmpty());
}

TEST_F(EmbeddingStoreTest, AnEmptyNameMeansTheOnlyTable) {
  Write("a.npy", SmallNpy());
  const auto table = MustOpen()->Find("");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->name, "a");
}

TEST_F(EmbeddingStoreTest, AnEmptyNameIsRefusedWhereThereAreSeveral) {
  Write("a.npy", SmallNpy());
  Write("b.npy", SmallNpy());
  ExpectError(MustOpen()->Find("").status(), absl::StatusCode::kInvalidArgument,
              "TABLE_NAME_MISSING",
              "no embedding table is named and there are 2: 'a', 'b'");
}

TEST_F(EmbeddingStoreTest, AnUnknownNameListsTheKnownOnes) {
  Write("a.npy", SmallNpy());
  Write("b.npy", SmallNpy());
  ExpectError(MustOpen()->Find("x\n").status(), absl::StatusCode::kNotFound,
              "TABLE_NOT_FOUND",
              "no embedding table named 'x\\x0a'; there are: 'a', 'b'");
}

TEST_F(EmbeddingStoreTest, AnUnknownNameListsAFewOnly) {
  for (int i = 0; i < 9; ++i) Write(absl::StrCat(i, ".npy"), SmallNpy());
  ExpectError(MustOpen()->Find("x").status(), absl::StatusCode::kNotFound,
              "TABLE_NOT_FOUND", "'6', '7', … (9 in all)");
  for (int i = 0; i < 9; ++i) {
    Write(absl::StrCat(i, std::string(200, 'x'), ".npy"), SmallNpy());
  }
  EXPECT_LT(MustOpen()->Find("x").status().message().size(), 1024u);
}

TEST_F(EmbeddingStoreTest, AStoreWithoutTablesSaysHowToGetSome) {
  const EmbeddingStore none;
  EXPECT_THAT(none.List(), IsEmpty());
  for (const char* const name : {"", "x"}) {
    ExpectError(none.Find(name).status(), absl::StatusCode::kNotFound,
                "TABLE_NOT_FOUND",
                "the server holds no embedding tables; start it with --tables "
                "DIR");
  }
}

TEST_F(EmbeddingStoreTest, TheVersionFollowsTheFile) {
  Write("a.npy", SmallNpy());
  Write("b.npy", SmallNpy());
  const auto version = [&](const char* name) {
    return MustOpen()->Find(name).value()->version;
  };
  const std::string first = version("a");
  EXPECT_THAT(first, ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(version("a"), first);
  EXPECT_NE(version("b"), first);
  std::filesystem::rename(directory_.File("a.npy"),
                          directory_.File("moved.npy"));
  EXPECT_EQ(version("moved"), first);
  const timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, directory_.File("moved.npy").c_str(), times, 0),
            0);
  EXPECT_NE(version("moved"), first);
}

TEST_F(EmbeddingStoreTest, TensorsOfAFileHaveDifferentVersions) {
  Write("m.safetensors",
        SafetensorsFile(
            R"({"a":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},)"
            R"("b":{"dtype":"F16","shape":[1,2],"data_offsets":[4,8]}})",
            "12345678"));
  const auto store = MustOpen();
  EXPECT_NE(store->Find("m/a").value()->version,
            store->Find("m/b").value()->version);
}

TEST_F(EmbeddingStoreTest, ATableOutlivesItsStoreAndItsFile) {
  Write("a.npy", SmallNpy());
  auto store = MustOpen();
  const auto table = store->Find("a").value();
  std::filesystem::remove(directory_.File("a.npy"));
  EXPECT_TRUE(store->Find("a").ok());
  store.reset();
  float last = 0;
  std::memcpy(&last, table->host.data + 5 * sizeof(float), sizeof(float));
  EXPECT_EQ(last, 5);
  EXPECT_TRUE(table->CheckUnchanged().ok());
}

TEST_F(EmbeddingStoreTest, AFileThatIsReplacedStaysAsItWas) {
  Write("a.npy", SmallNpy());
  const auto store = MustOpen();
  Write("other", "nothing like it");
  std::filesystem::rename(directory_.File("other"), directory_.File("a.npy"));
  EXPECT_TRUE(store->Find("a").ok());
}

TEST_F(EmbeddingStoreTest, AFileThatIsCutShortIsNotServed) {
  Write("a.npy", SmallNpy());
  Write("b.npy", SmallNpy());
  const auto store = MustOpen();
  const auto pinned = store->Find("a").value();
  std::filesystem::resize_file(directory_.File("a.npy"), 0);
  float first = 1;
  std::memcpy(&first, pinned->host.data, sizeof(float));
  EXPECT_EQ(first, 0);
  const std::string message =
      "the file of embedding table 'a' was changed since it was loaded; the "
      "server must be restarted to read it anew";
  ExpectError(pinned->CheckUnchanged(), absl::StatusCode::kNotFound,
              "TABLE_CHANGED", message);
  ExpectError(store->Find("a").status(), absl::StatusCode::kNotFound,
              "TABLE_CHANGED", message);
  EXPECT_TRUE(store->Find("b").ok());
}

TEST_F(EmbeddingStoreTest, ATableWithoutAFileIsUnchanged) {
  EXPECT_TRUE(EmbeddingTable().CheckUnchanged().ok());
}

TEST_F(EmbeddingStoreTest, RefusesADirectoryThatIsNotThere) {
  const auto store = EmbeddingStore::Open(directory_.File("nothing"), device_);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(
      std::string(store.status().message()),
      AllOf(HasSubstr(directory_.File("nothing")), HasSubstr("can't read it")));
}

TEST_F(EmbeddingStoreTest, RefusesMalformedFiles) {
  Write("good.npy", SmallNpy());
  Write("bad.npy", SmallNpy() + "x");
  ExpectRefused(absl::StatusCode::kInvalidArgument, "file 'bad.npy'",
                "which is 24 bytes, but the file has 25 after the header");
  std::filesystem::remove(directory_.File("bad.npy"));
  Write("bad.safetensors", "");
  ExpectRefused(absl::StatusCode::kInvalidArgument, "file 'bad.safetensors'",
                "has 0 bytes, but starts with a header size of 8");
}

TEST_F(EmbeddingStoreTest, RefusesWhatIsNoRegularFile) {
  std::filesystem::create_directory(directory_.File("a.npy"));
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "file 'a.npy'",
                "it is not a regular file");
}

TEST_F(EmbeddingStoreTest, FollowsLinksWithinTheDirectory) {
  std::filesystem::create_directory(directory_.File("below"));
  Write("below/a.npy", SmallNpy());
  std::filesystem::create_symlink("below/a.npy", directory_.File("a.npy"));
  EXPECT_THAT(Names(*MustOpen()), ElementsAre("a"));
}

TEST_F(EmbeddingStoreTest, RefusesLinksThatLeadOut) {
  const TemporaryDirectory outside;
  const std::string target = WriteFile(outside.File("secret.npy"), SmallNpy());
  std::filesystem::create_symlink(target, directory_.File("a.npy"));
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "file 'a.npy'",
                "leads out of the directory, to '" +
                    std::filesystem::canonical(target).native() + "'");
}

TEST_F(EmbeddingStoreTest, RefusesLinksToADirectoryWhoseNameGoesOn) {
  const std::string sibling = directory_.path() + "-sibling";
  std::filesystem::create_directory(sibling);
  std::filesystem::rename(WriteFile(directory_.File("a"), SmallNpy()),
                          sibling + "/a");
  std::filesystem::create_symlink(sibling + "/a", directory_.File("a.npy"));
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "file 'a.npy'",
                "leads out of the directory");
  std::filesystem::remove_all(sibling);
}

TEST_F(EmbeddingStoreTest, RefusesNamesThatCanNotBeSent) {
  Write("a\n.npy", SmallNpy());
  ExpectRefused(absl::StatusCode::kInvalidArgument, "file 'a\\x0a.npy'",
                "a table can't be named 'a\\x0a', of 2 bytes: a name is UTF-8 "
                "of at most 256 bytes without control characters");
  std::filesystem::remove(directory_.File("a\n.npy"));
  const std::string name(300, 'n');
  Write("m.safetensors",
        SafetensorsFile("{\"" + name +
                            R"(":{"dtype":"F32","shape":[1,1],)"
                            R"("data_offsets":[0,4]}})",
                        "1234"));
  ExpectRefused(absl::StatusCode::kInvalidArgument, "file 'm.safetensors'",
                "of 302 bytes: a name is UTF-8 of at most 256 bytes");
}

TEST_F(EmbeddingStoreTest, RefusesTooManyFiles) {
  for (std::size_t i = 0; i <= kMaxTableFiles; ++i) {
    Write(absl::StrCat(i, ".npy"), "");
  }
  ExpectRefused(absl::StatusCode::kResourceExhausted, "directory of embedding",
                "it has 1025 table files, but at most 1024 can be served");
}

TEST_F(EmbeddingStoreTest, PassesOnThatTheDeviceHasNoRoom) {
  device_.most_rows = 1;
  Write("a.npy", SmallNpy());
  ExpectRefused(absl::StatusCode::kResourceExhausted, "file 'a.npy'",
                "table 'a': 2 rows, but room for 1");
}

}  // namespace
}  // namespace posenc::server
