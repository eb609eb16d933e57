#include "tests/unit/client/cli/cli_test_base.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/cord.h"
#include "client/cli/run_cli.h"

namespace posenc::cli {
namespace {

// A field of protobuf's wire format: a number under 16, a length under 128,
// bytes.
std::string Field(int number, const std::string& bytes) {
  std::string field;
  field += static_cast<char>(number << 3 | 2);
  field += static_cast<char>(bytes.size());
  return field + bytes;
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "posenc_cli_XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDirectory::Path(const std::string& name) const {
  return path_ + "/" + name;
}

std::string ScratchDirectory::Write(const std::string& name,
                                    const std::string& bytes) const {
  std::ofstream(Path(name), std::ios::binary) << bytes;
  return Path(name);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

CliTest::Run CliTest::RunPosenc(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const Environment environment{
      .connect = [this](const posenc::ClientOptions& options)
          -> absl::StatusOr<posenc::Client> {
        client_options_ = options;
        ++connects_;
        if (!connect_status_.ok()) return connect_status_;
        return posenc::Client(connection_);
      },
      .out = out,
      .err = err,
      .cancelled = [this] { return cancelled_; },
      .terminal = terminal_,
  };
  std::vector<const char*> argv = {"posenc"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  const int code =
      RunCli(static_cast<int>(argv.size()), argv.data(), environment);
  return {code, out.str(), err.str()};
}

absl::Status CliTest::Refusal(absl::StatusCode code, const std::string& message,
                              const std::string& reason) {
  absl::Status status(code, message);
  status.SetPayload("type.googleapis.com/google.rpc.ErrorInfo",
                    absl::Cord(Field(1, reason) + Field(2, "posenc")));
  return status;
}

}  // namespace posenc::cli
