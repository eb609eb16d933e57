// Golden numbers of real libraries, through the client and through the posenc
// command, against a real server. Another file of the same format is read when
// POSENC_GOLDEN names one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "posenc/client.h"
#include "tests/conformance/golden_case.h"
#include "tests/support/server_process.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/true_values.h"

namespace posenc::testing {
namespace {

// An element of a payload as a double, and a double as an element.
double ReadElement(DType dtype, const std::byte* at) {
  std::uint16_t half = 0;
  float single = 0;
  double value = 0;
  switch (dtype) {
    case DType::kFloat64:
      std::memcpy(&value, at, sizeof(value));
      return value;
    case DType::kFloat32:
      std::memcpy(&single, at, sizeof(single));
      return single;
    case DType::kBFloat16: {
      std::memcpy(&half, at, sizeof(half));
      const std::uint32_t bits = std::uint32_t{half} << 16;
      std::memcpy(&single, &bits, sizeof(single));
      return single;
    }
    default: {
      std::memcpy(&half, at, sizeof(half));
      const int exponent = half >> 10 & 31;
      const int fraction = half & 1023;
      value = exponent == 0 ? std::ldexp(fraction, -24)
                            : std::ldexp(1024 + fraction, exponent - 25);
      return (half >> 15) != 0 ? -value : value;
    }
  }
}

// The golden inputs are exact in every dtype, so no rounding is needed.
void AppendElement(DType dtype, double value, std::vector<std::byte>& bytes) {
  std::byte element[sizeof(double)];
  const auto single = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof(bits));
  std::uint16_t half = 0;
  switch (dtype) {
    case DType::kFloat64:
      std::memcpy(element, &value, sizeof(value));
      break;
    case DType::kFloat32:
      std::memcpy(element, &single, sizeof(single));
      break;
    case DType::kBFloat16:
      half = static_cast<std::uint16_t>(bits >> 16);
      std::memcpy(element, &half, sizeof(half));
      break;
    default:
      // Rebias the exponent from 127 to 15; 0 stays 0.
      half = static_cast<std::uint16_t>(
          (bits >> 16 & 0x8000) |
          (value == 0 ? 0 : ((bits & 0x7fffffff) - (112u << 23)) >> 13));
      std::memcpy(element, &half, sizeof(half));
  }
  bytes.insert(bytes.end(), element, element + SizeOf(dtype));
  EXPECT_EQ(ReadElement(dtype, bytes.data() + bytes.size() - SizeOf(dtype)),
            value)
      << "a golden input that its dtype cannot hold";
}

double HalfUlpOf(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat64:
      return HalfUlpOfFloat64(value);
    case DType::kFloat16:
      return HalfUlpOfFloat16(value);
    case DType::kBFloat16:
      return HalfUlpOfBFloat16(value);
    default:
      return HalfUlpOfFloat32(value);
  }
}

std::string Descr(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return "<f8";
    case DType::kFloat16:
      return "<f2";
    case DType::kBFloat16:
      return "<u2";
    default:
      return "<f4";
  }
}

class GoldenTest : public ::testing::TestWithParam<GoldenCase> {
 protected:
  static void SetUpTestSuite() {
    files_ = new TemporaryDirectory();
    std::filesystem::create_directory(files_->File("tables"));
    for (const GoldenCase& golden : LoadGoldenCases()) {
      const auto mapped = MapGoldenCase(golden);
      const auto* request = std::get_if<GoldenRequest>(&mapped);
      if (request == nullptr || request->table.empty()) continue;
      const std::vector<float> rows(request->table.begin(),
                                    request->table.end());
      WriteNpy(files_->File("tables/" + golden.name + ".npy"),
               {rows.size() / request->d_model, request->d_model}, rows);
    }
    server_ = new ServerProcess({"--tables", files_->File("tables")});
    auto client = Client::Connect({.address = server_->address()});
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = new Client(*std::move(client));
  }

  static void TearDownTestSuite() {
    delete client_;
    delete server_;
    delete files_;
  }

  void SetUp() override {
    const auto mapped = MapGoldenCase(GetParam());
    if (const auto* missing = std::get_if<NotServed>(&mapped)) {
      GTEST_SKIP() << missing->why;
    }
    request_ = std::get<GoldenRequest>(mapped);
    for (const double value : request_.embeddings) {
      AppendElement(request_.embeddings_dtype, value, embeddings_);
    }
  }

  TensorView Embeddings() const {
    return {request_.embeddings_dtype, request_.embeddings_shape, embeddings_};
  }

  // Bytes of the right size, within the bounds of the golden and of the exact
  // values.
  void Check(std::span<const std::byte> bytes) {
    const nlohmann::json& golden = GetParam().json;
    const std::vector<double> printed = Flatten(golden.at("output"));
    const std::vector<double> exact = Flatten(golden.at("exact"));
    const double deviation = golden.at("max_abs_dev_from_exact");
    const std::size_t size = SizeOf(request_.dtype);
    ASSERT_EQ(bytes.size(), printed.size() * size);
    for (std::size_t n = 0; n < printed.size(); ++n) {
      const bool padding = request_.embeddings.empty() &&
                           request_.ids.empty() &&
                           request_.padding[n / request_.d_model];
      const double value =
          padding ? 0 : ReadElement(request_.dtype, bytes.data() + n * size);
      const double rounding = HalfUlpOf(request_.dtype, exact[n]);
      // The exact values are themselves rounded to double, and the stated
      // deviations to four digits.
      EXPECT_LE(std::abs(value - exact[n]),
                rounding + HalfUlpOfFloat64(exact[n]) + kArithmeticError)
          << "exact, element " << n;
      EXPECT_LE(std::abs(value - printed[n]),
                deviation * 1.001 + rounding + kArithmeticError)
          << "printed by the library, element " << n;
    }
  }

  static TemporaryDirectory* files_;
  static ServerProcess* server_;
  static Client* client_;
  GoldenRequest request_;
  std::vector<std::byte> embeddings_;
};

TemporaryDirectory* GoldenTest::files_ = nullptr;
ServerProcess* GoldenTest::server_ = nullptr;
Client* GoldenTest::client_ = nullptr;

TEST_P(GoldenTest, ThroughTheClient) {
  const EncodeOptions options{.encoding = request_.encoding,
                              .output_dtype = request_.dtype,
                              .embedding_table = GetParam().name};
  if (!request_.embeddings.empty()) {
    const auto result = client_->Encode(Embeddings(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    Check(result->output.bytes());
  } else if (!request_.ids.empty()) {
    const auto result = client_->EncodeTokens(
        TensorView(std::span<const std::int64_t>(request_.ids),
                   request_.embeddings_shape),
        options);
    ASSERT_TRUE(result.ok()) << result.status();
    Check(result->output.bytes());
  } else {
    const auto result = client_->GetEncoding(
        {.encoding = request_.encoding,
         .positions = TensorView(std::span<const double>(request_.positions),
                                 {request_.positions.size()}),
         .dtype = request_.dtype});
    ASSERT_TRUE(result.ok()) << result.status();
    Check(result->rows.bytes());
  }
}

TEST_P(GoldenTest, ThroughTheCommand) {
  const std::string in = files_->File("in.npy");
  const std::string at = files_->File("positions.npy");
  const std::string out = files_->File("out.npy");
  static const std::map<DType, std::string> kNames = {
      {DType::kFloat32, "float32"},
      {DType::kFloat16, "float16"},
      {DType::kBFloat16, "bfloat16"},
      {DType::kFloat64, "float64"}};
  std::vector<std::string> command = {POSENC_COMMAND,
                                      "encode",
                                      "--address",
                                      server_->address(),
                                      "--spec",
                                      EncodingSpecToJson(request_.encoding),
                                      "--output-dtype",
                                      kNames.at(request_.dtype),
                                      "-o",
                                      out,
                                      in};
  if (!request_.ids.empty()) {
    WriteNpy(in, "<i8", request_.embeddings_shape, request_.ids.data(),
             request_.ids.size() * sizeof(std::int64_t));
    command.insert(command.end(), {"--table", GetParam().name});
  } else if (!request_.embeddings.empty()) {
    WriteNpy(in, Descr(request_.embeddings_dtype), request_.embeddings_shape,
             embeddings_.data(), embeddings_.size());
    if (request_.embeddings_dtype == DType::kBFloat16) {
      command.insert(command.end(), {"--input-dtype", "bfloat16"});
    }
  } else {
    // The rows alone: what is added to zeros.
    const std::vector<double> zeros(request_.positions.size() *
                                    request_.d_model);
    WriteNpy(in, "<f8", {1, request_.positions.size(), request_.d_model},
             zeros.data(), zeros.size() * sizeof(double));
    WriteNpy(at, "<f8", {request_.positions.size()}, request_.positions.data(),
             request_.positions.size() * sizeof(double));
    command.insert(command.end(), {"--positions", at});
  }
  const Finished finished = RunProgram(command);
  ASSERT_EQ(finished.exit_status, 0) << finished.err;
  const std::string file = ReadFile(out);
  const std::size_t bytes =
      Flatten(GetParam().json.at("output")).size() * SizeOf(request_.dtype);
  ASSERT_GT(file.size(), bytes);
  Check(std::as_bytes(std::span(file)).last(bytes));
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenTest,
                         ::testing::ValuesIn(LoadGoldenCases()),
                         [](const auto& golden) { return golden.param.name; });

}  // namespace

// Names a case, not its numbers, in messages.
void PrintTo(const GoldenCase& golden, std::ostream* out) {
  *out << golden.name;
}

}  // namespace posenc::testing
