#ifndef POSENC_MOCKS_MOCK_CONNECTION_H_
#define POSENC_MOCKS_MOCK_CONNECTION_H_

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "posenc/connection.h"
#include "posenc/requests.h"

namespace posenc {

// For tests of code that takes a Client:
//
//   auto connection = std::make_shared<posenc::MockConnection>();
//   EXPECT_CALL(*connection, DescribeEncoding)
//       .WillOnce(testing::Return(absl::NotFoundError("no such table")));
//   CodeUnderTest(posenc::Client(connection));
//
// Results that hold a Tensor can only be moved: give them from a lambda, or
// with testing::Return(testing::ByMove(…)).
class MockConnection : public Connection {
 public:
  MOCK_METHOD(absl::StatusOr<EncodeResult>, Encode, (const EncodeParams&),
              (override));
  MOCK_METHOD(absl::StatusOr<std::unique_ptr<EncodeStream>>, OpenEncodeStream,
              (const EncodeStreamParams&), (override));
  MOCK_METHOD(absl::StatusOr<GetEncodingResult>, GetEncoding,
              (const GetEncodingParams&), (override));
  MOCK_METHOD(absl::StatusOr<EncodingDescription>, DescribeEncoding,
              (const DescribeEncodingParams&), (override));
  MOCK_METHOD(absl::StatusOr<std::vector<Profile>>, ListProfiles,
              (const ListProfilesParams&), (override));
  MOCK_METHOD(absl::StatusOr<std::vector<TableInfo>>, ListTables,
              (const ListTablesParams&), (override));
  MOCK_METHOD(absl::StatusOr<GetTableResult>, GetTable, (const GetTableParams&),
              (override));
  MOCK_METHOD(absl::StatusOr<CacheListing>, ListCache, (const ListCacheParams&),
              (override));
  MOCK_METHOD(absl::StatusOr<WarmCacheResult>, WarmCache,
              (const WarmCacheParams&), (override));
  MOCK_METHOD(absl::StatusOr<EvictCacheResult>, EvictCache,
              (const EvictCacheParams&), (override));
  MOCK_METHOD(absl::StatusOr<Health>, CheckHealth, (const CheckHealthParams&),
              (override));
};

// What a MockConnection's OpenEncodeStream can give.
class MockEncodeStream : public EncodeStream {
 public:
  MOCK_METHOD(absl::Status, Send, (const EncodeParams&), (override));
  MOCK_METHOD(absl::Status, FinishSending, (), (override));
  MOCK_METHOD(std::optional<absl::StatusOr<EncodeResult>>, Receive, (),
              (override));
  MOCK_METHOD(absl::Status, Finish, (), (override));
};

}  // namespace posenc

#endif  // POSENC_MOCKS_MOCK_CONNECTION_H_
