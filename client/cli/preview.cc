#include "client/cli/preview.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "client/cli/elements.h"
#include "client/cli/option_values.h"

namespace posenc::cli {
namespace {

class Previewer {
 public:
  Previewer(const posenc::TensorView& view, const PreviewSize& size,
            std::ostream& out)
      : view_(view), size_(size), out_(out), strides_(view.shape.size(), 1) {
    for (std::size_t i = view.shape.size(); i-- > 1;) {
      strides_[i - 1] = strides_[i] * view.shape[i];
    }
  }

  void Print() {
    std::vector<double> shown;
    Collect(0, 0, shown);
    ChooseFormat(shown);
    PrintFrom(0, 0);
    out_ << '\n';
  }

 private:
  std::uint64_t Shown(std::size_t dimension) const {
    const bool last = dimension + 1 == view_.shape.size();
    return std::min(view_.shape[dimension], last ? size_.channels : size_.rows);
  }

  void Collect(std::size_t dimension, std::size_t start,
               std::vector<double>& shown) const {
    if (dimension == view_.shape.size()) {
      shown.push_back(ElementAt(view_, start));
      return;
    }
    for (std::uint64_t i = 0; i < Shown(dimension); ++i) {
      Collect(dimension + 1, start + i * strides_[dimension], shown);
    }
  }

  // Fixed point unless some number would lose its digits in it.
  void ChooseFormat(const std::vector<double>& shown) {
    fixed_ = std::all_of(shown.begin(), shown.end(), [](double value) {
      const double magnitude = std::abs(value);
      return !std::isfinite(value) || value == 0 ||
             (magnitude >= 1e-4 && magnitude < 1e7);
    });
    for (const double value : shown) {
      width_ = std::max(width_, Text(value).size());
    }
  }

  std::string Text(double value) const {
    return fixed_ ? absl::StrFormat("%.6f", value)
                  : absl::StrFormat("%.6e", value);
  }

  void PrintFrom(std::size_t dimension, std::size_t start) {
    if (dimension == view_.shape.size()) {
      out_ << absl::StrFormat("%*s", static_cast<int>(width_),
                              Text(ElementAt(view_, start)));
      return;
    }
    const bool last = dimension + 1 == view_.shape.size();
    const std::string between =
        last ? "  " : "\n" + std::string(dimension + 1, ' ');
    const std::uint64_t shown = Shown(dimension);
    out_ << '[';
    for (std::uint64_t i = 0; i < shown; ++i) {
      if (i > 0) out_ << between;
      PrintFrom(dimension + 1, start + i * strides_[dimension]);
    }
    if (shown < view_.shape[dimension]) {
      out_ << (shown == 0 ? "" : between) << "…";
    }
    out_ << ']';
  }

  const posenc::TensorView& view_;
  const PreviewSize size_;
  std::ostream& out_;
  std::vector<std::size_t> strides_;
  bool fixed_ = true;
  std::size_t width_ = 0;
};

}  // namespace

void PreviewOptions::AddTo(CLI::App& app) {
  constexpr char kGroup[] = "Preview";
  AddInteger(app, "--rows", &rows_, "Rows to show (default 4)")->group(kGroup);
  AddInteger(app, "--channels", &channels_, "Channels to show (default 8)")
      ->group(kGroup);
}

PreviewSize PreviewOptions::size() const {
  PreviewSize size;
  size.rows = rows_.value_or(size.rows);
  size.channels = channels_.value_or(size.channels);
  return size;
}

void PrintPreview(const posenc::TensorView& view, const PreviewSize& size,
                  std::ostream& out) {
  Previewer(view, size, out).Print();
}

}  // namespace posenc::cli
