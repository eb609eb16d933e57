#include <cstddef>
#include <cstdint>
#include <cstring>

#include "server/base/float16.h"
#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

// How the bits of an element type become a double and back.
struct Float32 {
  using Bits = float;
  static double Widen(float value) { return value; }
  static float Round(double value) { return static_cast<float>(value); }
};
struct Float16 {
  using Bits = std::uint16_t;
  static double Widen(std::uint16_t bits) { return F16ToDouble(bits); }
  static std::uint16_t Round(double value) { return DoubleToF16(value); }
};
struct BFloat16 {
  using Bits = std::uint16_t;
  static double Widen(std::uint16_t bits) { return BF16ToDouble(bits); }
  static std::uint16_t Round(double value) { return DoubleToBF16(value); }
};
struct Float64 {
  using Bits = double;
  static double Widen(double value) { return value; }
  static double Round(double value) { return value; }
};

template <typename T>
T Load(const void* base, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(base) + i * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T>
void Store(T value, void* base, std::size_t i) {
  std::memcpy(static_cast<std::byte*>(base) + i * sizeof(T), &value, sizeof(T));
}

template <typename In, typename Out>
void Add(const void* in, const double* encoding, double scale, void* out,
         std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double value = In::Widen(Load<typename In::Bits>(in, i));
    const double sum = scale * value + Load<double>(encoding, i);
    Store(Out::Round(sum), out, i);
  }
}

void Rotate(const double* sin_a, const double* cos_a, const double* sin_b,
            const double* cos_b, double* out_sin, double* out_cos,
            std::size_t stride, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double sa = Load<double>(sin_a, i);
    const double ca = Load<double>(cos_a, i);
    const double sb = Load<double>(sin_b, i);
    const double cb = Load<double>(cos_b, i);
    Store(sa * cb + ca * sb, out_sin, i * stride);
    Store(ca * cb - sa * sb, out_cos, i * stride);
  }
}

void SinCosOfTurns(DoubleDouble position, const DoubleDouble* turns,
                   double* sin, double* cos, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const SinCos angle = server::SinCosOfTurns(position, turns[i]);
    sin[i] = angle.sin;
    cos[i] = angle.cos;
  }
}

template <typename In>
constexpr void FillRow(AddFunction (&row)[kFloatDTypes]) {
  row[static_cast<int>(DType::kFloat32)] = &Add<In, Float32>;
  row[static_cast<int>(DType::kFloat16)] = &Add<In, Float16>;
  row[static_cast<int>(DType::kBFloat16)] = &Add<In, BFloat16>;
  row[static_cast<int>(DType::kFloat64)] = &Add<In, Float64>;
}

constexpr Kernels MakeKernels() {
  Kernels kernels{"reference", {}, &Rotate, &Rotate, &SinCosOfTurns};
  FillRow<Float32>(kernels.add[static_cast<int>(DType::kFloat32)]);
  FillRow<Float16>(kernels.add[static_cast<int>(DType::kFloat16)]);
  FillRow<BFloat16>(kernels.add[static_cast<int>(DType::kBFloat16)]);
  FillRow<Float64>(kernels.add[static_cast<int>(DType::kFloat64)]);
  return kernels;
}

}  // namespace

const Kernels& ReferenceKernels() {
  static constexpr Kernels kKernels = MakeKernels();
  return kKernels;
}

}  // namespace posenc::server
