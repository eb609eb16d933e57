#include "client/src/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/src/message_size.h"
#include "posenc/error.h"

namespace posenc {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Details(const std::string& type_url, const std::string& reason) {
  v1::ErrorInfo info;
  info.set_reason(reason);
  info.set_domain("posenc");
  v1::Status details;
  details.set_code(3);
  details.add_details()->set_type_url(type_url);
  details.mutable_details(0)->set_value(info.SerializeAsString());
  return details.SerializeAsString();
}

TEST(FromGrpc, EveryCodeKeepsItsNumberAndMessage) {
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status = FromGrpc(
        grpc::Status(static_cast<grpc::StatusCode>(code), "what went wrong"));
    EXPECT_EQ(static_cast<int>(status.code()), code);
    EXPECT_EQ(status.message(), "what went wrong");
    EXPECT_EQ(ErrorReason(status), "");
  }
}

TEST(FromGrpc, CodeThatDoesNotExistIsUnknown) {
  for (const int code : {17, 31, -2}) {
    EXPECT_EQ(
        FromGrpc(grpc::Status(static_cast<grpc::StatusCode>(code), "")).code(),
        absl::StatusCode::kUnknown);
  }
}

TEST(FromGrpc, ReasonIsKept) {
  const absl::Status status = FromGrpc(grpc::Status(
      grpc::StatusCode::INVALID_ARGUMENT, "no",
      Details("type.googleapis.com/google.rpc.ErrorInfo", "ODD_D_MODEL")));
  EXPECT_EQ(ErrorReason(status), "ODD_D_MODEL");
  EXPECT_TRUE(status.GetPayload("type.googleapis.com/google.rpc.ErrorInfo")
                  .has_value());
}

TEST(FromGrpc, DetailsOfAnotherKindGiveNoReason) {
  EXPECT_EQ(ErrorReason(FromGrpc(grpc::Status(
                grpc::StatusCode::INVALID_ARGUMENT, "no",
                Details("type.googleapis.com/google.rpc.Help", "ODD")))),
            "");
  EXPECT_EQ(ErrorReason(FromGrpc(grpc::Status(
                grpc::StatusCode::INVALID_ARGUMENT, "no", "\xff\xff"))),
            "");
}

TEST(FromProto, ErrorWithCodeOkIsInternal) {
  EXPECT_EQ(FromProto(v1::Status()).code(), absl::StatusCode::kInternal);
}

TEST(FromProto, CodeThatDoesNotExistIsUnknown) {
  for (const int code : {17, 1000, -1}) {
    v1::Status proto;
    proto.set_code(code);
    proto.set_message("what went wrong");
    EXPECT_EQ(FromProto(proto).code(), absl::StatusCode::kUnknown);
    EXPECT_EQ(FromProto(proto).message(), "what went wrong");
  }
}

TEST(ErrorReason, OkHasNone) { EXPECT_EQ(ErrorReason(absl::OkStatus()), ""); }

TEST(NameSizeKnob, ResponseOverTheClientsLimit) {
  const absl::Status status = NameSizeKnob(
      absl::ResourceExhaustedError(
          "CLIENT: Received message larger than max (2000 vs. 1000)"),
      1000);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("response has 2000 bytes"), HasSubstr("1000"),
                    HasSubstr("ClientOptions::max_message_bytes")));
}

TEST(NameSizeKnob, RequestOverTheServersLimit) {
  const absl::Status status =
      NameSizeKnob(absl::ResourceExhaustedError(
                       "Received message larger than max (2000 vs. 1000)"),
                   5000);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("request has 2000 bytes"), HasSubstr("server takes 1000"),
            HasSubstr("--max-message-bytes")));
}

TEST(NameSizeKnob, OtherErrorsStayAsTheyAre) {
  for (const absl::Status& status :
       {absl::OkStatus(),
        absl::InternalError("message larger than max (2 vs. 1)"),
        absl::ResourceExhaustedError("the cache is full"),
        absl::ResourceExhaustedError("message larger than max (many vs. few)"),
        absl::ResourceExhaustedError("message larger than max (")}) {
    EXPECT_EQ(NameSizeKnob(status, 1), status);
  }
}

}  // namespace
}  // namespace posenc
