#include "server/core/formats/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
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
using testing::NpyFile;

constexpr std::string_view kDict =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";

absl::StatusOr<std::vector<NamedTensor>> ParseText(std::string_view file) {
  return ParseNpy(std::as_bytes(std::span(file)));
}

// A dict with that dtype and shape.
std::string Dict(std::string_view descr, std::string_view shape) {
  return "{'descr': " + std::string(descr) +
         ", 'fortran_order': False, 'shape': " + std::string(shape) + "}";
}

void ExpectNpyRefused(std::string_view file, std::string_view message) {
  const auto tensors = ParseText(file);
  EXPECT_EQ(tensors.status().code(), absl::StatusCode::kInvalidArgument)
      << message;
  EXPECT_THAT(std::string(tensors.status().message()),
              HasSubstr(std::string(message)));
}

void ExpectDictRefused(std::string_view dict, std::string_view message) {
  ExpectNpyRefused(NpyFile(dict, std::string(24, 'x')), message);
}

TEST(ParseNpy, FindsTheArrayInEveryVersion) {
  for (const int version : {1, 2, 3}) {
    const auto tensors =
        ParseText(NpyFile(kDict, std::string(24, 'x'), version));
    ASSERT_TRUE(tensors.ok()) << tensors.status();
    ASSERT_EQ(tensors->size(), 1u);
    const NamedTensor& tensor = tensors->front();
    EXPECT_EQ(tensor.name, std::nullopt);
    EXPECT_EQ(tensor.dtype_in_file, "<f4");
    EXPECT_EQ(tensor.dtype, DType::kFloat32);
    EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
    EXPECT_EQ(tensor.offset, (version == 1 ? 10 : 12) + kDict.size());
    EXPECT_EQ(tensor.bytes, 24u);
  }
}

TEST(ParseNpy, KnowsEveryDTypeOfOurs) {
  const struct {
    std::string_view descr;
    DType dtype;
  } kCases[] = {{"'<f4'", DType::kFloat32},
                {"'<f2'", DType::kFloat16},
                {"'<f8'", DType::kFloat64},
                {"'<i4'", DType::kInt32},
                {"\"<i8\"", DType::kInt64}};
  for (const auto& [descr, dtype] : kCases) {
    const auto tensors = ParseText(
        NpyFile(Dict(descr, "(3,)"), std::string(3 * SizeOf(dtype), 'x')));
    ASSERT_TRUE(tensors.ok()) << tensors.status();
    EXPECT_EQ(tensors->front().dtype, dtype);
  }
}

TEST(ParseNpy, TakesEveryOrderAndSpacing) {
  for (const std::string_view dict :
       {"{'shape':(2,3),'descr':'<f4','fortran_order':False}",
        " { 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' "
        ", } \n",
        "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2L, "
        "3L)}"}) {
    const auto tensors = ParseText(NpyFile(dict, std::string(24, 'x')));
    ASSERT_TRUE(tensors.ok()) << tensors.status() << dict;
    EXPECT_THAT(tensors->front().shape, ElementsAre(2, 3));
  }
}

TEST(ParseNpy, TakesScalarsAndEmptyArrays) {
  const auto scalar = ParseText(NpyFile(Dict("'<f4'", "()"), "1234"));
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_THAT(scalar->front().shape, IsEmpty());
  const auto empty = ParseText(NpyFile(Dict("'<f4'", "(0, 3)"), ""));
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_THAT(empty->front().shape, ElementsAre(0, 3));
}

TEST(ParseNpy, RefusesAFileCutAnywhere) {
  for (const int version : {1, 2}) {
    const std::string file = NpyFile(kDict, std::string(24, 'x'), version);
    for (std::size_t bytes = 0; bytes < file.size(); ++bytes) {
      // A copy of that size, so that a sanitizer sees reads beyond it.
      const std::vector<char> cut(file.begin(),
                                  file.begin() + static_cast<long>(bytes));
      EXPECT_EQ(ParseText({cut.data(), cut.size()}).status().code(),
                absl::StatusCode::kInvalidArgument)
          << bytes;
    }
  }
}

TEST(ParseNpy, RefusesADictCutAnywhere) {
  const std::string dict = Dict("'<f4'", "(2, 3)");
  for (std::size_t bytes = 0; bytes < dict.size(); ++bytes) {
    ExpectDictRefused(dict.substr(0, bytes), "the header has ");
  }
}

TEST(ParseNpy, RefusesAnotherFile) {
  ExpectNpyRefused("\x93NUMPX\x01", "of 7 bytes, does not start with");
  ExpectNpyRefused("PK\x03\x04 and some more",
                   "does not start with \\x93NUMPY and a version");
}

TEST(ParseNpy, RefusesUnknownVersions) {
  ExpectNpyRefused(
      NpyFile(kDict, "", 4),
      "the file is of version 4.0, but 1.0, 2.0 and 3.0 are known");
  ExpectNpyRefused(NpyFile(kDict, "", 0), "the file is of version 0.0");
  std::string minor = NpyFile(kDict, std::string(24, 'x'));
  minor[7] = 1;
  ExpectNpyRefused(minor, "the file is of version 1.1");
}

TEST(ParseNpy, RefusesALyingHeaderSize) {
  const std::string start("\x93NUMPY\x01\x00", 8);
  ExpectNpyRefused(start + LittleEndian(5, 2) + "{}",
                   "said to have 5 bytes, but the file has 2 after its size");
  ExpectNpyRefused(start + "\x01",
                   "has 9 bytes, but its version needs 10 before the header");
  const std::string start2("\x93NUMPY\x02\x00", 8);
  ExpectNpyRefused(start2 + LittleEndian(0xffffffff, 4) + "{}",
                   "said to have 4294967295 bytes, but may have 65536");
}

TEST(ParseNpy, RefusesOtherDTypes) {
  ExpectDictRefused(Dict("'>f4'", "(2, 3)"),
                    "descr is '>f4', which is big-endian, but must be <f4");
  ExpectDictRefused(Dict("'|O'", "(2, 3)"),
                    "descr is '|O', which means Python objects");
  ExpectDictRefused(Dict("'<u2'", "(2, 3)"),
                    "descr is '<u2', but must be <f4, <f2, <f8, <i4 or <i8");
  ExpectDictRefused(Dict("[('a', '<f4')]", "(2, 3)"),
                    "but a string is expected");
}

TEST(ParseNpy, RefusesFortranOrder) {
  ExpectDictRefused("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}",
                    "fortran_order is True, but the data must be in C order");
}

TEST(ParseNpy, RefusesDataOfAnotherSize) {
  ExpectNpyRefused(
      NpyFile(kDict, std::string(23, 'x')),
      "the array is <f4 [2,3], which is 24 bytes, but the file has "
      "23 after the header");
  ExpectNpyRefused(NpyFile(kDict, std::string(25, 'x')), "but the file has 25");
}

TEST(ParseNpy, RefusesShapesWhoseProductOverflows) {
  // 2^32 * 2^32 elements are 0 in 64 bits; 2^62 floats are 0 bytes.
  ExpectNpyRefused(NpyFile(Dict("'<f4'", "(4294967296, 4294967296)"), ""),
                   "[4294967296,4294967296], which is more than 2^64 bytes");
  ExpectNpyRefused(NpyFile(Dict("'<f4'", "(4611686018427387904,)"), ""),
                   "which is more than 2^64 bytes");
  ExpectDictRefused(Dict("'<f4'", "(18446744073709551616, 0)"),
                    "shape has '18446744073709551616, 0)}', which is more "
                    "than 2^64 - 1");
}

TEST(ParseNpy, RefusesTooManyDimensions) {
  EXPECT_TRUE(
      ParseText(NpyFile(Dict("'<f4'", "(1,1,1,1,1,1,1,1)"), "1234")).ok());
  ExpectDictRefused(Dict("'<f4'", "(1,1,1,1,1,1,1,1,1)"),
                    "shape has more than 8 numbers");
}

TEST(ParseNpy, RefusesWhatIsNoTupleOfSizes) {
  ExpectDictRefused(Dict("'<f4'", "(6)"), "but , is expected");
  ExpectDictRefused(Dict("'<f4'", "[2, 3]"), "but ( is expected");
  ExpectDictRefused(Dict("'<f4'", "(-1, 6)"),
                    "has '-1, 6)}' at its byte 51, but an integer");
  ExpectDictRefused(Dict("'<f4'", "(2.0, 3)"), "but , is expected");
  ExpectDictRefused(Dict("'<f4'", "(2, 3,,)"), "but an integer from 0 on");
}

TEST(ParseNpy, RefusesMissingUnknownAndDoubleKeys) {
  ExpectDictRefused("{}", "the header has no descr");
  ExpectDictRefused("{'descr': '<f4', 'shape': (2, 3)}",
                    "the header has no fortran_order");
  ExpectDictRefused("{'descr': '<f4', 'fortran_order': False}",
                    "the header has no shape");
  for (const std::string_view key : {"'descr': '<f4'", "'more': 1"}) {
    ExpectDictRefused("{'descr': '<f4', " + std::string(key) + "}",
                      "which is unknown or there already");
  }
}

TEST(ParseNpy, RefusesOtherPython) {
  ExpectDictRefused("", "the header has '' at its byte 0, but { is expected");
  ExpectDictRefused(std::string(kDict) + "x", "goes on after its dict");
  ExpectDictRefused(Dict(R"('<\x66\x34')", "(2, 3)"), "a string is expected");
  ExpectDictRefused("{'descr': '<f4' 'shape': (2, 3)}", "but } is expected");
  ExpectDictRefused("{'fortran_order': 0}", "True or False is expected");
}

TEST(ParseNpy, RefusesDeepNesting) {
  ExpectDictRefused(Dict("'<f4'", std::string(60000, '(')),
                    "but an integer from 0 on");
}

}  // namespace
}  // namespace posenc::server
