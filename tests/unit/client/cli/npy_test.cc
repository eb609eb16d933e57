#include "client/cli/npy.h"

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "client/cli/elements.h"
#include "client/cli/exit_code.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::HasSubstr;

std::string Npy(const std::string& dict, const std::string& data,
                char version = 1) {
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  const int length_bytes = version == 1 ? 2 : 4;
  for (int i = 0; i < length_bytes; ++i) {
    file += static_cast<char>(dict.size() >> (8 * i));
  }
  return file + dict + data;
}

std::string Dict(const std::string& descr, const std::string& shape,
                 const std::string& fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order +
         ", 'shape': " + shape + ", }\n";
}

class NpyTest : public testing::Test {
 protected:
  void ExpectRefused(const std::string& bytes, const std::string& complaint) {
    const std::string path = scratch_.Write("bad.npy", bytes);
    const auto tensor = ReadNpy(path);
    ASSERT_FALSE(tensor.ok()) << complaint;
    EXPECT_EQ(ExitCodeFor(tensor.status()), ExitCode::kUsage);
    EXPECT_THAT(std::string(tensor.status().message()),
                testing::AllOf(HasSubstr(path), HasSubstr(complaint)));
  }

  ScratchDirectory scratch_;
};

TEST_F(NpyTest, GivesBackWhatItWrote) {
  for (const posenc::DType dtype :
       {posenc::DType::kFloat32, posenc::DType::kFloat16,
        posenc::DType::kFloat64, posenc::DType::kInt32,
        posenc::DType::kInt64}) {
    std::string bytes(6 * posenc::SizeOf(dtype), '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(i * 37);
    }
    const auto data = std::as_bytes(std::span(bytes.data(), bytes.size()));
    const std::string path = scratch_.Path("x.npy");
    ASSERT_TRUE(WriteNpy(path, {dtype, {3, 2}, data}).ok());
    const auto tensor = ReadNpy(path);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(tensor->dtype, dtype);
    EXPECT_EQ(tensor->shape, (posenc::Shape{3, 2}));
    EXPECT_TRUE(std::equal(data.begin(), data.end(), tensor->data.begin(),
                           tensor->data.end()));
  }
}

TEST_F(NpyTest, BFloat16IsUInt16InAFile) {
  const std::vector<std::uint16_t> bits = {0x3F80, 0xC000};
  const std::string path = scratch_.Path("b.npy");
  ASSERT_TRUE(
      WriteNpy(path,
               {posenc::DType::kBFloat16, {2}, std::as_bytes(std::span(bits))})
          .ok());
  EXPECT_THAT(ReadFile(path), HasSubstr("'<u2'"));
  EXPECT_THAT(std::string(ReadNpy(path).status().message()),
              HasSubstr("--input-dtype bfloat16"));
  const auto tensor = ReadNpy(path, UInt16As::kBFloat16);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->dtype, posenc::DType::kBFloat16);
  EXPECT_EQ(ElementAt(ViewOf(*tensor), 0), 1.0);
  EXPECT_EQ(ElementAt(ViewOf(*tensor), 1), -2.0);
}

TEST_F(NpyTest, ReadsVersions1To3) {
  for (const char version : {'\1', '\2', '\3'}) {
    const std::string path = scratch_.Write(
        "v.npy", Npy(Dict("<f2", "(2, 1)"), std::string(4, 'x'), version));
    const auto tensor = ReadNpy(path);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(tensor->shape, (posenc::Shape{2, 1}));
  }
}

TEST_F(NpyTest, ReadsEmptyTensors) {
  const std::string path =
      scratch_.Write("e.npy", Npy(Dict("<f4", "(0, 8)"), ""));
  const auto tensor = ReadNpy(path);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_TRUE(tensor->data.empty());
  EXPECT_NE(tensor->owner, nullptr);
}

TEST_F(NpyTest, RefusesEveryTruncation) {
  const std::string whole = Npy(Dict("<f4", "(2, 3)"), std::string(24, 'x'));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto tensor =
        ReadNpy(scratch_.Write("t.npy", whole.substr(0, length)));
    EXPECT_EQ(ExitCodeFor(tensor.status()), ExitCode::kUsage) << length;
  }
  EXPECT_TRUE(ReadNpy(scratch_.Write("t.npy", whole)).ok());
}

TEST_F(NpyTest, RefusesDataThatTheHeaderDoesNotSay) {
  ExpectRefused(Npy(Dict("<f4", "(2, 3)"), std::string(25, 'x')),
                "[2,3] of FLOAT32, 24 bytes, but 25 follow it");
  ExpectRefused(Npy(Dict("<f8", "(1000000000000,)"), std::string(8, 'x')),
                "8000000000000 bytes, but 8 follow it");
  ExpectRefused(Npy(Dict("<f4", "(4294967296, 4294967296)"), ""),
                "over 2^64 bytes, but 0 follow it");
  ExpectRefused(Npy(Dict("<f4", "(4611686018427387904,)"), ""), "over 2^64");
}

TEST_F(NpyTest, RefusesLyingHeaderLengths) {
  std::string file = Npy(Dict("<f4", "(1,)"), "abcd", 2);
  file[11] = '\x7F';
  ExpectRefused(file, "claims a header of 21");
  file = Npy(Dict("<f4", "(1,)"), "abcd");
  file[9] = '\xFF';
  ExpectRefused(file, "ends within its header");
}

TEST_F(NpyTest, RefusesOtherFormatsAndOrders) {
  ExpectRefused("PK\x03\x04 and more", "is not a .npy file");
  ExpectRefused(Npy(Dict("<f4", "(1,)"), "abcd", 4), "version 4.0");
  ExpectRefused(Npy(Dict("<f4", "(1,)", "True"), "abcd"), "Fortran order");
  ExpectRefused(Npy(Dict(">f4", "(1,)"), "abcd"), "big-endian (>f4)");
  ExpectRefused(Npy(Dict("<c8", "(1,)"), "abcdefgh"), "of type '<c8'");
  ExpectRefused(Npy(Dict("|O", "(1,)"), "abcdefgh"), "of type '|O'");
  ExpectRefused(Npy("{'descr': 3}", ""), "descr has a value");
}

TEST_F(NpyTest, RefusesWhatIsNoPlainFile) {
  EXPECT_THAT(
      std::string(ReadNpy(scratch_.Path("none.npy")).status().message()),
      HasSubstr("No such file"));
  EXPECT_THAT(std::string(ReadNpy(scratch_.Path(".")).status().message()),
              HasSubstr("is not a plain file"));
  ASSERT_EQ(mkfifo(scratch_.Path("pipe.npy").c_str(), 0600), 0);
  EXPECT_THAT(
      std::string(ReadNpy(scratch_.Path("pipe.npy")).status().message()),
      HasSubstr("is not a plain file"));
}

TEST_F(NpyTest, SaysWhyAFileCannotBeWritten) {
  const float value = 1;
  const posenc::TensorView view(std::span(&value, 1), {1});
  const absl::Status status = WriteNpy(scratch_.Path("no/x.npy"), view);
  EXPECT_EQ(ExitCodeFor(status), ExitCode::kUsage);
  EXPECT_THAT(std::string(status.message()), HasSubstr("No such file"));
  EXPECT_THAT(std::string(WriteNpy("/dev/full", view).message()),
              HasSubstr("No space left"));
}

}  // namespace
}  // namespace posenc::cli
