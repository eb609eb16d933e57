#ifndef POSENC_TESTS_CONFORMANCE_GOLDEN_ENGINE_H_
#define POSENC_TESTS_CONFORMANCE_GOLDEN_ENGINE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "posenc/requests.h"

namespace posenc::testing {

// An engine in this process, for requests in the client's terms.
class GoldenEngine {
 public:
  // With the embedding tables of a directory.
  explicit GoldenEngine(const std::string& tables);
  ~GoldenEngine();

  absl::StatusOr<std::vector<std::byte>> Encode(const EncodeParams& params);
  absl::StatusOr<std::vector<std::byte>> GetEncoding(
      const GetEncodingParams& params);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace posenc::testing

#endif  // POSENC_TESTS_CONFORMANCE_GOLDEN_ENGINE_H_
