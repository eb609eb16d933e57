#include "server/config.h"

#include <sys/stat.h>

#include "absl/strings/str_cat.h"

namespace posenc::server {
namespace {

constexpr int kMaxThreads = 256;
constexpr auto kMaxDrainTimeout = std::chrono::hours(1);

absl::Status OutOfBounds(absl::string_view flag, std::uint64_t value,
                         std::uint64_t least, std::uint64_t most) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--", flag, " is ", value, ", but must be ", least, " to ", most));
}

absl::Status CheckBounds(absl::string_view flag, std::uint64_t value,
                         std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return OutOfBounds(flag, value, least, most);
}

}  // namespace

absl::Status Validate(const Config& config) {
  absl::Status status;
  if (config.host.empty()) {
    status.Update(absl::InvalidArgumentError("--host is empty"));
  }
  const auto port = static_cast<std::uint64_t>(config.port);
  status.Update(CheckBounds("port", port, 0, 65535));
  status.Update(CheckBounds(
      "threads", static_cast<std::uint64_t>(config.threads), 0, kMaxThreads));
  status.Update(
      CheckBounds("cache-bytes", config.cache_bytes, kMiB, 1024 * kGiB));
  // Less would not hold a header.
  status.Update(CheckBounds("max-message-bytes", config.max_message_bytes,
                            2 * kMaxHeaderBytes, kLargestMaxMessageBytes));
  status.Update(CheckBounds("max-receive-bytes", config.max_receive_bytes,
                            config.max_message_bytes, 1024 * kGiB));
  status.Update(CheckBounds("max-response-bytes", config.max_response_bytes,
                            config.max_message_bytes, 1024 * kGiB));
  const auto drain = config.drain_timeout.count();
  if (drain < 0 || config.drain_timeout > kMaxDrainTimeout) {
    status.Update(absl::InvalidArgumentError(absl::StrCat(
        "--drain-timeout is ", drain, " ms, but must be 0 s to 3600 s")));
  }
  struct stat info {};
  if (!config.tables.empty() &&
      (stat(config.tables.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))) {
    status.Update(
        absl::InvalidArgumentError(absl::StrCat("--tables is '", config.tables,
                                                "', which is no "
                                                "directory")));
  }
  return status;
}

}  // namespace posenc::server
