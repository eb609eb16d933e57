// Adds positions to a batch of embeddings, as TorchLingo's
// PositionalEncoding(d_model=512) does to a tensor of 2 × 100 × 512, and shows
// the rows that were added.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <utility>
#include <vector>

#include "posenc/client.h"

namespace {

constexpr std::uint64_t kBatch = 2;
constexpr std::uint64_t kSequence = 100;
constexpr std::uint64_t kDModel = 512;

int Fail(const absl::Status& status) {
  std::cerr << status << "\n";
  return EXIT_FAILURE;
}

// The first channels of a row of [rows, d_model].
void PrintRow(const char* name, std::span<const float> values,
              std::size_t row) {
  std::cout << name << "[" << row << "] =";
  for (const float value : values.subspan(row * kDModel, 4)) {
    std::cout << " " << value;
  }
  std::cout << " …\n";
}

}  // namespace

int main(int argc, char** argv) {
  posenc::ClientOptions options;
  if (argc > 1) options.address = argv[1];
  absl::StatusOr<posenc::Client> client = posenc::Client::Connect(options);
  if (!client.ok()) return Fail(client.status());

  std::vector<float> embeddings(kBatch * kSequence * kDModel, 0.5f);
  const absl::StatusOr<posenc::EncodeResult> encoded =
      client->Encode(posenc::SharedTensor::FromVector(
          std::move(embeddings), {kBatch, kSequence, kDModel}));
  if (!encoded.ok()) return Fail(encoded.status());
  PrintRow("output", encoded->output.values<float>(), 0);
  PrintRow("output", encoded->output.values<float>(), 1);

  posenc::GetEncodingParams params;
  params.encoding.d_model = kDModel;
  params.position_count = kSequence;
  const absl::StatusOr<posenc::GetEncodingResult> encoding =
      client->GetEncoding(params);
  if (!encoding.ok()) return Fail(encoding.status());
  PrintRow("encoding", encoding->rows.values<float>(), 0);
  PrintRow("encoding", encoding->rows.values<float>(), 1);
  return EXIT_SUCCESS;
}
