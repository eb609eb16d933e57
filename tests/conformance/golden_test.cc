// Golden numbers of real libraries, through the engine, and through the client
// and the posenc command against a real server. Another file of the same format
// is read when POSENC_GOLDEN names one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <ostream>

#include "posenc/client.h"
#include "tests/conformance/golden_case.h"
#include "tests/conformance/golden_engine.h"
#include "tests/conformance/golden_values.h"
#include "tests/support/server_process.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/true_values.h"

namespace posenc::testing {
namespace {

class GoldenTest : public ::testing::TestWithParam<GoldenCase> {
 protected:
  static void SetUpTestSuite() {
    files_ = new TemporaryDirectory();
    std::filesystem::create_directory(files_->File("tables"));
    for (const GoldenCase& golden : LoadGoldenCases()) {
      const auto request = MapGoldenCase(golden);
      if (!request) continue;
      WriteTable(golden.name, request->table, *request->encoding.d_model);
      WriteTable(golden.name + "_rows", request->position_table,
                 *request->encoding.d_model);
    }
    engine_ = new GoldenEngine(files_->File("tables"));
    server_ = new ServerProcess({"--tables", files_->File("tables")});
    auto client = Client::Connect({.address = server_->address()});
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = new Client(*std::move(client));
  }

  static void TearDownTestSuite() {
    delete client_;
    delete server_;
    delete engine_;
    delete files_;
  }

  void SetUp() override {
    const auto mapped = MapGoldenCase(GetParam());
    ASSERT_TRUE(mapped.has_value())
        << "no mapping for profile " << GetParam().json.at("profile")
        << " with params " << GetParam().json.at("params");
    request_ = *mapped;
    embeddings_ = ToPayload(request_.embeddings_dtype, request_.embeddings);
  }

  static void WriteTable(const std::string& name,
                         const std::vector<double>& values,
                         std::uint64_t width) {
    if (values.empty()) return;
    WriteNpy(files_->File("tables/" + name + ".npy"),
             {values.size() / width, width},
             std::vector<float>(values.begin(), values.end()));
  }

  // Views of the request's memory.
  EncodeParams ToEncodeParams() const {
    EncodeParams params;
    params.options = {.encoding = request_.encoding,
                      .batch_layout = request_.layout,
                      .output_dtype = request_.dtype,
                      .embedding_table = GetParam().name,
                      .dropout = request_.dropout};
    Positions& positions = params.options.positions;
    positions.offset = request_.offset;
    positions.padding_id = request_.padding_id;
    if (!request_.positions.empty()) positions.values = PositionsView();
    if (!request_.mask.empty()) {
      positions.attention_mask = TensorView(
          std::span<const std::int64_t>(request_.mask), request_.mask_shape);
    }
    if (request_.ids.empty()) {
      params.payload =
          TensorView{request_.embeddings_dtype, request_.shape, embeddings_};
    } else {
      params.input = EncodeParams::Input::kTokenIds;
      params.payload = TensorView(std::span<const std::int64_t>(request_.ids),
                                  request_.shape);
    }
    return params;
  }

  GetEncodingParams ToGetParams() const {
    GetEncodingParams params{.encoding = request_.encoding,
                             .position_count = request_.row_count,
                             .dtype = request_.dtype};
    if (!request_.positions.empty()) params.positions = PositionsView();
    return params;
  }

  TensorView PositionsView() const {
    return TensorView(std::span<const double>(request_.positions),
                      {request_.positions.size()});
  }

  // Bytes of the right size, within the bounds of the golden and of the exact
  // values.
  void Check(std::span<const std::byte> bytes) {
    const nlohmann::json& golden = GetParam().json;
    const std::vector<double> printed = Flatten(golden.at("output"));
    ASSERT_EQ(bytes.size(), printed.size() * SizeOf(request_.dtype));
    if (request_.dropout) return CheckDropout(bytes, printed);
    // Row numbers are what they are.
    const std::vector<double> exact =
        golden.at("dtype") == "int64" ? printed : Flatten(golden.at("exact"));
    const double deviation = golden.at("max_abs_dev_from_exact");
    for (std::size_t n = 0; n < printed.size(); ++n) {
      const double value = Element(bytes, n);
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

  // Which elements a library's generator drops is its own; what is left must be
  // what it prints there.
  void CheckDropout(std::span<const std::byte> bytes,
                    const std::vector<double>& printed) {
    std::size_t both = 0;
    for (std::size_t n = 0; n < printed.size(); ++n) {
      const double value = Element(bytes, n);
      if (value == 0 || printed[n] == 0) continue;
      ++both;
      EXPECT_LE(std::abs(value - printed[n]), 1e-6) << "element " << n;
    }
    EXPECT_GT(both, 0u);
  }

  double Element(std::span<const std::byte> bytes, std::size_t n) const {
    return ReadElement(request_.dtype,
                       bytes.data() + n * SizeOf(request_.dtype));
  }

  static TemporaryDirectory* files_;
  static GoldenEngine* engine_;
  static ServerProcess* server_;
  static Client* client_;
  GoldenRequest request_;
  std::vector<std::byte> embeddings_;
};

TemporaryDirectory* GoldenTest::files_ = nullptr;
GoldenEngine* GoldenTest::engine_ = nullptr;
ServerProcess* GoldenTest::server_ = nullptr;
Client* GoldenTest::client_ = nullptr;

TEST_P(GoldenTest, ThroughTheEngine) {
  const auto bytes = request_.RowsAlone() ? engine_->GetEncoding(ToGetParams())
                                          : engine_->Encode(ToEncodeParams());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  Check(*bytes);
}

TEST_P(GoldenTest, ThroughTheClient) {
  if (request_.RowsAlone()) {
    const auto result = client_->GetEncoding(ToGetParams());
    ASSERT_TRUE(result.ok()) << result.status();
    Check(result->rows.bytes());
    return;
  }
  const EncodeParams params = ToEncodeParams();
  const auto result =
      request_.ids.empty()
          ? client_->Encode(params.payload, params.options)
          : client_->EncodeTokens(params.payload, params.options);
  ASSERT_TRUE(result.ok()) << result.status();
  Check(result->output.bytes());
}

// The mode that a case's formula was computed in by the library, as the file
// says; none where it is not one of the float32 ones, or not posenc's.
std::optional<AnglePrecision> PrecisionOf(const GoldenCase& golden,
                                          const GoldenRequest& request) {
  const std::string angle = golden.json.at("spec").value("angle", "");
  const bool other = !request.encoding.grid_sizes.empty() ||
                     request.dropout.has_value() ||
                     golden.json.at("dtype") != "float32" ||
                     golden.json.value("input_dtype", "float32") == "float16";
  if (other) return std::nullopt;
  if (angle == "f32-exp") return AnglePrecision::kFloat32Exp;
  if (angle == "f32-pow") return AnglePrecision::kFloat32Pow;
  return std::nullopt;
}

// An ulp of a frequency times the position is the gap to torch, and an ulp of a
// sine; where embeddings are turned or added to, those of the sum.
TEST_P(GoldenTest, TheFloat32ModeIsNearerToWhatIsPrinted) {
  const auto precision = PrecisionOf(GetParam(), request_);
  if (!precision) GTEST_SKIP() << "not computed in float32";
  const auto output = [&] {
    return request_.RowsAlone() ? engine_->GetEncoding(ToGetParams())
                                : engine_->Encode(ToEncodeParams());
  };
  const auto exact = output();
  ASSERT_TRUE(exact.ok()) << exact.status();
  request_.encoding.angle_precision = precision;
  const auto rounded = output();
  ASSERT_TRUE(rounded.ok()) << rounded.status();
  const std::vector<double> printed = Flatten(GetParam().json.at("output"));
  double largest_position = 0;
  for (const double position : Flatten(GetParam().json.at("positions"))) {
    largest_position = std::max(largest_position, std::abs(position));
  }
  const double base = request_.encoding.base.value_or(1e4);
  const double scale = request_.encoding.angle_scale.value_or(1);
  const double tolerance =
      largest_position * scale * std::max(1.0, 1 / base) * 6e-8 + 6e-8;
  const double sums = request_.RowsAlone() ? 0 : 4e-7;
  double sum_exact = 0;
  double sum_rounded = 0;
  for (std::size_t n = 0; n < printed.size(); ++n) {
    const double off = std::abs(Element(*rounded, n) - printed[n]);
    EXPECT_LE(off, tolerance + sums) << "element " << n;
    sum_rounded += off;
    sum_exact += std::abs(Element(*exact, n) - printed[n]);
  }
  // x-transformers takes pow(base, -i / D), without the reciprocal; frequencies
  // that a rule stretched are rounded exact ones; and cases of frequency 1
  // are the same in both modes.
  const bool same_steps =
      request_.RowsAlone() &&
      GetParam().json.at("profile") != "x_transformers.scaled_sinusoidal";
  const double deviation = GetParam().json.at("max_abs_dev_from_exact");
  if (same_steps && deviation > 1e-6) {
    EXPECT_LT(sum_rounded, sum_exact);
  }
}

// What the libraries print of a rotary encoding beside its output.
TEST_P(GoldenTest, FrequenciesOfRotaryEncodings) {
  const nlohmann::json& golden = GetParam().json;
  if (!golden.contains("inv_freq_exact")) {
    GTEST_SKIP() << "the case has no frequencies";
  }
  const auto description =
      client_->DescribeEncoding({.encoding = request_.encoding});
  ASSERT_TRUE(description.ok()) << description.status();
  const std::vector<double> exact = Flatten(golden.at("inv_freq_exact"));
  ASSERT_EQ(description->frequencies.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_LE(std::abs(description->frequencies[i] - exact[i]),
              2 * HalfUlpOfFloat64(exact[i]))
        << "frequency " << i;
  }
  const double attention = golden.at("attention_scaling_exact");
  ASSERT_TRUE(description->attention_factor.has_value());
  EXPECT_LE(std::abs(*description->attention_factor - attention),
            2 * HalfUlpOfFloat64(attention));
}

class GoldenCommand : public GoldenTest {
 protected:
  std::vector<std::string> GetCommand() const {
    std::vector<std::string> command = Start("get");
    command.insert(command.begin() + 1, "encoding");
    command.insert(command.end(), {"--dtype", DTypeName()});
    if (request_.positions.empty()) {
      command.insert(command.end(),
                     {"--count", std::to_string(request_.row_count)});
    } else {
      AddPositions(command);
    }
    return command;
  }

  std::vector<std::string> EncodeCommand() const {
    const std::string in = files_->File("in.npy");
    std::vector<std::string> command = Start("encode");
    command.insert(command.end(), {in, "--output-dtype", DTypeName()});
    if (request_.ids.empty()) {
      WriteNpy(in, Descr(request_.embeddings_dtype), request_.shape,
               embeddings_.data(), embeddings_.size());
      if (request_.embeddings_dtype == DType::kBFloat16) {
        command.insert(command.end(), {"--input-dtype", "bfloat16"});
      }
    } else {
      WriteNpy(in, "<i8", request_.shape, request_.ids.data(),
               request_.ids.size() * sizeof(std::int64_t));
      command.insert(command.end(), {"--table", GetParam().name});
    }
    if (request_.layout == BatchLayout::kHeadsSequence) {
      command.insert(command.end(), {"--batch-layout", "heads-sequence"});
    }
    AddPositions(command);
    if (request_.dropout) {
      command.insert(command.end(),
                     {"--dropout", std::to_string(request_.dropout->rate),
                      "--seed", std::to_string(request_.dropout->seed)});
    }
    return command;
  }

 private:
  std::vector<std::string> Start(const std::string& name) const {
    return {POSENC_COMMAND, name,
            "--address",    server_->address(),
            "--spec",       EncodingSpecToJson(request_.encoding),
            "-o",           files_->File("out.npy")};
  }

  std::string DTypeName() const {
    static const std::map<DType, std::string> kNames = {
        {DType::kFloat32, "float32"},
        {DType::kFloat16, "float16"},
        {DType::kBFloat16, "bfloat16"},
        {DType::kFloat64, "float64"}};
    return kNames.at(request_.dtype);
  }

  void AddPositions(std::vector<std::string>& command) const {
    const std::string at = files_->File("positions.npy");
    if (request_.offset) {
      command.insert(command.end(),
                     {"--offset", std::to_string(*request_.offset)});
    }
    if (request_.padding_id) {
      command.insert(command.end(),
                     {"--padding-id", std::to_string(*request_.padding_id)});
    }
    if (!request_.mask.empty()) {
      WriteNpy(at, "<i8", request_.mask_shape, request_.mask.data(),
               request_.mask.size() * sizeof(std::int64_t));
      command.insert(command.end(), {"--mask", at});
    }
    if (!request_.positions.empty()) {
      WriteNpy(at, "<f8", {request_.positions.size()},
               request_.positions.data(),
               request_.positions.size() * sizeof(double));
      command.insert(command.end(), {"--positions", at});
    }
  }
};

TEST_P(GoldenCommand, ThroughTheCommand) {
  const Finished finished =
      RunProgram(request_.RowsAlone() ? GetCommand() : EncodeCommand());
  ASSERT_EQ(finished.exit_status, 0) << finished.err;
  const std::string file = ReadFile(files_->File("out.npy"));
  const std::size_t bytes =
      Flatten(GetParam().json.at("output")).size() * SizeOf(request_.dtype);
  ASSERT_GT(file.size(), bytes);
  Check(std::as_bytes(std::span(file)).last(bytes));
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenTest,
                         ::testing::ValuesIn(LoadGoldenCases()),
                         [](const auto& golden) { return golden.param.name; });
INSTANTIATE_TEST_SUITE_P(Golden, GoldenCommand,
                         ::testing::ValuesIn(LoadGoldenCases()),
                         [](const auto& golden) { return golden.param.name; });

}  // namespace

// Names a case, not its numbers, in messages.
void PrintTo(const GoldenCase& golden, std::ostream* out) {
  *out << golden.name;
}

}  // namespace posenc::testing
