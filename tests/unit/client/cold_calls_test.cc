// All other methods over a real connection.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/client/connected_test.h"

namespace posenc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using EncodingWriter = grpc::ServerWriter<v1::GetEncodingResponse>;
using TableWriter = grpc::ServerWriter<v1::GetEmbeddingTableResponse>;

// [rows, 2] of FLOAT32: first, first + 1, …
v1::Tensor Rows(std::uint64_t rows, float first) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < 2 * rows; ++i) {
    values.push_back(first + static_cast<float>(i));
  }
  v1::Tensor tensor;
  tensor.set_dtype(v1::FLOAT32);
  tensor.add_shape(rows);
  tensor.add_shape(2);
  tensor.set_data(values.data(), values.size() * sizeof(float));
  return tensor;
}

v1::GetEncodingResponse EncodingPiece(const v1::Tensor& rows) {
  v1::GetEncodingResponse piece;
  *piece.mutable_rows() = rows;
  return piece;
}

v1::GetEncodingResponse FirstEncodingPiece(const v1::Tensor& rows) {
  v1::GetEncodingResponse piece = EncodingPiece(rows);
  piece.mutable_encoding()->set_profile("torchlingo");
  piece.mutable_encoding()->set_d_model(2);
  return piece;
}

GetEncodingParams ThreeRows() {
  GetEncodingParams params;
  params.encoding.d_model = 2;
  params.first_position = -1;
  params.position_count = 3;
  return params;
}

template <typename Result>
void ExpectInternal(const absl::StatusOr<Result>& result,
                    const std::string& text) {
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr(text));
}

class ColdCallsTest : public ConnectedTest {
 protected:
  void AnswerEncoding(std::vector<v1::GetEncodingResponse> pieces) {
    EXPECT_CALL(server_.encoding, GetEncoding)
        .WillOnce([pieces](auto, auto, EncodingWriter* writer) {
          for (const auto& piece : pieces) {
            if (!writer->Write(piece)) break;
          }
          return grpc::Status::OK;
        });
  }

  void AnswerTable(std::vector<v1::GetEmbeddingTableResponse> pieces) {
    EXPECT_CALL(server_.tables, Get)
        .WillOnce([pieces](auto, auto, TableWriter* writer) {
          for (const auto& piece : pieces) {
            if (!writer->Write(piece)) break;
          }
          return grpc::Status::OK;
        });
  }

  Client client_ = Connect();
};

TEST_F(ColdCallsTest, GetEncodingPutsThePiecesTogether) {
  v1::GetEncodingRequest request;
  EXPECT_CALL(server_.encoding, GetEncoding)
      .WillOnce(
          [&](auto, const v1::GetEncodingRequest* got, EncodingWriter* writer) {
            request = *got;
            writer->Write(FirstEncodingPiece(Rows(1, 0)));
            writer->Write(EncodingPiece(Rows(2, 2)));
            return grpc::Status::OK;
          });
  std::vector<std::pair<std::uint64_t, std::uint64_t>> progress;
  GetEncodingParams params = ThreeRows();
  params.call.progress = [&](std::uint64_t bytes, std::uint64_t total) {
    progress.emplace_back(bytes, total);
  };
  const auto result = client_.GetEncoding(params);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(request.encoding().d_model(), 2u);
  EXPECT_EQ(request.first_position(), -1);
  EXPECT_EQ(request.position_count(), 3u);
  EXPECT_EQ(request.dtype(), v1::FLOAT32);
  EXPECT_FALSE(request.has_positions());
  EXPECT_EQ(result->encoding.profile, "torchlingo");
  EXPECT_THAT(result->rows.shape(), ElementsAre(3, 2));
  EXPECT_THAT(result->rows.values<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(progress, ElementsAre(Pair(8, 24), Pair(24, 24)));
}

TEST_F(ColdCallsTest, GetEncodingAtGivenPositions) {
  EXPECT_CALL(server_.encoding, GetEncoding)
      .WillOnce([&](auto, const v1::GetEncodingRequest* request,
                    EncodingWriter* writer) {
        EXPECT_EQ(request->positions().dtype(), v1::FLOAT64);
        writer->Write(FirstEncodingPiece(Rows(2, 0)));
        return grpc::Status::OK;
      });
  const std::vector<double> positions = {0.5, -3};
  GetEncodingParams params;
  params.encoding.d_model = 2;
  params.positions = TensorView(std::span(positions), {2});
  const auto result = client_.GetEncoding(params);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->rows.shape(), ElementsAre(2, 2));
}

TEST_F(ColdCallsTest, GetEncodingRefusesWhatDoesNotFit) {
  const v1::GetEncodingResponse first = FirstEncodingPiece(Rows(1, 0));
  v1::GetEncodingResponse wider = first;
  wider.mutable_encoding()->set_d_model(1u << 31);
  v1::Tensor flat = Rows(1, 0);
  flat.mutable_shape()->RemoveLast();
  v1::Tensor doubles = Rows(1, 0);
  doubles.set_dtype(v1::FLOAT64);
  v1::Tensor shorter = Rows(1, 0);
  shorter.set_data("1234567");
  v1::Tensor narrow = Rows(1, 0);
  narrow.set_shape(0, 2);
  narrow.set_shape(1, 1);
  const std::pair<std::vector<v1::GetEncodingResponse>, const char*> cases[] = {
      {{}, "without a message"},
      {{wider}, "d_model 2147483648 where d_model 2 was asked for"},
      {{first}, "8 bytes of the 24"},
      {{first, EncodingPiece(Rows(3, 0))}, "24 bytes where 16 bytes"},
      {{first, EncodingPiece(flat)}, "FLOAT32 [1] in 8 bytes"},
      {{first, EncodingPiece(doubles)}, "FLOAT64 [1,2] in 8 bytes"},
      {{first, EncodingPiece(shorter)}, "FLOAT32 [1,2] in 7 bytes"},
      {{first, EncodingPiece(narrow)}, "FLOAT32 [2,1] in 8 bytes"},
  };
  for (const auto& [pieces, text] : cases) {
    SCOPED_TRACE(text);
    AnswerEncoding(pieces);
    ExpectInternal(client_.GetEncoding(ThreeRows()), text);
  }
  AnswerEncoding({FirstEncodingPiece(Rows(3, 0))});
  EXPECT_TRUE(client_.GetEncoding(ThreeRows()).ok());
}

TEST_F(ColdCallsTest, RowsThatNoMemoryHoldsAreAnError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends the process instead of throwing";
#endif
  AnswerEncoding({FirstEncodingPiece(Rows(1, 0))});
  GetEncodingParams params = ThreeRows();
  params.position_count = std::uint64_t{1} << 50;
  const auto result = client_.GetEncoding(params);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(result.status().message(),
            "there is no memory for a tensor of 9007199254740992 bytes");
}

TEST_F(ColdCallsTest, RowsWhoseBytesOverflowAreAnError) {
  AnswerEncoding({FirstEncodingPiece(Rows(1, 0))});
  GetEncodingParams params = ThreeRows();
  params.position_count = std::uint64_t{1} << 62;
  ExpectInternal(client_.GetEncoding(params), "no possible tensor");
}

TEST_F(ColdCallsTest, GetEncodingCancelledBetweenPieces) {
  EXPECT_CALL(server_.encoding, GetEncoding)
      .WillOnce([wait = WaitForEnd()](auto, auto, EncodingWriter* writer) {
        writer->Write(FirstEncodingPiece(Rows(1, 0)));
        return wait();
      });
  bool stop = false;
  GetEncodingParams params = ThreeRows();
  params.call.progress = [&](auto, auto) { stop = true; };
  params.call.cancelled = [&] { return stop; };
  EXPECT_EQ(client_.GetEncoding(params).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_F(ColdCallsTest, GetEncodingPassesOnTheServersError) {
  EXPECT_CALL(server_.encoding, GetEncoding)
      .WillOnce([](auto, auto, EncodingWriter* writer) {
        writer->Write(FirstEncodingPiece(Rows(1, 0)));
        return grpc::Status(grpc::StatusCode::OUT_OF_RANGE, "row 2 of 2");
      });
  const auto result = client_.GetEncoding(ThreeRows());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(result.status().message(), "row 2 of 2");
}

v1::GetEmbeddingTableResponse TablePiece(const v1::Tensor& rows) {
  v1::GetEmbeddingTableResponse piece;
  *piece.mutable_rows() = rows;
  return piece;
}

v1::GetEmbeddingTableResponse TableOfFour() {
  v1::GetEmbeddingTableResponse piece;
  v1::EmbeddingTable& table = *piece.mutable_table();
  table.set_name("words");
  table.set_version("v1");
  table.set_dtype(v1::FLOAT32);
  table.set_rows(4);
  table.set_d_model(2);
  table.set_bytes(32);
  return piece;
}

TEST_F(ColdCallsTest, GetTableFromARowToTheEnd) {
  v1::GetEmbeddingTableRequest request;
  EXPECT_CALL(server_.tables, Get)
      .WillOnce([&](auto, const v1::GetEmbeddingTableRequest* got,
                    TableWriter* writer) {
        request = *got;
        v1::GetEmbeddingTableResponse first = TableOfFour();
        *first.mutable_rows() = Rows(2, 0);
        writer->Write(first);
        writer->Write(TablePiece(Rows(1, 4)));
        return grpc::Status::OK;
      });
  GetTableParams params;
  params.name = "words";
  params.first_row = 1;
  const auto result = client_.GetTable(params);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(request.name(), "words");
  EXPECT_EQ(request.first_row(), 1u);
  EXPECT_FALSE(request.has_row_count());
  EXPECT_EQ(result->table.name, "words");
  EXPECT_EQ(result->table.version, "v1");
  EXPECT_EQ(result->table.rows, 4u);
  EXPECT_EQ(result->table.bytes, 32u);
  EXPECT_THAT(result->rows.shape(), ElementsAre(3, 2));
  EXPECT_THAT(result->rows.values<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(ColdCallsTest, GetTableWithoutRows) {
  AnswerTable({TableOfFour()});
  GetTableParams params;
  params.row_count = 0;
  const auto result = client_.GetTable(params);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->table.rows, 4u);
  EXPECT_THAT(result->rows.shape(), ElementsAre(0, 2));
}

TEST_F(ColdCallsTest, GetTableRefusesWhatDoesNotFit) {
  GetTableParams params;
  params.first_row = 5;
  AnswerTable({TableOfFour()});
  ExpectInternal(client_.GetTable(params), "says has 4 rows");
  params.first_row = 0;
  AnswerTable({TableOfFour(), TablePiece(Rows(5, 0))});
  ExpectInternal(client_.GetTable(params), "40 bytes where 32 bytes");
  AnswerTable({TableOfFour(), TablePiece(Rows(3, 0))});
  ExpectInternal(client_.GetTable(params), "24 bytes of the 32");
  AnswerTable({});
  ExpectInternal(client_.GetTable(params), "without a message");
}

TEST_F(ColdCallsTest, ListTablesReadsEveryPage) {
  EXPECT_CALL(server_.tables, List)
      .Times(2)
      .WillRepeatedly([](auto, const v1::ListEmbeddingTablesRequest* request,
                         v1::ListEmbeddingTablesResponse* response) {
        const bool first = request->page_token().empty();
        response->add_tables()->set_name(first ? "a" : "b");
        if (first) response->set_next_page_token("2");
        return grpc::Status::OK;
      });
  const auto tables = client_.ListTables();
  ASSERT_TRUE(tables.ok()) << tables.status();
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ((*tables)[0].name, "a");
  EXPECT_EQ((*tables)[1].name, "b");
}

TEST_F(ColdCallsTest, DescribeEncoding) {
  EXPECT_CALL(server_.encoding, DescribeEncoding)
      .WillOnce([](auto, const v1::DescribeEncodingRequest* request,
                   v1::DescribeEncodingResponse* response) {
        EXPECT_EQ(request->dtype(), v1::BFLOAT16);
        EXPECT_EQ(request->collision_search_positions(), 0u);
        EXPECT_TRUE(request->has_collision_search_positions());
        *response->mutable_encoding() = request->encoding();
        response->set_operation("add");
        response->add_frequencies(1);
        response->add_wavelengths(6.25);
        response->set_max_error(0.5);
        response->set_dtype(v1::BFLOAT16);
        response->set_positions_searched(10);
        response->set_first_collision(8);
        response->set_collides_with(0);
        response->set_first_position(-9);
        response->set_last_position(9);
        response->set_attention_factor(1.25);
        response->set_float32_difference(0.125);
        response->set_float32_positions(7);
        return grpc::Status::OK;
      });
  DescribeEncodingParams params;
  params.encoding.d_model = 2;
  params.dtype = DType::kBFloat16;
  params.collision_search_positions = 0;
  const auto description = client_.DescribeEncoding(params);
  ASSERT_TRUE(description.ok()) << description.status();
  EXPECT_EQ(description->encoding.d_model, 2u);
  EXPECT_EQ(description->operation, "add");
  EXPECT_THAT(description->frequencies, ElementsAre(1));
  EXPECT_THAT(description->wavelengths, ElementsAre(6.25));
  EXPECT_EQ(description->max_error, 0.5);
  EXPECT_EQ(description->dtype, DType::kBFloat16);
  EXPECT_EQ(description->positions_searched, 10u);
  EXPECT_EQ(description->first_collision, 8u);
  EXPECT_EQ(description->collides_with, 0u);
  EXPECT_EQ(description->first_position, -9);
  EXPECT_EQ(description->last_position, 9);
  EXPECT_EQ(description->attention_factor, 1.25);
  EXPECT_EQ(description->float32_difference, 0.125);
  EXPECT_EQ(description->float32_positions, 7u);
}

TEST_F(ColdCallsTest, ListProfiles) {
  EXPECT_CALL(server_.encoding, ListProfiles)
      .WillOnce([](auto, auto, v1::ListProfilesResponse* response) {
        v1::Profile& profile = *response->add_profiles();
        profile.set_name("a");
        profile.set_library("b");
        profile.set_symbol("c");
        profile.set_checked_version("1.2");
        profile.mutable_encoding()->set_base(500);
        return grpc::Status::OK;
      });
  const auto profiles = client_.ListProfiles();
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  ASSERT_EQ(profiles->size(), 1u);
  EXPECT_EQ((*profiles)[0].name, "a");
  EXPECT_EQ((*profiles)[0].library, "b");
  EXPECT_EQ((*profiles)[0].symbol, "c");
  EXPECT_EQ((*profiles)[0].checked_version, "1.2");
  EXPECT_EQ((*profiles)[0].encoding.base, 500);
}

TEST_F(ColdCallsTest, ListCache) {
  EXPECT_CALL(server_.cache, List)
      .WillOnce([](auto, auto, v1::ListEncodingCacheResponse* response) {
        v1::CachedEncoding& cached = *response->add_encodings();
        cached.mutable_encoding()->set_d_model(2);
        cached.set_chunks(1);
        cached.set_bytes(2);
        cached.set_chunks_built(3);
        cached.set_hits(4);
        response->set_bytes(5);
        response->set_capacity_bytes(6);
        response->set_hits(7);
        response->set_chunks_built(8);
        response->set_chunks_evicted(9);
        response->set_device("cpu, AVX2");
        response->set_server_version("0.1.0");
        return grpc::Status::OK;
      });
  const auto listing = client_.ListCache();
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_EQ(listing->encodings.size(), 1u);
  EXPECT_EQ(listing->encodings[0].encoding.d_model, 2u);
  EXPECT_EQ(listing->encodings[0].chunks, 1u);
  EXPECT_EQ(listing->encodings[0].bytes, 2u);
  EXPECT_EQ(listing->encodings[0].chunks_built, 3u);
  EXPECT_EQ(listing->encodings[0].hits, 4u);
  EXPECT_EQ(listing->bytes, 5u);
  EXPECT_EQ(listing->capacity_bytes, 6u);
  EXPECT_EQ(listing->hits, 7u);
  EXPECT_EQ(listing->chunks_built, 8u);
  EXPECT_EQ(listing->chunks_evicted, 9u);
  EXPECT_EQ(listing->device, "cpu, AVX2");
  EXPECT_EQ(listing->server_version, "0.1.0");
}

TEST_F(ColdCallsTest, WarmCache) {
  EXPECT_CALL(server_.cache, Warm)
      .WillOnce([](auto, const v1::WarmEncodingCacheRequest* request,
                   v1::WarmEncodingCacheResponse* response) {
        *response->mutable_encoding() = request->encoding();
        EXPECT_EQ(request->first_position(), -5);
        EXPECT_EQ(request->position_count(), 6u);
        response->set_chunks_built(1);
        response->set_chunks_found(2);
        return grpc::Status::OK;
      });
  WarmCacheParams params;
  params.encoding.d_model = 2;
  params.first_position = -5;
  params.position_count = 6;
  const auto result = client_.WarmCache(params);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->encoding.d_model, 2u);
  EXPECT_EQ(result->chunks_built, 1u);
  EXPECT_EQ(result->chunks_found, 2u);
}

TEST_F(ColdCallsTest, EvictCacheOfOneAndOfAll) {
  EXPECT_CALL(server_.cache, Evict)
      .Times(2)
      .WillRepeatedly([](auto, const v1::EvictEncodingCacheRequest* request,
                         v1::EvictEncodingCacheResponse* response) {
        response->set_chunks(request->has_encoding() ? 1 : 10);
        response->set_bytes(5);
        return grpc::Status::OK;
      });
  EvictCacheParams params;
  EXPECT_EQ(client_.EvictCache(params)->chunks, 10u);
  params.encoding.emplace();
  EXPECT_EQ(client_.EvictCache(params)->chunks, 1u);
}

TEST_F(ColdCallsTest, CheckHealth) {
  const auto serving = client_.CheckHealth();
  ASSERT_TRUE(serving.ok()) << serving.status();
  EXPECT_EQ(*serving, Health::kServing);
  server_.server().GetHealthCheckService()->SetServingStatus(false);
  const auto draining = client_.CheckHealth();
  ASSERT_TRUE(draining.ok()) << draining.status();
  EXPECT_EQ(*draining, Health::kNotServing);
  server_.Stop();
  EXPECT_EQ(client_.CheckHealth().status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace posenc
