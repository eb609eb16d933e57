#include "tests/conformance/golden_engine.h"

#include "client/src/encode_codec.h"
#include "client/src/spec_codec.h"
#include "server/base/limits.h"
#include "server/service/engine.h"
#include "server/transport/request_codec.h"
#include "server/transport/spec_codec.h"
#include "tests/support/encode.h"

namespace posenc::testing {
namespace {

using server::kMiB;

server::DType ToServer(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return server::DType::kFloat16;
    case DType::kBFloat16:
      return server::DType::kBFloat16;
    case DType::kFloat64:
      return server::DType::kFloat64;
    default:
      return server::DType::kFloat32;
  }
}

}  // namespace

struct GoldenEngine::Parts {
  explicit Parts(const std::string& directory)
      : device(*server::MakeDevice("cpu", 64 * kMiB, workers)),
        tables(*server::EmbeddingStore::Open(directory, *device)),
        cache(*device, 64 * kMiB, workers),
        engine(server::MakeEngine(*device, *tables, cache, {64 * kMiB})) {}

  server::WorkerPool workers{2};
  std::unique_ptr<server::Device> device;
  std::unique_ptr<server::EmbeddingStore> tables;
  server::TableCache cache;
  std::unique_ptr<server::Engine> engine;
};

GoldenEngine::GoldenEngine(const std::string& tables)
    : parts_(std::make_unique<Parts>(tables)) {}

GoldenEngine::~GoldenEngine() = default;

absl::StatusOr<std::vector<std::byte>> GoldenEngine::Encode(
    const EncodeParams& params) {
  const auto request = EncodeRequest::Create(params, 64 * kMiB);
  if (!request.ok()) return request.status();
  auto message = request->ToMessage();
  if (!message.ok()) return message.status();
  const auto received = server::DecodeRequest(*message);
  if (!received.ok()) return received.status();
  const auto encoded = testing::Encode(*parts_->engine, received->request);
  if (!encoded.ok()) return encoded.status();
  const auto bytes = encoded->output.bytes();
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

absl::StatusOr<std::vector<std::byte>> GoldenEngine::GetEncoding(
    const GetEncodingParams& params) {
  auto encoding = server::FromProto(ToProto(params.encoding));
  if (!encoding.ok()) return encoding.status();
  server::GetEncodingRequest request{.encoding = *std::move(encoding),
                                     .first_position = params.first_position,
                                     .position_count = params.position_count,
                                     .dtype = ToServer(params.dtype)};
  if (params.positions) {
    request.positions =
        server::TensorView{.dtype = server::DType::kFloat64,
                           .shape = {params.positions->shape.begin(),
                                     params.positions->shape.end()},
                           .data = {params.positions->data}};
  }
  std::vector<std::byte> bytes;
  const absl::Status status = parts_->engine->GetEncoding(
      request, [](const server::EncodingSpec&) {},
      [&](const server::RowsPiece& piece) {
        bytes.insert(bytes.end(), piece.data.begin(), piece.data.end());
        return true;
      });
  if (!status.ok()) return status;
  return bytes;
}

}  // namespace posenc::testing
