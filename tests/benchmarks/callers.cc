#include "tests/benchmarks/callers.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/rpc_method.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace posenc::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kEncodeMethod[] = "/posenc.v1.PositionalEncoding/Encode";
constexpr int kUnlimited = -1;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void CallOnce(const std::shared_ptr<grpc::Channel>& channel,
              const std::string& message, std::size_t answer_bytes) {
  const grpc::internal::RpcMethod method(
      kEncodeMethod, grpc::internal::RpcMethod::NORMAL_RPC, channel);
  grpc::ClientContext context;
  // The bytes outlive every call, so they are sent without a copy.
  const grpc::Slice slice(message.data(), message.size(),
                          grpc::Slice::STATIC_SLICE);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  const grpc::Status status =
      grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
          channel.get(), method, &context, request, &response);
  if (!status.ok()) throw std::runtime_error(status.error_message());
  if (response.Length() < answer_bytes) {
    throw std::runtime_error("a short answer");
  }
}

}  // namespace

Callers::Callers(const std::string& address, int in_flight, int connections)
    : in_flight_(in_flight) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kUnlimited);
  arguments.SetMaxSendMessageSize(kUnlimited);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  for (int i = 0; i < connections; ++i) {
    channels_.push_back(grpc::CreateCustomChannel(
        address, grpc::InsecureChannelCredentials(), arguments));
  }
}

Callers::Run Callers::Call(const std::string& message, int calls,
                           std::size_t answer_bytes) {
  std::vector<std::vector<double>> latencies(
      static_cast<std::size_t>(in_flight_));
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto& channel = channels_[i % channels_.size()];
      latencies[i].reserve(static_cast<std::size_t>(calls));
      for (int n = 0; n < calls; ++n) {
        const auto start = Clock::now();
        CallOnce(channel, message, answer_bytes);
        latencies[i].push_back(SecondsSince(start));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Run run{.seconds = SecondsSince(begin)};
  for (const auto& of_caller : latencies) {
    run.latencies.insert(run.latencies.end(), of_caller.begin(),
                         of_caller.end());
  }
  return run;
}

}  // namespace posenc::testing
