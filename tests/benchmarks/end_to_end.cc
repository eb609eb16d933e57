// Encode against a raw echo of the same bytes: both servers are processes of
// their own, take the same message from the same kind of client, and take turns
// in one run, so that what else the machine does hits both alike.

#include <fcntl.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/rpc_method.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "posenc/v1/positional_encoding.pb.h"
#include "tests/support/server_process.h"

namespace posenc::testing {
namespace {

constexpr char kEncodeMethod[] = "/posenc.v1.PositionalEncoding/Encode";
constexpr int kUnlimited = -1;
constexpr int kMaxFrameBytes = 4 * 1024 * 1024;

// A server that answers each call with the bytes that came, untouched: what the
// transport alone costs.
class EchoCall {
 public:
  EchoCall(grpc::AsyncGenericService& service,
           grpc::ServerCompletionQueue& queue)
      : service_(service), queue_(queue), stream_(&context_) {
    service_.RequestCall(&context_, &stream_, &queue_, &queue_, this);
  }

  void Proceed(bool ok) {
    switch (state_) {
      case State::kWaiting:
        if (!ok) break;
        new EchoCall(service_, queue_);
        state_ = State::kReading;
        stream_.Read(&message_, this);
        return;
      case State::kReading:
        state_ = State::kWriting;
        stream_.WriteAndFinish(message_, {}, grpc::Status::OK, this);
        return;
      case State::kWriting:
        break;
    }
    delete this;
  }

 private:
  enum class State { kWaiting, kReading, kWriting };
  grpc::AsyncGenericService& service_;
  grpc::ServerCompletionQueue& queue_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer message_;
  State state_ = State::kWaiting;
};

// Serves until it is killed.
int ServeEcho(int threads) {
  constexpr int kPostedCalls = 16;
  grpc::AsyncGenericService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.SetMaxReceiveMessageSize(kUnlimited);
  builder.SetMaxSendMessageSize(kUnlimited);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kMaxFrameBytes);
  builder.RegisterAsyncGenericService(&service);
  const auto queue = builder.AddCompletionQueue();
  const auto server = builder.BuildAndStart();
  for (int i = 0; i < threads * kPostedCalls; ++i) {
    new EchoCall(service, *queue);
  }
  std::cout << port << std::endl;
  const auto poll = [&] {
    void* tag = nullptr;
    bool ok = false;
    while (queue->Next(&tag, &ok)) static_cast<EchoCall*>(tag)->Proceed(ok);
  };
  std::vector<std::thread> pollers;
  for (int i = 0; i < threads; ++i) pollers.emplace_back(poll);
  for (std::thread& poller : pollers) poller.join();
  return 0;
}

class EchoProcess {
 public:
  EchoProcess(const std::string& program, int threads) {
    int pipe[2];
    if (pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const OwnedFd reader(pipe[0]);
    {
      const OwnedFd writer(pipe[1]);
      process_ = std::make_unique<Process>(
          std::vector<std::string>{program, "--echo", std::to_string(threads)},
          writer.get(), STDERR_FILENO);
    }
    std::string port;
    for (char c = 0; read(reader.get(), &c, 1) == 1 && c != '\n';) port += c;
    address_ = "127.0.0.1:" + port;
  }
  const std::string& address() const { return address_; }

 private:
  std::unique_ptr<Process> process_;
  std::string address_;
};

// Callers in flight, each on its own connection.
class Callers {
 public:
  Callers(const std::string& address, int in_flight) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kUnlimited);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kMaxFrameBytes);
    for (int i = 0; i < in_flight; ++i) {
      channels_.push_back(grpc::CreateCustomChannel(
          address, grpc::InsecureChannelCredentials(), arguments));
    }
  }

  // Seconds that `calls` of each caller take, all callers at once.
  double Time(const std::string& message, int calls) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (const auto& channel : channels_) {
      threads.emplace_back([&] {
        for (int n = 0; n < calls; ++n) Call(channel, message);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  }

 private:
  static void Call(const std::shared_ptr<grpc::Channel>& channel,
                   const std::string& message) {
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
    if (response.Length() + 200 < message.size()) {
      throw std::runtime_error("a short answer");
    }
  }

  std::vector<std::shared_ptr<grpc::Channel>> channels_;
};

struct Load {
  std::uint64_t batch, sequence, d_model;
  int in_flight;
  int calls;
};

std::string MessageOf(const Load& load) {
  v1::EncodeRequest request;
  auto& tensor = *request.mutable_embeddings();
  tensor.set_dtype(v1::FLOAT32);
  for (const std::uint64_t extent : {load.batch, load.sequence, load.d_model}) {
    tensor.add_shape(extent);
  }
  tensor.set_data(
      std::string(load.batch * load.sequence * load.d_model * 4, '\0'));
  return request.SerializeAsString();
}

struct Quartiles {
  double low, median, high;
};

Quartiles QuartilesOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {values[n / 4], values[n / 2], values[n * 3 / 4]};
}

void Measure(const Load& load, const std::string& encode_address,
             const std::string& echo_address) {
  constexpr int kRounds = 31;
  const std::string message = MessageOf(load);
  Callers encode(encode_address, load.in_flight);
  Callers echo(echo_address, load.in_flight);
  encode.Time(message, load.calls);  // connects, and builds the table
  echo.Time(message, load.calls);
  std::vector<double> encode_rate, echo_rate, ratio;
  const double megabytes =
      static_cast<double>(message.size()) * load.calls * load.in_flight / 1e6;
  for (int round = 0; round < kRounds; ++round) {
    const double encoded = encode.Time(message, load.calls);
    const double echoed = echo.Time(message, load.calls);
    encode_rate.push_back(megabytes / encoded);
    echo_rate.push_back(megabytes / echoed);
    ratio.push_back(echoed / encoded);
  }
  const Quartiles e = QuartilesOf(encode_rate), o = QuartilesOf(echo_rate),
                  r = QuartilesOf(ratio);
  std::printf(
      "%3lux%3lux%3lu f32, %d in flight: Encode %6.0f MB/s [%.0f, %.0f], echo "
      "%6.0f MB/s [%.0f, %.0f], ratio %.2f [%.2f, %.2f]\n",
      load.batch, load.sequence, load.d_model, load.in_flight, e.median, e.low,
      e.high, o.median, o.low, o.high, r.median, r.low, r.high);
}

int Main(const std::string& program) {
  constexpr int kThreads = 4;
  const ServerProcess server({"--threads", std::to_string(kThreads)});
  const EchoProcess echo(program, kThreads);
  std::printf("one-way payload, median [quartiles]; %s\n",
              server.start_line().c_str());
  for (const int in_flight : {1, 4}) {
    for (const Load& load :
         {Load{1, 1, 768, in_flight, 200}, Load{1, 128, 768, in_flight, 40},
          Load{8, 128, 768, in_flight, 10}, Load{32, 512, 768, in_flight, 1}}) {
      Measure(load, server.address(), echo.address());
    }
  }
  return 0;
}

}  // namespace
}  // namespace posenc::testing

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--echo") {
    return posenc::testing::ServeEcho(std::stoi(argv[2]));
  }
  return posenc::testing::Main(argv[0]);
}
