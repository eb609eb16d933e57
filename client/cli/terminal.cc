#include "client/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace posenc::cli {
namespace {

bool AnnouncesTrueColor() {
  const char* value = std::getenv("COLORTERM");
  if (value == nullptr) return false;
  const std::string_view text(value);
  return text == "truecolor" || text == "24bit";
}

}  // namespace

Terminal DetectTerminal() {
  Terminal terminal;
  terminal.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  terminal.err_is_terminal = isatty(STDERR_FILENO) == 1;
  terminal.true_color = terminal.out_is_terminal && AnnouncesTrueColor();
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = size.ws_col;
  }
  return terminal;
}

}  // namespace posenc::cli
