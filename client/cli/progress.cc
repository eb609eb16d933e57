#include "client/cli/progress.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

constexpr std::uint64_t kLongTransferBytes = 8 << 20;
constexpr std::int64_t kBarCells = 30;
constexpr char kClearLine[] = "\r\x1b[K";

std::string Bar(std::int64_t percent) {
  std::string bar;
  for (std::int64_t cell = 0; cell < kBarCells; ++cell) {
    bar += cell * 100 < percent * kBarCells ? "█" : "░";
  }
  return bar;
}

}  // namespace

Progress::Progress(std::ostream& err, bool is_terminal, Clock now,
                   std::function<bool()> cancelled)
    : err_(err),
      is_terminal_(is_terminal),
      now_(std::move(now)),
      cancelled_(std::move(cancelled)),
      start_(now_()) {}

Progress::~Progress() {
  if (has_line_) err_ << kClearLine << std::flush;
}

posenc::CallOptions Progress::Call() {
  posenc::CallOptions call;
  call.cancelled = [this] {
    ShowSeconds();
    return cancelled_();
  };
  call.progress = [this](std::uint64_t bytes, std::uint64_t total) {
    ShowBytes(bytes, total);
  };
  return call;
}

void Progress::ShowBytes(std::uint64_t bytes, std::uint64_t total) {
  if (!is_terminal_ || total < kLongTransferBytes) return;
  has_bar_ = true;
  const auto percent = static_cast<std::int64_t>(
      100.0 * static_cast<double>(bytes) / static_cast<double>(total));
  if (percent == shown_) return;
  const std::string label =
      absl::StrCat(Bar(percent), " ", percent, " %  ", BytesText(bytes), " of ",
                   BytesText(total));
  Rewrite(percent, label);
}

void Progress::ShowSeconds() {
  if (!is_terminal_ || has_bar_) return;
  const std::int64_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now_() - start_).count();
  if (seconds < 1 || seconds == shown_) return;
  Rewrite(seconds, absl::StrCat("waiting for the server … ", seconds, " s"));
}

void Progress::Rewrite(std::int64_t step, const std::string& label) {
  shown_ = step;
  has_line_ = true;
  err_ << kClearLine << label << std::flush;
}

}  // namespace posenc::cli
