// What bad input gets: the contract's error table, each row once, and a good
// request after each.

#include <fcntl.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/integration/served_test.h"
#include "tests/support/temporary_directory.h"

namespace posenc::testing {
namespace {

using Code = absl::StatusCode;

// Sends bytes as an Encode request, whatever they are.
grpc::Status SendRaw(const std::string& address, const std::string& bytes) {
  grpc::GenericStub stub(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  const auto call = stub.PrepareUnaryCall(
      &context, "/posenc.v1.PositionalEncoding/Encode", request, &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status;
}

class ErrorsTest : public ServedTest {
 protected:
  void SetUp() override {
    WriteNpy(tables_.File("words.npy"), {5, 4}, std::vector<float>(20, 1));
    WriteNpy(tables_.File("other.npy"), {3, 2}, std::vector<float>(6, 1));
    Serve({"--tables", tables_.path(), "--cache-bytes", "4MiB",
           "--max-message-bytes", "1MiB"});
  }

  absl::Status Encode(const TensorView& x, const EncodeOptions& options = {}) {
    return client_->Encode(x, options).status();
  }
  absl::Status Tokens(const std::vector<std::int32_t>& ids,
                      const std::string& table = "words") {
    return client_
        ->EncodeTokens(TensorView(std::span(ids), {1, ids.size()}),
                       {.embedding_table = table})
        .status();
  }

  // Embeddings of 2 × 3 × 4 zeros.
  TensorView Good() const { return {std::span(zeros_), {2, 3, 4}}; }

  TemporaryDirectory tables_;
  const std::vector<float> zeros_ = std::vector<float>(24);
};

TEST_F(ErrorsTest, MalformedMessages) {
  for (const std::string& bytes :
       {std::string("garbage"), std::string("\x72\xff\xff\xff\xff\x07", 6),
        std::string(1, '\0')}) {
    const grpc::Status status = SendRaw(server_->address(), bytes);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(),
                ::testing::HasSubstr("the message is no EncodeRequest"));
    EXPECT_THAT(status.error_details(),
                ::testing::HasSubstr("MALFORMED_MESSAGE"));
    ExpectGood();
  }
}

TEST_F(ErrorsTest, DModelMismatch) {
  ExpectError(Encode(Good(), {.encoding = {.d_model = 8}}),
              Code::kInvalidArgument, "D_MODEL_MISMATCH",
              "embeddings are [2,3,4] but encoding.d_model is 8");
}

TEST_F(ErrorsTest, PayloadShorterOrLongerThanItsShape) {
  ExpectError(Encode({std::span(zeros_), {2, 3, 5}}), Code::kInvalidArgument,
              "PAYLOAD_SIZE", "120 bytes, but the payload has 96");
  ExpectError(Encode({std::span(zeros_), {2, 3, 3}}), Code::kInvalidArgument,
              "PAYLOAD_SIZE", "72 bytes, but the payload has 96");
}

TEST_F(ErrorsTest, ShapesThatOverflow) {
  const std::uint64_t big = std::uint64_t{1} << 40;
  ExpectError(Encode({std::span(zeros_), {big, big, 4}}),
              Code::kInvalidArgument, "SHAPE_OVERFLOW", "2^64 bytes");
}

TEST_F(ErrorsTest, ZeroDimensions) {
  const std::span<const float> none;
  for (const Shape& shape : {Shape{0, 3, 4}, Shape{2, 0, 4}, Shape{2, 3, 0}}) {
    ExpectError(Encode({none, shape}), Code::kInvalidArgument,
                "EMPTY_DIMENSION", "no dimension may be 0");
  }
}

TEST_F(ErrorsTest, RanksThatAreGuessesElsewhere) {
  ExpectError(Encode({std::span(zeros_), {6, 4}}), Code::kInvalidArgument,
              "RANK", "[6,4], which has 2 dimensions");
  ExpectError(Encode({std::span(zeros_), {1, 2, 3, 4}}), Code::kInvalidArgument,
              "RANK", "which has 4 dimensions");
}

TEST_F(ErrorsTest, TokenIdsOutsideTheTable) {
  ExpectError(Tokens({0, -1}), Code::kOutOfRange, "TOKEN_ID_OUTSIDE_TABLE",
              "token id -1 at [0,1] is outside embedding table 'words', which "
              "has rows 0 to 4");
  ExpectError(Tokens({5}), Code::kOutOfRange, "TOKEN_ID_OUTSIDE_TABLE",
              "token id 5 at [0,0]");
}

TEST_F(ErrorsTest, UnknownNames) {
  ExpectError(
      Encode(Good(), {.encoding = {.profile = "torchbingo"}}),
      Code::kInvalidArgument, "UNKNOWN_PROFILE",
      "'torchbingo'; the known ones are alibi, annotated-transformer, ");
  ExpectError(Tokens({0}, "wards"), Code::kNotFound, "TABLE_NOT_FOUND",
              "'wards'");
  ExpectError(Encode(Good(), {.encoding = {.profile = "learned",
                                           .position_table = "nowhere"}}),
              Code::kNotFound, "TABLE_NOT_FOUND", "'nowhere'");
  ExpectError(Tokens({0}, ""), Code::kInvalidArgument, "TABLE_NAME_MISSING",
              "'other', 'words'");
}

TEST_F(ErrorsTest, PositionsOutsideACapOrATable) {
  ExpectError(Encode(Good(), {.encoding = {.max_positions = 2}}),
              Code::kOutOfRange, "POSITION_OVER_CAP",
              "position 2 of token 2 is outside encoding.max_positions, which "
              "allows 0 to 1");
  ExpectError(Encode(Good(), {.encoding = {.profile = "learned",
                                           .start = 3,
                                           .position_table = "words"}}),
              Code::kOutOfRange, "POSITION_OUTSIDE_TABLE",
              "position 2 of token 2 is outside the encoding, which has rows "
              "for positions -3 to 1");
}

TEST_F(ErrorsTest, NonFinitePositions) {
  const std::vector<double> values = {
      0, std::numeric_limits<double>::quiet_NaN(), 2};
  ExpectError(
      Encode(Good(),
             {.positions = {.values = TensorView(std::span(values), {3})}}),
      Code::kInvalidArgument, "NON_FINITE", "positions.values has nan");
}

TEST_F(ErrorsTest, RejectedOddDModel) {
  ExpectError(Encode({std::span(zeros_), {1, 8, 3}},
                     {.encoding = {.profile = "pytorch"}}),
              Code::kInvalidArgument, "ODD_D_MODEL", "d_model is 3");
}

TEST_F(ErrorsTest, GridsThatDoNotMultiplyToTheSequence) {
  ExpectError(Encode({std::span(zeros_), {1, 6, 4}},
                     {.encoding = {.profile = "hf-2d", .grid_sizes = {2, 4}}}),
              Code::kInvalidArgument, "GRID_MISMATCH", "8");
  ExpectError(Encode({std::span(zeros_), {1, 6, 4}},
                     {.encoding = {.profile = "hf-2d"}}),
              Code::kInvalidArgument, "GRID_SIZES_MISSING", "2 axes");
}

TEST_F(ErrorsTest, RotaryFieldsThatCannotBe) {
  const TensorView heads{std::span(zeros_), {1, 2, 3, 4}};
  const auto llama = [](EncodingSpec spec) {
    spec.profile = "llama";
    return EncodeOptions{.encoding = std::move(spec),
                         .batch_layout = BatchLayout::kHeadsSequence};
  };
  ExpectError(Encode(heads, llama({.rotary_dimension = 6})),
              Code::kInvalidArgument, "ROTARY_DIMENSION",
              "encoding.rotary_dimension is 6, but must be even, and 2 to the "
              "d_model of 4");
  for (const double factor :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity()}) {
    FrequencyScaling scaling;
    scaling.rule = FrequencyRule::kLinear;
    scaling.factor = factor;
    ExpectError(Encode(heads, llama({.frequency_scaling = scaling})),
                Code::kInvalidArgument, "FREQUENCY_SCALING",
                "encoding.frequency_scaling.factor is ");
  }
  FrequencyScaling longrope;
  longrope.rule = FrequencyRule::kLongrope;
  longrope.original_context = 4096;
  longrope.short_factors = {1, 2, 3};
  longrope.long_factors = {1, 2};
  ExpectError(Encode(heads, llama({.frequency_scaling = longrope})),
              Code::kInvalidArgument, "FREQUENCY_SCALING",
              "encoding.frequency_scaling.short_factors has 3");
}

TEST_F(ErrorsTest, BiasesAreNotEncoded) {
  ExpectError(Encode(Good(), {.encoding = {.profile = "alibi"}}),
              Code::kInvalidArgument, "NOT_ENCODABLE", "ALIBI");
}

TEST_F(ErrorsTest, PositionsThatFloat32CannotTellApart) {
  ExpectError(Encode(Good(), {.encoding = {.angle_precision =
                                               AnglePrecision::kFloat32Exp},
                              .positions = {.offset = 16777216}}),
              Code::kInvalidArgument, "POSITION_BEYOND_FLOAT32", "16777217");
}

TEST_F(ErrorsTest, MasksThatDoNotFit) {
  const std::vector<std::int64_t> ones = {1, 1};
  const std::vector<std::int64_t> twos = {1, 2, 1, 1, 1, 1};
  ExpectError(Encode(Good(), {.positions = {.attention_mask = TensorView(
                                                std::span(ones), {1, 2})}}),
              Code::kInvalidArgument, "MASK_SHAPE", "[1,2]");
  ExpectError(Encode(Good(), {.positions = {.attention_mask = TensorView(
                                                std::span(twos), {2, 3})}}),
              Code::kInvalidArgument, "MASK_VALUE", "2");
  ExpectError(Encode(Good(), {.positions = {.padding_id = 0}}),
              Code::kInvalidArgument, "CONTRADICTORY_FIELDS",
              "positions.padding_id is 0");
}

TEST_F(ErrorsTest, DropoutRatesThatCannotBe) {
  for (const double rate :
       {1.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
    ExpectError(Encode(Good(), {.dropout = Dropout{.rate = rate}}),
                Code::kInvalidArgument, "DROPOUT_RATE", "dropout.rate is ");
  }
}

TEST_F(ErrorsTest, DTypesThatAreNotSupported) {
  ExpectError(
      Encode({DType::kInt32, {2, 3, 4}, std::as_bytes(std::span(zeros_))}),
      Code::kInvalidArgument, "DTYPE", "embeddings are INT32");
  ExpectError(Encode(Good(), {.output_dtype = DType::kInt64}),
              Code::kInvalidArgument, "DTYPE", "output_dtype is INT64");
}

TEST_F(ErrorsTest, OverTheBudgetsAndLimits) {
  const std::vector<float> wide(2 * 8192);
  ExpectError(Encode({std::span(wide), {1, 2, 8192}}), Code::kResourceExhausted,
              "CACHE_BUDGET", "--cache-bytes");
  // 17 tokens of 4 bytes fit a request; the rows would not fit a response.
  ExpectError(Tokens(std::vector<std::int32_t>(70000)),
              Code::kResourceExhausted, "RESPONSE_TOO_LARGE",
              "which is 1120000 bytes, but a response holds at most 983040 "
              "(--max-message-bytes of the server)");
  const std::vector<float> large(300000);
  ExpectError(Encode({std::span(large), {1, 300, 1000}}),
              Code::kResourceExhausted, "", "--max-message-bytes");
}

TEST_F(ErrorsTest, AFileThatChangesUnderATable) {
  ASSERT_TRUE(Tokens({1}).ok());
  std::filesystem::resize_file(tables_.File("words.npy"), 10);
  const absl::Status status = Tokens({1});
  ExpectError(status, Code::kNotFound, "TABLE_CHANGED", "changed");
  EXPECT_TRUE(Tokens({1}, "other").ok());
}

TEST_F(ErrorsTest, AFileThatVanishesOrIsReplacedUnderATable) {
  std::filesystem::remove(tables_.File("words.npy"));
  EXPECT_TRUE(Tokens({1}).ok());
  WriteNpy(tables_.File("new.npy"), {1, 1}, {7});
  std::filesystem::rename(tables_.File("new.npy"), tables_.File("other.npy"));
  EXPECT_TRUE(Tokens({2}, "other").ok());
}

TEST_F(ErrorsTest, ACallerThatCancelsOrRunsOutOfTime) {
  const std::vector<float> x(200000);
  const auto cancelled =
      client_->Encode(TensorView(std::span(x), {1, 200, 1000}), {},
                      {.cancelled = [] { return true; }});
  EXPECT_EQ(cancelled.status().code(), Code::kCancelled);
  const auto late =
      client_->Encode(TensorView(std::span(x), {1, 200, 1000}), {},
                      {.timeout = std::chrono::milliseconds(0)});
  EXPECT_EQ(late.status().code(), Code::kDeadlineExceeded);
  ExpectGood();
}

TEST_F(ErrorsTest, ACallerThatDiesInTheMiddle) {
  const std::vector<float> x(200000);
  WriteNpy(tables_.File("x.npy.input"), {1, 200, 1000}, x);
  for (int n = 0; n < 10; ++n) {
    // Killed wherever it is just then.
    const OwnedFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    const Process dying({POSENC_COMMAND, "encode", tables_.File("x.npy.input"),
                         "--address", server_->address()},
                        null.get(), null.get());
    ExpectGood();
  }
  ExpectGood();
}

TEST_F(ErrorsTest, FailuresAreLoggedOnceAndNotWithoutEnd) {
  for (int n = 0; n < 1000; ++n) {
    EXPECT_FALSE(Encode(Good(), {.encoding = {.d_model = 8}}).ok());
  }
  const std::string log = server_->Log();
  const auto lines = std::count(log.begin(), log.end(), '\n');
  EXPECT_GT(lines, 0);
  EXPECT_LT(lines, 500) << "a caller that keeps failing fills the log";
  EXPECT_THAT(log, ::testing::HasSubstr(
                       "request failed method=Encode code=INVALID_ARGUMENT "
                       "reason=D_MODEL_MISMATCH"));
}

}  // namespace
}  // namespace posenc::testing
