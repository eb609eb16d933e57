#include "server/command_line.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace posenc::server {
namespace {

constexpr char kDescription[] =
    "Serves positional encodings over gRPC. Without arguments it listens on\n"
    "127.0.0.1:50051 and encodes embeddings on the CPU.";
constexpr char kFooter[] =
    "Every flag is a key of the config file too (TOML, without the dashes); a\n"
    "flag wins. Sizes take units (512MiB), times need one (30s, 500ms).\n\n"
    "Examples:\n"
    "  posenc-server --tables ./model\n"
    "  posenc-server --port 0 --port-file /tmp/port --log-format json\n\n"
    "Exit status: 0 after SIGTERM or SIGINT, 1 if it cannot serve, 2 for a "
    "bad\n"
    "flag or config file.";

void AddServing(CLI::App& app, Config& config) {
  app.add_option("--host", config.host, "Address to listen on")
      ->capture_default_str();
  app.add_option("--port", config.port, "Port to listen on; 0: any free one")
      ->capture_default_str();
  app.add_option("--port-file", config.port_file,
                 "File to write the port to, once it is listened on");
  app.add_option("--unix-socket", config.unix_socket,
                 "Path of a unix socket to listen on besides")
      ->option_text("PATH");
  app.add_option("--tables", config.tables,
                 "Directory of .safetensors and .npy files to serve as "
                 "embedding tables");
  app.add_option("--device", config.device, "Where to compute: cpu")
      ->capture_default_str();
  app.add_option("--simd", config.simd,
                 "SIMD target; default: the best that the machine has");
  app.add_option("--threads", config.threads,
                 "Threads that serve connections; 0: one for two cores. "
                 "Large requests are encoded by others, one a core")
      ->capture_default_str();
}

void AddLimits(CLI::App& app, Config& config,
               std::int64_t& drain_milliseconds) {
  const CLI::AsSizeValue bytes(false);
  app.add_option("--cache-bytes", config.cache_bytes,
                 "Bytes of encoding tables to keep")
      ->transform(bytes)
      ->option_text("SIZE=1GiB")
      ->capture_default_str();
  app.add_option("--max-message-bytes", config.max_message_bytes,
                 "Bytes of the largest request or response, up to 2147483647")
      ->transform(bytes)
      ->option_text("SIZE=1025MiB")
      ->capture_default_str();
  app.add_option("--max-receive-bytes", config.max_receive_bytes,
                 "Bytes of all requests together, and of the responses made in "
                 "their place, until those are sent")
      ->transform(bytes)
      ->option_text("SIZE=4GiB")
      ->capture_default_str();
  app.add_option("--max-response-bytes", config.max_response_bytes,
                 "Bytes of all other responses together that are not yet sent")
      ->transform(bytes)
      ->option_text("SIZE=4GiB")
      ->capture_default_str();
  app.add_option("--drain-timeout", drain_milliseconds,
                 "Time that calls have to finish after SIGTERM")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, std::int64_t>{
              {"ms", 1}, {"s", 1000}, {"min", 60000}},
          CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME"))
      ->option_text("TIME=30s")
      ->default_str("30s");
}

void AddLog(CLI::App& app, Config& config) {
  app.add_option("--log-level", config.log_level,
                 "debug, info, warning, error or off")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, LogLevel>{{"debug", LogLevel::kDebug},
                                          {"info", LogLevel::kInfo},
                                          {"warning", LogLevel::kWarning},
                                          {"error", LogLevel::kError},
                                          {"off", LogLevel::kOff}}))
      ->option_text("LEVEL=info")
      ->default_str("info");
  app.add_option("--log-format", config.log_format, "text or json")
      ->transform(CLI::CheckedTransformer(std::map<std::string, LogFormat>{
          {"text", LogFormat::kText}, {"json", LogFormat::kJson}}))
      ->option_text("FORMAT=text")
      ->default_str("text");
}

}  // namespace

CommandLine ReadCommandLine(int argc, const char* const* argv,
                            std::ostream& out, std::ostream& err) {
  constexpr int kUsageError = 2;
  CommandLine result;
  CLI::App app(kDescription, "posenc-server");
  app.footer(kFooter);
  std::int64_t drain_milliseconds = result.config.drain_timeout.count();
  bool print_config = false;
  AddServing(app, result.config);
  AddLimits(app, result.config, drain_milliseconds);
  AddLog(app, result.config);
  app.set_config("--config", "", "Config file")
      ->check(CLI::ExistingFile)
      ->option_text("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.set_version_flag("--version", "posenc-server " POSENC_VERSION);
  app.add_flag("--print-config", print_config,
               "Print the configuration in force, as a config file, and exit")
      ->configurable(false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& stop) {
    result.exit_code = app.exit(stop, out, err);
    return result;
  } catch (const CLI::ConfigError& error) {
    err << "posenc-server: the config file has a line that sets no flag: "
        << error.what() << "\n";
    result.exit_code = kUsageError;
    return result;
  } catch (const CLI::ParseError& error) {
    err << "posenc-server: " << error.what() << "\n"
        << "See posenc-server --help.\n";
    result.exit_code = kUsageError;
    return result;
  }
  result.config.drain_timeout = std::chrono::milliseconds(drain_milliseconds);
  const absl::Status valid = Validate(result.config);
  if (!valid.ok()) {
    err << "posenc-server: " << std::string(valid.message()) << "\n";
    result.exit_code = kUsageError;
  } else if (print_config) {
    out << app.config_to_str(true, true);
    result.exit_code = 0;
  }
  return result;
}

}  // namespace posenc::server
