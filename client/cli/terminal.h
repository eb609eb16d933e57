#ifndef POSENC_CLI_TERMINAL_H_
#define POSENC_CLI_TERMINAL_H_

namespace posenc::cli {

// What the process writes to.
struct Terminal {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  // Standard output takes 24-bit colours.
  bool true_color = false;
  // Columns of standard output.
  int width = 80;
};

Terminal DetectTerminal();

}  // namespace posenc::cli

#endif  // POSENC_CLI_TERMINAL_H_
