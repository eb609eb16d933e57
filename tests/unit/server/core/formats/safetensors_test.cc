#include "server/core/formats/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/limits.h"
#include "tests/support/table_files.h"

namespace posenc::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LittleEndian;
using testing::SafetensorsFile;

absl::StatusOr<std::vector<NamedTensor>> ParseFile(std::string_view file) {
  return ParseSafetensors(std::as_bytes(std::span(file)));
}

// A file of one tensor.
std::string File(std::string_view dtype, std::string_view shape,
                 std::string_view offsets, std::size_t data_bytes) {
  return SafetensorsFile(R"({"t":{"dtype":")" + std::string(dtype) +
                             R"(","shape":)" + std::string(shape) +
                             R"(,"data_offsets":)" + std::string(offsets) +
                             "}}",
                         std::string(data_bytes, 'x'));
}

void ExpectRefused(std::string_view file, std::string_view message) {
  const auto tensors = ParseFile(file);
  EXPECT_EQ(tensors.status().code(), absl::StatusCode::kInvalidArgument)
      << message;
  EXPECT_THAT(std::string(tensors.status().message()),
              HasSubstr(std::string(message)));
}

// A header that is refused whatever the data is.
void ExpectHeaderRefused(std::string_view header, std::string_view message) {
  ExpectRefused(SafetensorsFile(header, "12345678"), message);
}

constexpr std::string_view kTwoTensors =
    R"({"__metadata__":{"format":"pt"},)"
    R"("b":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},)"
    R"("a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}   )";

TEST(ParseSafetensors, FindsTensors) {
  const auto tensors =
      ParseFile(SafetensorsFile(kTwoTensors, std::string(20, 'x')));
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  ASSERT_EQ(tensors->size(), 2u);
  const NamedTensor& b = (*tensors)[0];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.dtype_in_file, "BF16");
  EXPECT_EQ(b.dtype, DType::kBFloat16);
  EXPECT_THAT(b.shape, ElementsAre(2, 3));
  EXPECT_EQ(b.offset, 8 + kTwoTensors.size() + 8);
  EXPECT_EQ(b.bytes, 12u);
  const NamedTensor& a = (*tensors)[1];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.dtype, DType::kInt64);
  EXPECT_EQ(a.offset, 8 + kTwoTensors.size());
}

TEST(ParseSafetensors, KnowsEveryDTypeOfOurs) {
  const struct {
    std::string_view text;
    DType dtype;
  } kCases[] = {{"F32", DType::kFloat32},   {"F16", DType::kFloat16},
                {"BF16", DType::kBFloat16}, {"F64", DType::kFloat64},
                {"I32", DType::kInt32},     {"I64", DType::kInt64}};
  for (const auto& [text, dtype] : kCases) {
    const std::size_t bytes = SizeOf(dtype);
    const auto tensors =
        ParseFile(File(text, "[1]", absl::StrCat("[0,", bytes, "]"), bytes));
    ASSERT_TRUE(tensors.ok()) << tensors.status();
    EXPECT_EQ((*tensors)[0].dtype, dtype);
  }
}

TEST(ParseSafetensors, KeepsOtherDTypesByTheirText) {
  for (const std::string_view text : {"U8", "BOOL", "F8_E4M3", "NEW_TYPE"}) {
    const auto tensors = ParseFile(File(text, "[3]", "[0,3]", 3));
    ASSERT_TRUE(tensors.ok()) << tensors.status();
    EXPECT_EQ((*tensors)[0].dtype_in_file, text);
    EXPECT_EQ((*tensors)[0].dtype, std::nullopt);
    EXPECT_EQ((*tensors)[0].bytes, 3u);
  }
}

TEST(ParseSafetensors, TakesScalarsAndEmptyTensors) {
  EXPECT_TRUE(ParseFile(File("F32", "[]", "[0,4]", 4)).ok());
  EXPECT_TRUE(ParseFile(File("F32", "[0,3]", "[0,0]", 0)).ok());
}

TEST(ParseSafetensors, TakesAFileWithoutTensors) {
  const auto tensors = ParseFile(SafetensorsFile("{}", ""));
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  EXPECT_THAT(*tensors, IsEmpty());
}

TEST(ParseSafetensors, TakesDataAtAnyAddress) {
  for (std::size_t spaces = 0; spaces < 8; ++spaces) {
    const auto tensors = ParseFile(
        SafetensorsFile(std::string(kTwoTensors) + std::string(spaces, ' '),
                        std::string(20, 'x')));
    ASSERT_TRUE(tensors.ok()) << tensors.status();
    EXPECT_EQ((*tensors)[1].offset, 8 + kTwoTensors.size() + spaces);
  }
}

TEST(ParseSafetensors, RefusesAFileCutAnywhere) {
  const std::string file = SafetensorsFile(kTwoTensors, std::string(20, 'x'));
  for (std::size_t bytes = 0; bytes < file.size(); ++bytes) {
    // A copy of that size, so that a sanitizer sees reads beyond it.
    const std::vector<char> cut(file.begin(),
                                file.begin() + static_cast<long>(bytes));
    EXPECT_EQ(ParseFile({cut.data(), cut.size()}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << bytes;
  }
}

TEST(ParseSafetensors, RefusesALyingHeaderSize) {
  ExpectRefused("1234567", "has 7 bytes, but starts with a header size of 8");
  ExpectRefused(LittleEndian(3, 8) + "{}",
                "said to have 3 bytes, but the file has 2 after its size");
  ExpectRefused(LittleEndian(1, 8) + "{}", "the header is no JSON");
  ExpectRefused(LittleEndian(0, 8) + "{}", "the header is no JSON");
}

TEST(ParseSafetensors, RefusesAHugeHeaderSize) {
  ExpectRefused(LittleEndian(~std::uint64_t{0}, 8) + "{}",
                "said to have 18446744073709551615 bytes, but may have "
                "67108864");
  ExpectRefused(LittleEndian(kMaxSafetensorsHeaderBytes + 1, 8) + "{}",
                "said to have 67108865 bytes, but may have 67108864");
}

TEST(ParseSafetensors, RefusesOffsetsOutOfRange) {
  ExpectRefused(File("F32", "[2]", "[0,8]", 7),
                "tensor 't' ends at byte 8 of the data, which has 7");
  ExpectRefused(File("F32", "[2]", "[8,0]", 8), "begins at 8 but ends at 0");
  ExpectRefused(
      File("F32", "[2]", "[18446744073709551608,18446744073709551615]", 8),
      "ends at byte 18446744073709551615 of the data, which has 8");
}

TEST(ParseSafetensors, RefusesOverlappingTensors) {
  ExpectRefused(SafetensorsFile(
                    R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                    R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
                    std::string(12, 'x')),
                "tensor 'b' begins at 4, but tensor 'a' ends at 8");
}

TEST(ParseSafetensors, RefusesDataOfNoTensor) {
  ExpectRefused(File("F32", "[2]", "[4,12]", 12),
                "the data has 12 bytes, but byte 0 is in no tensor");
  ExpectRefused(File("F32", "[2]", "[0,8]", 12),
                "the data has 12 bytes, but byte 8 is in no tensor");
}

TEST(ParseSafetensors, RefusesShapesThatDoNotFitTheOffsets) {
  ExpectRefused(File("F32", "[2,3]", "[0,20]", 20),
                "tensor 't' is F32 [2,3], which is 24 bytes, but its offsets "
                "are 20 apart");
}

TEST(ParseSafetensors, RefusesShapesWhoseProductOverflows) {
  // 2^32 * 2^32 elements are 0 in 64 bits; 2^62 floats are 0 bytes.
  ExpectRefused(File("F32", "[4294967296,4294967296]", "[0,0]", 0),
                "[4294967296,4294967296], which is more than 2^64 bytes");
  ExpectRefused(File("F32", "[4611686018427387904]", "[0,0]", 0),
                "which is more than 2^64 bytes");
}

TEST(ParseSafetensors, RefusesTooManyDimensions) {
  EXPECT_TRUE(ParseFile(File("F32", "[1,1,1,1,1,1,1,1]", "[0,4]", 4)).ok());
  ExpectRefused(File("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]", 4),
                "shape of tensor 't' has more than 8 numbers");
}

TEST(ParseSafetensors, RefusesTooManyTensors) {
  std::string header = "{";
  for (std::size_t i = 0; i <= kMaxTensorsInFile; ++i) {
    absl::StrAppend(&header, i == 0 ? "" : ",", "\"", i,
                    R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})");
  }
  ExpectRefused(SafetensorsFile(header + "}", ""),
                "the header has more than 65536 tensors");
}

TEST(ParseSafetensors, RefusesDeepJson) {
  for (const std::string_view open : {R"({"t":)", R"([)", R"({"__metadata__":)",
                                      R"({"t":{"dtype":"F32","shape":[)"}) {
    std::string header;
    for (int i = 0; i < 100000; ++i) header += open;
    EXPECT_EQ(ParseFile(SafetensorsFile(header, "")).status().code(),
              absl::StatusCode::kInvalidArgument)
        << open;
  }
}

TEST(ParseSafetensors, RefusesDuplicates) {
  constexpr std::string_view kTensor =
      R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  const std::string tensor(kTensor);
  ExpectHeaderRefused("{\"a\":" + tensor + ",\"a\":" + tensor + "}",
                      "the header has 'a' twice");
  ExpectHeaderRefused(R"({"__metadata__":{},"__metadata__":{}})",
                      "the header has '__metadata__' twice");
  for (const std::string_view field : {"dtype", "shape", "data_offsets"}) {
    const std::string value = field == "dtype" ? R"("U8")" : "[0,0]";
    const std::string twice = "\"" + std::string(field) + "\":" + value;
    ExpectHeaderRefused("{\"a\":{" + twice + "," + twice + "}}",
                        "tensor 'a' has " + std::string(field) + " twice");
  }
}

TEST(ParseSafetensors, RefusesMissingAndUnknownFields) {
  ExpectHeaderRefused(R"({"a":{"shape":[0],"data_offsets":[0,0]}})",
                      "tensor 'a' has no dtype");
  ExpectHeaderRefused(R"({"a":{"dtype":"U8","data_offsets":[0,0]}})",
                      "tensor 'a' has no shape");
  ExpectHeaderRefused(R"({"a":{"dtype":"U8","shape":[0]}})",
                      "tensor 'a' has no data_offsets");
  ExpectHeaderRefused(R"({"a":{"scale":2}})",
                      "tensor 'a' has the unknown field 'scale'");
  // Fields of one tensor are not the next one's.
  ExpectHeaderRefused(
      R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"b":{}})",
      "tensor 'b' has no dtype");
}

TEST(ParseSafetensors, RefusesValuesOfAnotherType) {
  ExpectHeaderRefused("[]", "the header is an array, but must be an object");
  ExpectHeaderRefused("3", "the header is 3, but must be an object");
  ExpectHeaderRefused(R"({"a":null})",
                      "tensor 'a' is null, but must be an object");
  ExpectHeaderRefused(R"({"a":[]})",
                      "tensor 'a' is an array, but must be an object");
  ExpectHeaderRefused(R"({"__metadata__":{"a":1}})",
                      "__metadata__ holds 1, but must hold strings only");
  ExpectHeaderRefused(R"({"a":{"dtype":true}})",
                      "dtype of tensor 'a' is true, but must be a string");
  ExpectHeaderRefused(R"({"a":{"dtype":[]}})",
                      "dtype of tensor 'a' is an array, but must be a string");
  ExpectHeaderRefused(
      R"({"a":{"shape":"3"}})",
      "shape of tensor 'a' is a string, but must be an array of integers");
  ExpectHeaderRefused(R"({"a":{"shape":{}}})",
                      "shape of tensor 'a' is an object");
}

TEST(ParseSafetensors, RefusesNumbersThatAreNoSizes) {
  const std::string rest = ", but must hold integers from 0 to 2^64 - 1";
  ExpectRefused(File("F32", "[-1]", "[0,4]", 4),
                "shape of tensor 't' holds -1" + rest);
  ExpectRefused(File("F32", "[1.0]", "[0,4]", 4), "holds '1.0'" + rest);
  ExpectRefused(File("F32", "[18446744073709551616]", "[0,4]", 4),
                "holds '18446744073709551616'" + rest);
  ExpectRefused(File("F32", "[[1]]", "[0,4]", 4), "holds an array" + rest);
  ExpectRefused(File("F32", "[1]", "[0]", 4),
                "data_offsets of tensor 't' has 1 numbers, but must have 2");
  ExpectRefused(File("F32", "[1]", "[0,4,4]", 4),
                "data_offsets of tensor 't' has more than 2 numbers");
}

TEST(ParseSafetensors, RefusesWhatIsNoJson) {
  ExpectHeaderRefused("{", "the header is no JSON from its byte ");
  ExpectHeaderRefused("{}{}", "the header is no JSON from its byte ");
  ExpectHeaderRefused("{\"\xff\":1}", "the header is no JSON from its byte ");
  ExpectHeaderRefused(std::string("{}\0{", 4),
                      "the header has a zero as its byte 2");
}

TEST(ParseSafetensors, ShowsHostileNamesEscaped) {
  ExpectHeaderRefused(R"({"a\n\u0000":1})", R"(tensor 'a\x0a\x00' is 1)");
}

}  // namespace
}  // namespace posenc::server
