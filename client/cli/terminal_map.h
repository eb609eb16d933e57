#ifndef POSENC_CLI_TERMINAL_MAP_H_
#define POSENC_CLI_TERMINAL_MAP_H_

#include <cstddef>
#include <ostream>

#include "client/cli/grid.h"

namespace posenc::cli {

// Draws the heat map in 24-bit colours, at most `width` characters wide and 24
// lines high. A character is a half block: two values, one above the other.
void DrawInTerminal(const Grid& grid, double range, std::size_t width,
                    std::ostream& out);

}  // namespace posenc::cli

#endif  // POSENC_CLI_TERMINAL_MAP_H_
