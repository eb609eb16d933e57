#include "posenc/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "posenc/mocks/mock_connection.h"

namespace posenc {
namespace {

using testing::_;
using testing::ByMove;
using testing::Field;
using testing::Optional;
using testing::Return;

// Each call is given one option, so that it can be told from a default.
constexpr std::chrono::milliseconds kTimeout(1234);
const CallOptions kCall{.timeout = kTimeout};

MATCHER(HasTheCall, "") { return arg.call.timeout == kTimeout; }

absl::Status Answer() { return absl::NotFoundError("the mock's answer"); }

class ClientTest : public testing::Test {
 protected:
  std::shared_ptr<testing::StrictMock<MockConnection>> connection_ =
      std::make_shared<testing::StrictMock<MockConnection>>();
  Client client_{connection_};
  const std::vector<float> values_ = {1, 2, 3};
  const TensorView view_{std::span(values_), {1, 1, 3}};
};

TEST_F(ClientTest, Encode) {
  EXPECT_CALL(*connection_, Encode(HasTheCall()))
      .WillOnce([this](const EncodeParams& params) {
        EXPECT_EQ(params.input, EncodeParams::Input::kEmbeddings);
        EXPECT_EQ(std::get<TensorView>(params.payload).data.data(),
                  view_.data.data());
        EXPECT_EQ(params.options.embedding_table, "table");
        EXPECT_FALSE(params.output.has_value());
        EncodeResult result;
        result.embedding_scale = 4;
        return result;
      });
  EncodeOptions options;
  options.embedding_table = "table";
  const auto result = client_.Encode(view_, options, kCall);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->embedding_scale, 4);
}

TEST_F(ClientTest, EncodeOfASharedTensor) {
  EXPECT_CALL(*connection_, Encode(_))
      .WillOnce([](const EncodeParams& params) -> absl::StatusOr<EncodeResult> {
        EXPECT_NE(std::get<SharedTensor>(params.payload).owner, nullptr);
        return Answer();
      });
  EXPECT_EQ(
      client_.Encode(SharedTensor::FromVector(values_, {1, 1, 3})).status(),
      Answer());
}

TEST_F(ClientTest, EncodeInto) {
  std::vector<std::byte> output(12);
  EXPECT_CALL(*connection_, Encode(HasTheCall()))
      .WillOnce(
          [&](const EncodeParams& params) -> absl::StatusOr<EncodeResult> {
            EXPECT_EQ(params.input, EncodeParams::Input::kEmbeddings);
            EXPECT_EQ(params.output->data(), output.data());
            EXPECT_EQ(params.output->size(), output.size());
            return Answer();
          });
  EXPECT_EQ(client_.EncodeInto(output, view_, {}, kCall).status(), Answer());
}

TEST_F(ClientTest, EncodeSegmented) {
  EXPECT_CALL(
      *connection_,
      Encode(AllOf(HasTheCall(), Field(&EncodeParams::segmented, true))))
      .WillOnce(Return(ByMove(Answer())));
  EXPECT_EQ(client_.EncodeSegmented(view_, {}, kCall).status(), Answer());
}

TEST_F(ClientTest, EncodeTokens) {
  EXPECT_CALL(
      *connection_,
      Encode(AllOf(HasTheCall(), Field(&EncodeParams::input,
                                       EncodeParams::Input::kTokenIds))))
      .WillOnce(Return(ByMove(Answer())));
  EXPECT_EQ(client_.EncodeTokens(view_, {}, kCall).status(), Answer());
}

TEST_F(ClientTest, OpenEncodeStream) {
  EXPECT_CALL(*connection_, OpenEncodeStream(HasTheCall()))
      .WillOnce(Return(ByMove(std::make_unique<MockEncodeStream>())));
  const auto stream = client_.OpenEncodeStream(kCall);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_CALL(static_cast<MockEncodeStream&>(**stream), Finish)
      .WillOnce(Return(Answer()));
  EXPECT_EQ((*stream)->Finish(), Answer());
}

TEST_F(ClientTest, GetEncoding) {
  EXPECT_CALL(*connection_,
              GetEncoding(AllOf(HasTheCall(),
                                Field(&GetEncodingParams::first_position, -7))))
      .WillOnce(Return(ByMove(Answer())));
  GetEncodingParams params;
  params.first_position = -7;
  params.call = kCall;
  EXPECT_EQ(client_.GetEncoding(params).status(), Answer());
}

TEST_F(ClientTest, DescribeEncoding) {
  EXPECT_CALL(
      *connection_,
      DescribeEncoding(AllOf(HasTheCall(), Field(&DescribeEncodingParams::dtype,
                                                 DType::kBFloat16))))
      .WillOnce(Return(Answer()));
  DescribeEncodingParams params;
  params.dtype = DType::kBFloat16;
  params.call = kCall;
  EXPECT_EQ(client_.DescribeEncoding(params).status(), Answer());
}

TEST_F(ClientTest, ListProfiles) {
  EXPECT_CALL(*connection_, ListProfiles(HasTheCall()))
      .WillOnce(Return(Answer()));
  EXPECT_EQ(client_.ListProfiles({.call = kCall}).status(), Answer());
}

TEST_F(ClientTest, Tables) {
  EXPECT_CALL(*connection_, ListTables(HasTheCall()))
      .WillOnce(Return(Answer()));
  EXPECT_CALL(*connection_,
              GetTable(AllOf(HasTheCall(), Field(&GetTableParams::name, "t"))))
      .WillOnce(Return(ByMove(Answer())));
  EXPECT_EQ(client_.ListTables({.call = kCall}).status(), Answer());
  GetTableParams params;
  params.name = "t";
  params.call = kCall;
  EXPECT_EQ(client_.GetTable(params).status(), Answer());
}

TEST_F(ClientTest, Cache) {
  EXPECT_CALL(*connection_, ListCache(HasTheCall())).WillOnce(Return(Answer()));
  EXPECT_CALL(*connection_,
              WarmCache(AllOf(HasTheCall(),
                              Field(&WarmCacheParams::position_count, 9u))))
      .WillOnce(Return(Answer()));
  EXPECT_CALL(*connection_,
              EvictCache(AllOf(HasTheCall(), Field(&EvictCacheParams::encoding,
                                                   Optional(_)))))
      .WillOnce(Return(Answer()));
  EXPECT_EQ(client_.ListCache({.call = kCall}).status(), Answer());
  WarmCacheParams warm;
  warm.position_count = 9;
  warm.call = kCall;
  EXPECT_EQ(client_.WarmCache(warm).status(), Answer());
  EXPECT_EQ(
      client_.EvictCache({.encoding = EncodingSpec(), .call = kCall}).status(),
      Answer());
}

TEST_F(ClientTest, CheckHealth) {
  EXPECT_CALL(*connection_, CheckHealth(HasTheCall()))
      .WillOnce(Return(Health::kNotServing));
  EXPECT_EQ(*client_.CheckHealth({.call = kCall}), Health::kNotServing);
}

TEST_F(ClientTest, CopiesShareTheConnection) {
  const long before = connection_.use_count();
  const Client copy = client_;
  EXPECT_EQ(connection_.use_count(), before + 1);
}

}  // namespace
}  // namespace posenc
