#include "client/src/message_size.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace posenc {
namespace {

struct Excess {
  std::uint64_t bytes;
  std::uint64_t limit;
};

// Reads gRPC's "… message larger than max (BYTES vs. LIMIT)".
std::optional<Excess> ParseExcess(absl::string_view message) {
  constexpr absl::string_view kLead = "message larger than max (";
  const std::size_t start = message.find(kLead);
  if (start == absl::string_view::npos) return std::nullopt;
  message.remove_prefix(start + kLead.size());
  const std::vector<absl::string_view> numbers =
      absl::StrSplit(message.substr(0, message.find(')')), " vs. ");
  Excess excess{};
  if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &excess.bytes) ||
      !absl::SimpleAtoi(numbers[1], &excess.limit)) {
    return std::nullopt;
  }
  return excess;
}

}  // namespace

absl::Status CheckRequestBytes(std::uint64_t bytes,
                               std::uint64_t max_message_bytes) {
  if (bytes <= max_message_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the request has ", bytes, " bytes but the largest message may have ",
      max_message_bytes,
      "; raise ClientOptions::max_message_bytes and the server's "
      "--max-message-bytes, or send a smaller batch"));
}

absl::Status NameSizeKnob(absl::Status status,
                          std::uint64_t max_message_bytes) {
  if (status.code() != absl::StatusCode::kResourceExhausted) return status;
  const auto excess = ParseExcess(status.message());
  if (!excess) return status;
  // No request over max_message_bytes is sent, and no response under it is
  // refused, so the size tells which of the two it was.
  const std::string text =
      excess->bytes > max_message_bytes
          ? absl::StrCat("the response has ", excess->bytes,
                         " bytes but the largest message may have ",
                         excess->limit,
                         "; raise ClientOptions::max_message_bytes")
          : absl::StrCat("the request has ", excess->bytes,
                         " bytes but the server takes ", excess->limit,
                         "; raise the server's --max-message-bytes");
  return absl::ResourceExhaustedError(text);
}

}  // namespace posenc
