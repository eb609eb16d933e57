#include "server/transport/encode_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "posenc/v1/positional_encoding.pb.h"
#include "server/base/limits.h"
#include "server/core/embedding_store.h"
#include "server/core/table_cache.h"
#include "tests/support/message_bytes.h"

namespace posenc::server {
namespace {

using testing::BytesOf;

// Counts what the planner asks of an engine.
class CountingEngine final : public Engine {
 public:
  explicit CountingEngine(Engine& engine) : engine_(engine) {}

  absl::StatusOr<EncodePlan> Plan(const EncodeRequest& request) override {
    ++plans;
    return engine_.Plan(request);
  }
  absl::StatusOr<ResponseBuffer> Run(const EncodePlan& plan,
                                     Segments embeddings,
                                     Overwrite overwrite) override {
    return engine_.Run(plan, embeddings, overwrite);
  }
  absl::Status GetEncoding(const GetEncodingRequest&,
                           const std::function<void(const EncodingSpec&)>&,
                           const RowsSink&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<Description> DescribeEncoding(
      const DescribeRequest&) override {
    return absl::UnimplementedError("");
  }
  std::vector<TablePointer> ListTables() override { return {}; }
  absl::Status GetTable(const TableRowsRequest&,
                        const std::function<void(const EmbeddingTable&)>&,
                        const RowsSink&) override {
    return absl::UnimplementedError("");
  }
  CacheListing ListCache() override { return {}; }
  absl::StatusOr<WarmResponse> WarmCache(const WarmRequest&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<TableCache::Evicted> EvictCache(
      const std::optional<SpecFields>&) override {
    return absl::UnimplementedError("");
  }

  int plans = 0;

 private:
  Engine& engine_;
};

v1::EncodeRequest RequestOf(std::uint64_t sequence, std::uint64_t width,
                            float first) {
  std::vector<float> values(sequence * width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = first + static_cast<float>(i);
  }
  v1::EncodeRequest request;
  auto& tensor = *request.mutable_embeddings();
  tensor.set_dtype(v1::FLOAT32);
  for (const std::uint64_t extent : {std::uint64_t{1}, sequence, width}) {
    tensor.add_shape(extent);
  }
  tensor.set_data(values.data(), values.size() * sizeof(float));
  return request;
}

class EncodePlannerTest : public ::testing::Test {
 protected:
  // The response to a message that arrives as these pieces.
  std::string Answer(EncodePlanner& planner,
                     const std::vector<std::string>& pieces) {
    std::vector<grpc::Slice> slices;
    for (const std::string& piece : pieces) slices.emplace_back(piece);
    grpc::ByteBuffer message(slices.data(), slices.size());
    auto job = planner.Plan(message);
    if (!job.ok()) return std::string(job.status().message());
    const auto response = job->Run(engine_);
    return response.ok() ? BytesOf(*response)
                         : std::string(response.status().message());
  }

  // The same from a planner that knows nothing yet.
  std::string Fresh(const std::string& message) {
    EncodePlanner planner(engine_);
    return Answer(planner, {message});
  }

  WorkerPool workers_{2};
  std::unique_ptr<Device> device_ = *MakeDevice("cpu", 64 * kMiB, workers_);
  EmbeddingStore tables_;
  TableCache cache_{*device_, 16 * kMiB, workers_};
  std::unique_ptr<Engine> local_ =
      MakeEngine(*device_, tables_, cache_, {4 * kMiB});
  CountingEngine engine_{*local_};
};

TEST_F(EncodePlannerTest, PlansLikeMessagesOnce) {
  EncodePlanner planner(engine_);
  for (const float first : {0.f, 7.f, -2.f}) {
    const std::string message = RequestOf(3, 4, first).SerializeAsString();
    const std::string answer = Answer(planner, {message});
    v1::EncodeResponse response;
    ASSERT_TRUE(response.ParseFromString(answer));
    float value = 0;
    std::memcpy(&value, response.output().data().data(), sizeof(value));
    EXPECT_EQ(value, first);  // + sin 0
  }
  EXPECT_EQ(engine_.plans, 1);
}

TEST_F(EncodePlannerTest, TakesNoMessageForAnotherOne) {
  EncodePlanner planner(engine_);
  std::vector<v1::EncodeRequest> requests = {
      RequestOf(3, 4, 1), RequestOf(4, 3, 1), RequestOf(4, 4, 1),
      RequestOf(3, 4, 1), RequestOf(3, 4, 1), RequestOf(3, 4, 1)};
  requests[3].mutable_encoding()->set_base(500);
  requests[4].mutable_positions()->set_offset(9);
  requests[5].set_output_dtype(v1::BFLOAT16);
  for (int time = 0; time < 3; ++time) {
    for (const v1::EncodeRequest& request : requests) {
      const std::string message = request.SerializeAsString();
      EXPECT_EQ(Answer(planner, {message}), Fresh(message));
    }
  }
}

// A message cut at every byte, known and unknown.
TEST_F(EncodePlannerTest, CutsNeverChangeTheAnswer) {
  const std::string message = RequestOf(3, 5, 0.25f).SerializeAsString();
  const std::string expected = Fresh(message);
  EncodePlanner planner(engine_);
  for (int time = 0; time < 2; ++time) {
    for (std::size_t i = 0; i <= message.size(); ++i) {
      ASSERT_EQ(Answer(planner, {message.substr(0, i), message.substr(i)}),
                expected)
          << "cut at " << i;
    }
    std::vector<std::string> bytes;
    for (const char c : message) bytes.emplace_back(1, c);
    EXPECT_EQ(Answer(planner, bytes), expected);
  }
}

TEST_F(EncodePlannerTest, FieldsBehindThePayloadCount) {
  EncodePlanner planner(engine_);
  const std::string front = RequestOf(2, 4, 1).SerializeAsString();
  v1::EncodeRequest more;
  more.mutable_positions()->set_offset(3);
  const std::string message = front + more.SerializeAsString();
  v1::EncodeRequest ordered = RequestOf(2, 4, 1);
  ordered.mutable_positions()->set_offset(3);
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(Answer(planner, {message}), Fresh(ordered.SerializeAsString()));
  }
  more.mutable_positions()->set_offset(4);
  EXPECT_NE(Answer(planner, {front + more.SerializeAsString()}),
            Fresh(ordered.SerializeAsString()));
}

TEST_F(EncodePlannerTest, ForgetsTheOldestAndGoesOn) {
  EncodePlanner planner(engine_);
  for (std::uint64_t sequence = 1; sequence <= 3 * kKnownPlans; ++sequence) {
    const std::string message = RequestOf(sequence, 2, 1).SerializeAsString();
    EXPECT_EQ(Answer(planner, {message}), Fresh(message));
  }
  engine_.plans = 0;
  Answer(planner, {RequestOf(1, 2, 1).SerializeAsString()});
  EXPECT_EQ(engine_.plans, 1);
}

TEST_F(EncodePlannerTest, AnErrorIsNotRemembered) {
  EncodePlanner planner(engine_);
  v1::EncodeRequest bad = RequestOf(2, 4, 1);
  bad.mutable_encoding()->set_d_model(8);
  for (int time = 0; time < 2; ++time) {
    EXPECT_NE(Answer(planner, {bad.SerializeAsString()})
                  .find("encoding.d_model is 8"),
              std::string::npos);
  }
  const std::string good = RequestOf(2, 4, 1).SerializeAsString();
  EXPECT_EQ(Answer(planner, {good}), Fresh(good));
}

// No payload byte is copied: the response's slices are the request's memory.
TEST_F(EncodePlannerTest, TheOutputLiesWhereTheInputCame) {
  EncodePlanner planner(engine_);
  const std::string message = RequestOf(64, 64, 1).SerializeAsString();
  const std::vector<grpc::Slice> slices = {grpc::Slice(message.substr(0, 9001)),
                                           grpc::Slice(message.substr(9001))};
  grpc::ByteBuffer request(slices.data(), slices.size());
  auto job = planner.Plan(request);
  ASSERT_TRUE(job.ok()) << job.status();
  const auto response = job->Run(engine_);
  ASSERT_TRUE(response.ok()) << response.status();
  std::vector<grpc::Slice> sent;
  ASSERT_TRUE(response->Dump(&sent).ok());
  ASSERT_EQ(sent.size(), 3u);  // the head, and the payload's two pieces
  EXPECT_EQ(sent[1].end(), slices[0].end());
  EXPECT_EQ(sent[2].begin(), slices[1].begin());
  EXPECT_EQ(sent[1].size() + sent[2].size(), 64u * 64 * sizeof(float));
}

}  // namespace
}  // namespace posenc::server
