#ifndef POSENC_SERVER_CORE_ENCODINGS_SCALED_H_
#define POSENC_SERVER_CORE_ENCODINGS_SCALED_H_

#include <memory>
#include <string>
#include <vector>

#include "server/core/encodings/encoding.h"

namespace posenc::server {

// The rows of another encoding, which is added, times a factor: each product
// rounded to double.
class Scaled final : public Encoding {
 public:
  static std::string Key(double factor, const std::string& inner_key);

  Scaled(double factor, std::shared_ptr<const Encoding> inner)
      : factor_(factor), inner_(std::move(inner)) {}

  Op op() const override { return inner_->op(); }
  std::uint64_t width() const override { return inner_->width(); }
  PositionRange range() const override { return inner_->range(); }
  std::uint64_t bytes() const override {
    return sizeof(*this) + inner_->bytes();
  }
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override;
  absl::Status BuildRow(double position, std::span<double> row) const override;
  absl::Status BuildRowAt(std::span<const double> coordinates,
                          std::span<double> row) const override;
  std::optional<double> MaxError(DType dtype) const override;
  std::vector<double> Frequencies() const override {
    return inner_->Frequencies();
  }

 private:
  const double factor_;
  const std::shared_ptr<const Encoding> inner_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_SCALED_H_
