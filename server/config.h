#ifndef POSENC_SERVER_CONFIG_H_
#define POSENC_SERVER_CONFIG_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "server/base/limits.h"
#include "server/transport/log.h"

namespace posenc::server {

// All that an operator can set: the fields are the flags of posenc-server and
// the keys of its config file.
struct Config {
  std::string host = "127.0.0.1";
  int port = 50051;
  std::string port_file;
  std::string unix_socket;
  std::string tables;
  std::string device = "cpu";
  std::string simd;  // empty: the best that the machine has
  int threads = 0;   // that poll; 0: one for two cores
  std::uint64_t cache_bytes = kDefaultCacheBytes;
  std::uint64_t max_message_bytes = kDefaultMaxMessageBytes;
  std::uint64_t max_receive_bytes = kDefaultReceiveBytes;
  std::uint64_t max_response_bytes = kDefaultResponseBytes;
  std::chrono::milliseconds drain_timeout = std::chrono::seconds(30);
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
};

// INVALID_ARGUMENT, naming the flag, its value and what it may be.
absl::Status Validate(const Config& config);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CONFIG_H_
