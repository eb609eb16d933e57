#ifndef POSENC_SERVER_TRANSPORT_LOG_H_
#define POSENC_SERVER_TRANSPORT_LOG_H_

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace posenc::server {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat { kText, kJson };

// Sends the process's log, gRPC's own included, to stderr: a line an event, as
// text ("2026-01-31T12:00:00.000Z info started address=127.0.0.1:50051") or as
// a JSON object. Call once, before anything is logged.
void StartLog(LogLevel level, LogFormat format);

using LogField = std::pair<absl::string_view, std::string>;

// Writes an event and its fields. Thread-safe.
void Log(LogLevel level, absl::string_view event,
         std::initializer_list<LogField> fields = {});

// A message of the given event as a line of the format, without time and level.
std::string FormatEvent(LogFormat format, absl::string_view event,
                        std::initializer_list<LogField> fields);

// Lets a burst of events through, then one each interval. Thread-safe.
class LogRate {
 public:
  using Clock = std::chrono::steady_clock;

  LogRate(std::uint32_t burst, Clock::duration interval);

  // Whether the event at `now` goes through, and then how many before it did
  // not.
  std::optional<std::uint64_t> Pass(Clock::time_point now);

 private:
  const double burst_;
  const Clock::duration interval_;
  std::mutex mutex_;
  double tokens_;
  std::optional<Clock::time_point> last_;
  std::uint64_t held_back_ = 0;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_LOG_H_
