#ifndef POSENC_TESTS_UNIT_CLIENT_CLI_CLI_TEST_BASE_H_
#define POSENC_TESTS_UNIT_CLIENT_CLI_CLI_TEST_BASE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/json_output.h"
#include "client/cli/session.h"
#include "posenc/mocks/mock_connection.h"

namespace posenc::cli {

// A directory of a test's own, gone at its end.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string Path(const std::string& name) const;
  // Writes a file and gives its path.
  std::string Write(const std::string& name, const std::string& bytes) const;

 private:
  std::string path_;
};

std::string ReadFile(const std::string& path);

// A tensor that holds these values.
template <typename T>
posenc::Tensor MakeTensor(const std::vector<T>& values, posenc::Shape shape,
                          posenc::DType dtype = posenc::DTypeOf<T>::value) {
  posenc::Tensor tensor(dtype, std::move(shape), values.size() * sizeof(T));
  const auto bytes = std::as_bytes(std::span(values));
  std::copy(bytes.begin(), bytes.end(), tensor.mutable_bytes().begin());
  return tensor;
}

// The elements of a view, whose type must be T's.
template <typename T>
std::vector<T> Values(const posenc::TensorView& view) {
  EXPECT_EQ(view.dtype, posenc::DTypeOf<T>::value);
  const T* const first = reinterpret_cast<const T*>(view.data.data());
  return {first, first + view.data.size() / sizeof(T)};
}

// Reads a command line into an options object. The text is CLI11's complaint,
// empty if it has none.
template <typename Options>
std::string Parse(Options& options, std::vector<std::string> arguments) {
  CLI::App app;
  options.AddTo(app);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

// Runs whole commands over a mock connection.
class CliTest : public testing::Test {
 protected:
  struct Run {
    int code = -1;
    std::string out;
    std::string err;

    Json json() const { return Json::parse(out, nullptr, false); }
    Json error() const { return Json::parse(err, nullptr, false)["error"]; }
  };

  // The words after "posenc".
  Run RunPosenc(const std::vector<std::string>& arguments);

  // A status of the server's, with a reason.
  static absl::Status Refusal(absl::StatusCode code, const std::string& message,
                              const std::string& reason);

  std::shared_ptr<testing::StrictMock<posenc::MockConnection>> connection_ =
      std::make_shared<testing::StrictMock<posenc::MockConnection>>();
  ScratchDirectory scratch_;

  // What the next runs happen in.
  Terminal terminal_;
  absl::Status connect_status_;
  bool cancelled_ = false;

  // What the last run connected with.
  posenc::ClientOptions client_options_;
  int connects_ = 0;
};

}  // namespace posenc::cli

#endif  // POSENC_TESTS_UNIT_CLIENT_CLI_CLI_TEST_BASE_H_
