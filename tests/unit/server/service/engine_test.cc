#include "server/service/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "tests/support/encode.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tensor_bytes.h"
#include "tests/support/true_values.h"

namespace posenc::server {
namespace {

using ::posenc::testing::Encode;
using ::posenc::testing::View;
using ::testing::HasSubstr;

constexpr std::uint64_t kMaxMessage = 4 * kMiB;

// An engine on the CPU with two tables: "words" [5,4] of 0, 1, 2, … and
// "places" [6,4] of 100, 101, ….
class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : device_(*MakeDevice("cpu", 64 * kMiB, workers_)) {
    std::vector<float> words(20), places(24);
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<float>(i);
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = 100 + static_cast<float>(i);
    }
    testing::WriteNpy(directory_.File("words.npy"), {5, 4}, words);
    testing::WriteNpy(directory_.File("places.npy"), {6, 4}, places);
    tables_ = *EmbeddingStore::Open(directory_.path(), *device_);
    cache_ = std::make_unique<TableCache>(*device_, 16 * kMiB, workers_);
    engine_ = MakeEngine(*device_, *tables_, *cache_, {kMaxMessage});
  }

  // Fails with that code, reason and message, and leaves the engine well.
  void ExpectError(const EncodeRequest& request, absl::StatusCode code,
                   const std::string& reason, const std::string& message) {
    const auto response = Encode(*engine_, request);
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.status().code(), code) << response.status();
    EXPECT_EQ(ReasonOf(response.status()), reason);
    EXPECT_THAT(std::string(response.status().message()), HasSubstr(message));
    const std::vector<float> one = {2};
    const auto next =
        Encode(*engine_, {.embeddings = View(DType::kFloat32, {1, 1, 1}, one)});
    ASSERT_TRUE(next.ok()) << next.status();
    EXPECT_EQ(Floats(*next)[0], 2);
  }

  static std::vector<float> Floats(const testing::Encoded& response) {
    std::vector<float> values(response.output.bytes().size() / sizeof(float));
    std::memcpy(values.data(), response.output.bytes().data(),
                response.output.bytes().size());
    return values;
  }

  testing::TemporaryDirectory directory_;
  WorkerPool workers_{2};
  std::unique_ptr<Device> device_;
  std::unique_ptr<EmbeddingStore> tables_;
  std::unique_ptr<TableCache> cache_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, AddsTheEncodingToEmbeddings) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const auto response =
      Encode(*engine_, {.embeddings = View(DType::kFloat32, {1, 3, 2}, x)});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->plan.encoding.profile, "torchlingo");
  EXPECT_EQ(response->plan.encoding.d_model, 2u);
  EXPECT_EQ(response->plan.embedding_scale, 1);
  EXPECT_EQ(response->plan.shape, (Shape{1, 3, 2}));
  const std::vector<float> y = Floats(*response);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto position = static_cast<double>(p);
    EXPECT_EQ(y[2 * p], static_cast<float>(x[2 * p] + std::sin(position)));
    EXPECT_EQ(y[2 * p + 1],
              static_cast<float>(x[2 * p + 1] + std::cos(position)));
  }
}

TEST_F(EngineTest, PutsTheOutputInThePlaceOfTheInputIfItFits) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  EncodeRequest request{.embeddings = View(DType::kFloat32, {1, 3, 2}, x)};
  const auto expected = Encode(*engine_, request);
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::vector<float> mine = x;
  const Segment payload(std::as_bytes(std::span(mine)));
  const auto output =
      engine_->Run(expected->plan, Segments(&payload, 1), Overwrite::kIfItFits);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_TRUE(output->bytes().empty());
  EXPECT_EQ(mine, Floats(*expected));
  // A smaller type has no room there: the input stays as it was.
  request.output_dtype = DType::kBFloat16;
  const auto narrow = engine_->Plan(request);
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  mine = x;
  const auto apart =
      engine_->Run(*narrow, Segments(&payload, 1), Overwrite::kIfItFits);
  ASSERT_TRUE(apart.ok()) << apart.status();
  EXPECT_EQ(apart->bytes().size(), 12u);
  EXPECT_EQ(mine, x);
}

TEST_F(EngineTest, APlanOutlivesTheEvictionOfItsTable) {
  const std::vector<float> x(8, 0.5f);
  const auto first =
      Encode(*engine_, {.embeddings = View(DType::kFloat32, {1, 2, 4}, x)});
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(engine_->EvictCache(std::nullopt).ok());
  const Segment payload(std::as_bytes(std::span(x)));
  auto output =
      engine_->Run(first->plan, Segments(&payload, 1), Overwrite::kNever);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(Floats({first->plan, *std::move(output)}), Floats(*first));
  EXPECT_EQ(engine_->ListCache().stats.chunks_built, 2u);
}

TEST_F(EngineTest, LooksTokenIdsUpAndScalesThem) {
  const std::vector<std::int32_t> ids = {4, 0};
  const auto response =
      Encode(*engine_, {.embedding_table = "words",
                        .token_ids = View(DType::kInt32, {1, 2}, ids)});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->plan.embedding_scale, 2);  // √4
  EXPECT_EQ(response->plan.table->name, "words");
  EXPECT_FALSE(response->plan.table->version.empty());
  const std::vector<float> y = Floats(*response);
  EXPECT_EQ(y[0], 32);  // 16 * 2 + sin 0
  EXPECT_EQ(y[1], 35);  // 17 * 2 + cos 0
  EXPECT_EQ(y[4], static_cast<float>(std::sin(1.0)));
  EXPECT_EQ(y[5], static_cast<float>(2 + std::cos(1.0)));
}

TEST_F(EngineTest, AddsRowsOfALearnedTable) {
  const std::vector<std::int64_t> ids = {1, 1};
  const auto response =
      Encode(*engine_, {.encoding = {.profile = "learned",
                                     .start = 2,
                                     .position_table = "places"},
                        .embedding_table = "words",
                        .token_ids = View(DType::kInt64, {1, 2}, ids)});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->plan.embedding_scale, 1);
  const std::vector<float> y = Floats(*response);
  EXPECT_EQ(y[0], 4 + 108);
  EXPECT_EQ(y[4], 4 + 112);
}

TEST_F(EngineTest, RefusesPositionsOutsideALearnedTable) {
  const std::vector<std::int64_t> ids = {1, 1};
  ExpectError({.encoding = {.profile = "learned",
                            .start = 2,
                            .position_table = "places"},
               .positions = {.offset = 3},
               .embedding_table = "words",
               .token_ids = View(DType::kInt64, {1, 2}, ids)},
              absl::StatusCode::kOutOfRange, "POSITION_OUTSIDE_TABLE",
              "position 4 of token 1 is outside the encoding, which has rows "
              "for positions -2 to 3");
  const std::vector<double> half = {0, 0.5};
  ExpectError({.encoding = {.profile = "learned", .position_table = "places"},
               .positions = {.scheme = PositionFields::Scheme::kValues,
                             .tensor = View(DType::kFloat64, {2}, half)},
               .embedding_table = "words",
               .token_ids = View(DType::kInt64, {1, 2}, ids)},
              absl::StatusCode::kInvalidArgument, "FRACTIONAL_POSITION",
              "position 0.5");
}

TEST_F(EngineTest, RefusesBadInputs) {
  const std::vector<float> x(8);
  const std::vector<std::int32_t> ids = {0, 1, 4, 5};
  const TensorView embeddings = View(DType::kFloat32, {1, 2, 4}, x);
  const TensorView good_ids = View(DType::kInt32, {2, 2}, ids);
  const auto invalid = absl::StatusCode::kInvalidArgument;
  ExpectError({}, invalid, "INPUT_MISSING", "neither");
  ExpectError({.embeddings = embeddings, .token_ids = good_ids}, invalid,
              "CONTRADICTORY_FIELDS", "both set");
  ExpectError({.encoding = {.d_model = 8}, .embeddings = embeddings}, invalid,
              "D_MODEL_MISMATCH",
              "embeddings are [1,2,4] but encoding.d_model is 8");
  ExpectError({.embeddings = View(DType::kFloat32, {2, 4}, x)}, invalid, "RANK",
              "must be [batch, sequence, d_model], which has 3");
  ExpectError({.embeddings = View(DType::kFloat32, {1, 2, 5}, x)}, invalid,
              "PAYLOAD_SIZE", "40 bytes, but the payload has 32");
  ExpectError({.embeddings = View(DType::kFloat32, {0, 2, 4}, x)}, invalid,
              "EMPTY_DIMENSION", "[0,2,4]");
  ExpectError({.embeddings = View(DType::kInt32, {1, 2, 4}, x)}, invalid,
              "DTYPE", "embeddings are INT32");
  ExpectError({.output_dtype = DType::kInt64, .embeddings = embeddings},
              invalid, "DTYPE", "output_dtype is INT64");
  ExpectError({.embedding_table = "words",
               .token_ids = View(DType::kFloat32, {2, 2}, ids)},
              invalid, "DTYPE", "token_ids are FLOAT32");
  ExpectError({.embedding_table = "words", .token_ids = good_ids},
              absl::StatusCode::kOutOfRange, "TOKEN_ID_OUTSIDE_TABLE",
              "token id 5 at [1,1] is outside embedding table 'words', which "
              "has rows 0 to 4");
  const std::vector<std::int32_t> negative = {0, -1};
  ExpectError({.embedding_table = "words",
               .token_ids = View(DType::kInt32, {1, 2}, negative)},
              absl::StatusCode::kOutOfRange, "TOKEN_ID_OUTSIDE_TABLE",
              "token id -1 at [0,1]");
  ExpectError({.embedding_table = "nope", .token_ids = good_ids},
              absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "'nope'");
}

TEST_F(EngineTest, RefusesOutputsOverTheMessageLimit) {
  const std::vector<std::int32_t> ids(kMaxMessage / 16);
  ExpectError({.embedding_table = "words",
               .token_ids = View(DType::kInt32, {1, ids.size()}, ids)},
              absl::StatusCode::kResourceExhausted, "RESPONSE_TOO_LARGE",
              "which is 4194304 bytes, but a response holds at most 4128768 "
              "(--max-message-bytes of the server)");
}

TEST_F(EngineTest, RefusesRowsOverTheCacheBudget) {
  const std::vector<std::uint16_t> x(64 * 8192);
  // A chunk of 256 rows of 8192 doubles is 16 MiB: with the encoding's own
  // seeds it is over the budget.
  ExpectError({.embeddings = View(DType::kFloat16, {1, 64, 8192}, x)},
              absl::StatusCode::kResourceExhausted, "CACHE_BUDGET",
              "--cache-bytes");
}

TEST_F(EngineTest, LongRequestsGoInPiecesAndGiveTheSameBits) {
  // 30 000 positions of 16 doubles fit no tenth of the cache.
  const std::vector<float> x(30000 * 16, 0.25f);
  for (const auto layout :
       {BatchLayout::kBatchFirst, BatchLayout::kSequenceFirst}) {
    const auto all = Encode(
        *engine_, {.layout = layout,
                   .embeddings = View(DType::kFloat32, {2, 15000, 16}, x)});
    ASSERT_TRUE(all.ok()) << all.status();
    const std::vector<float> y = Floats(*all);
    for (const std::uint64_t s : {0, 1, 1023, 1024, 14999}) {
      const bool batch_first = layout == BatchLayout::kBatchFirst;
      const std::vector<float> one(16, 0.25f);
      const auto alone = Encode(
          *engine_,
          {.positions = {.offset = batch_first ? static_cast<std::int64_t>(s)
                                               : std::int64_t{1}},
           .embeddings = View(DType::kFloat32, {1, 1, 16}, one)});
      ASSERT_TRUE(alone.ok()) << alone.status();
      const auto at = (15000 + static_cast<std::ptrdiff_t>(s)) * 16;
      EXPECT_EQ(Floats(*alone),
                std::vector<float>(y.begin() + at, y.begin() + at + 16));
    }
  }
}

TEST_F(EngineTest, HonoursTheLayoutAndPackedBatches) {
  const std::vector<float> x(12);
  const auto sequence_first =
      Encode(*engine_, {.layout = BatchLayout::kSequenceFirst,
                        .embeddings = View(DType::kFloat32, {3, 2, 2}, x)});
  ASSERT_TRUE(sequence_first.ok()) << sequence_first.status();
  const std::vector<float> y = Floats(*sequence_first);
  EXPECT_EQ(y[0], y[2]);  // both sequences' position 0
  EXPECT_EQ(y[8], static_cast<float>(std::sin(2.0)));
  const std::vector<std::int32_t> lengths = {4, 2};
  const auto packed = Encode(
      *engine_, {.positions = {.scheme = PositionFields::Scheme::kPackedLengths,
                               .tensor = View(DType::kInt32, {2}, lengths)},
                 .embeddings = View(DType::kFloat32, {6, 2}, x)});
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ(packed->plan.shape, (Shape{6, 2}));
  EXPECT_EQ(Floats(*packed)[6], static_cast<float>(std::sin(3.0)));
  EXPECT_EQ(Floats(*packed)[8], 0);
}

TEST_F(EngineTest, StreamsRowsOfAnEncodingInPieces) {
  std::uint64_t rows = 0, pieces = 0;
  std::vector<float> last;
  std::string profile;
  const absl::Status status = engine_->GetEncoding(
      {.encoding = {.d_model = 1024},
       .first_position = -1000,
       .position_count = 3000},
      [&](const EncodingSpec& spec) { profile = spec.profile; },
      [&](const RowsPiece& piece) {
        EXPECT_LE(piece.data.size(), kStreamPieceBytes);
        rows += piece.rows;
        ++pieces;
        last.resize(1024);
        std::memcpy(last.data(), piece.data.data() + piece.data.size() - 4096,
                    4096);
        return true;
      });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(profile, "torchlingo");
  EXPECT_EQ(rows, 3000u);
  EXPECT_EQ(pieces, 3u);  // 1008 rows each: a message's limit, less its header
  EXPECT_EQ(last[0], static_cast<float>(std::sin(1999.0)));
}

TEST_F(EngineTest, StopsStreamingWhenTheCallerGoesAway) {
  int pieces = 0;
  const absl::Status status = engine_->GetEncoding(
      {.encoding = {.d_model = 1024}, .position_count = 1000000},
      [](const EncodingSpec&) {},
      [&](const RowsPiece&) { return ++pieces < 2; });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(pieces, 2);
}

TEST_F(EngineTest, RefusesRangesOfRowsThatCannotBe) {
  const auto get = [&](const GetEncodingRequest& request) {
    return engine_->GetEncoding(
        request, [](const EncodingSpec&) {},
        [](const RowsPiece&) { return true; });
  };
  EXPECT_EQ(get({.encoding = {.d_model = 4}}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(get({.encoding = {.d_model = 4},
                 .first_position = kMaxPosition,
                 .position_count = 2})
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(get({.position_count = 1}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(EngineTest, DescribesAnEncoding) {
  const auto description =
      engine_->DescribeEncoding({.encoding = {.d_model = 8}});
  ASSERT_TRUE(description.ok()) << description.status();
  EXPECT_EQ(description->frequencies,
            (std::vector<double>{1, 0.1, 0.01, 0.001}));
  EXPECT_EQ(description->max_error, 0x1p-25 + 1e-15);
  EXPECT_EQ(description->positions_searched, kDefaultCollisionSearch);
  const auto refused = engine_->DescribeEncoding(
      {.encoding = {.d_model = 8},
       .collision_search_positions = kMaxCollisionSearch + 1});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(EngineTest, WarmsListsAndEvicts) {
  const auto warmed = engine_->WarmCache({.encoding = {.d_model = 4},
                                          .first_position = -1,
                                          .position_count = 258});
  ASSERT_TRUE(warmed.ok()) << warmed.status();
  EXPECT_EQ(warmed->chunks_built, 3u);
  EXPECT_EQ(warmed->chunks_found, 0u);
  ASSERT_EQ(engine_->ListCache().stats.entries.size(), 1u);
  const auto too_much = engine_->WarmCache(
      {.encoding = {.d_model = 4}, .position_count = 1000000});
  EXPECT_EQ(too_much.status().code(), absl::StatusCode::kResourceExhausted);
  const auto evicted = engine_->EvictCache(SpecFields{.d_model = 4});
  ASSERT_TRUE(evicted.ok());
  EXPECT_EQ(evicted->chunks, 3u);
  EXPECT_TRUE(engine_->ListCache().stats.entries.empty());
}

TEST_F(EngineTest, ReadsTablesBack) {
  std::vector<float> rows;
  const auto sink = [&](const RowsPiece& piece) {
    const auto* values = reinterpret_cast<const float*>(piece.data.data());
    rows.assign(values, values + piece.rows * piece.width);
    return true;
  };
  const auto start = [](const EmbeddingTable&) {};
  ASSERT_TRUE(engine_
                  ->GetTable({.name = "words", .first_row = 3, .row_count = 1},
                             start, sink)
                  .ok());
  EXPECT_EQ(rows, (std::vector<float>{12, 13, 14, 15}));
  EXPECT_EQ(
      engine_->GetTable({.name = "words", .first_row = 5}, start, sink).code(),
      absl::StatusCode::kOutOfRange);
  EXPECT_EQ(engine_
                ->GetTable({.name = "words", .first_row = 4, .row_count = 2},
                           start, sink)
                .code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(engine_->GetTable({.name = "x"}, start, sink).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(EngineTest, ConcurrentCallersBuildEachChunkOnceAndAgree) {
  constexpr std::size_t kThreads = 32;
  constexpr std::size_t kSpecs = 8;
  const std::vector<float> x(300 * 16, 0.5f);
  const auto encode = [&](std::size_t i) {
    return Encode(*engine_,
                  {.encoding = {.base = 100 + static_cast<double>(i % kSpecs)},
                   .embeddings = View(DType::kFloat32, {1, 300, 16}, x)});
  };
  std::vector<std::vector<float>> results(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto response = encode(i);
      ASSERT_TRUE(response.ok()) << response.status();
      results[i] = Floats(*response);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(engine_->ListCache().stats.chunks_built, kSpecs * 2);
  ASSERT_TRUE(engine_->EvictCache(std::nullopt).ok());
  for (std::size_t i = 0; i < kThreads; ++i) {
    const auto alone = encode(i);
    ASSERT_TRUE(alone.ok());
    EXPECT_EQ(results[i], Floats(*alone));
  }
}

}  // namespace
}  // namespace posenc::server
