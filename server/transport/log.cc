#include "server/transport/log.h"

#include <grpc/support/log.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace posenc::server {
namespace {

std::atomic<LogFormat> log_format{LogFormat::kText};

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

void LogFromGrpc(gpr_log_func_args* args) {
  const LogLevel level = args->severity == GPR_LOG_SEVERITY_ERROR
                             ? LogLevel::kWarning
                             : LogLevel::kDebug;
  Log(level, "grpc", {{"message", args->message}});
}

std::string Quoted(absl::string_view value) {
  const bool plain =
      !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
        return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
      });
  return plain ? std::string(value)
               : absl::StrCat("\"", absl::Utf8SafeCEscape(value), "\"");
}

}  // namespace

void StartLog(LogLevel level, LogFormat format) {
  log_format = format;
  auto logger = std::make_shared<spdlog::logger>(
      "posenc", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_level(ToSpdlog(level));
  logger->set_pattern(
      format == LogFormat::kJson
          ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
          : "%Y-%m-%dT%H:%M:%S.%eZ %l %v",
      spdlog::pattern_time_type::utc);
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  gpr_set_log_function(LogFromGrpc);
}

void Log(LogLevel level, absl::string_view event,
         std::initializer_list<LogField> fields) {
  auto* logger = spdlog::default_logger_raw();
  if (!logger->should_log(ToSpdlog(level))) return;
  logger->log(ToSpdlog(level), "{}", FormatEvent(log_format, event, fields));
}

std::string FormatEvent(LogFormat format, absl::string_view event,
                        std::initializer_list<LogField> fields) {
  if (format == LogFormat::kText) {
    std::string line(event);
    for (const auto& [name, value] : fields) {
      absl::StrAppend(&line, " ", name, "=", Quoted(value));
    }
    return line;
  }
  nlohmann::ordered_json object;
  object["event"] = std::string(event);
  for (const auto& [name, value] : fields) object[std::string(name)] = value;
  // The pattern supplies the braces, the time and the level.
  const std::string text = object.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

LogRate::LogRate(std::uint32_t burst, Clock::duration interval)
    : burst_(burst), interval_(interval), tokens_(burst) {}

std::optional<std::uint64_t> LogRate::Pass(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (last_ && now > *last_) {
    tokens_ = std::min(burst_,
                       tokens_ + std::chrono::duration<double>(now - *last_) /
                                     std::chrono::duration<double>(interval_));
  }
  last_ = now;
  if (tokens_ < 1) {
    ++held_back_;
    return std::nullopt;
  }
  tokens_ -= 1;
  return std::exchange(held_back_, 0);
}

}  // namespace posenc::server
