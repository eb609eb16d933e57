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

template <typename In>
double ScaledElement(const void* in, std::size_t i, double scale) {
  return scale * In::Widen(Load<typename In::Bits>(in, i));
}

template <typename In, typename Out, Pairing kPairing>
void RotatePairsOfRow(const void* in, const double* encoding,
                      const PairRows& rows, void* out) {
  for (std::size_t i = 0; i < rows.pairs; ++i) {
    const bool adjacent = kPairing == Pairing::kAdjacent;
    const std::size_t first = adjacent ? 2 * i : i;
    const std::size_t second = adjacent ? first + 1 : first + rows.pairs;
    const double a = ScaledElement<In>(in, first, rows.scale);
    const double b = ScaledElement<In>(in, second, rows.scale);
    const double cos = Load<double>(encoding, i);
    const double sin = Load<double>(encoding, rows.pairs + i);
    Store(Out::Round(a * cos - b * sin), out, first);
    Store(Out::Round(a * sin + b * cos), out, second);
  }
  for (std::size_t i = 2 * rows.pairs; i < rows.width; ++i) {
    Store(Out::Round(ScaledElement<In>(in, i, rows.scale)), out, i);
  }
}

template <typename In, typename Out, Pairing kPairing>
void RotatePairs(const void* in, const double* encoding, const PairRows& rows,
                 void* out) {
  const auto* from = static_cast<const std::byte*>(in);
  auto* to = static_cast<std::byte*>(out);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    RotatePairsOfRow<In, Out, kPairing>(from, encoding, rows, to);
    from += rows.width * sizeof(typename In::Bits);
    to += rows.width * sizeof(typename Out::Bits);
    encoding += rows.encoding_stride;
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

template <typename In, typename Out>
constexpr void FillConversion(Kernels& kernels, DType in, DType out) {
  const int from = static_cast<int>(in);
  const int to = static_cast<int>(out);
  kernels.add[from][to] = &Add<In, Out>;
  kernels.rotate_pairs[static_cast<int>(Pairing::kAdjacent)][from][to] =
      &RotatePairs<In, Out, Pairing::kAdjacent>;
  kernels.rotate_pairs[static_cast<int>(Pairing::kHalves)][from][to] =
      &RotatePairs<In, Out, Pairing::kHalves>;
}

template <typename In>
constexpr void FillInput(Kernels& kernels, DType in) {
  FillConversion<In, Float32>(kernels, in, DType::kFloat32);
  FillConversion<In, Float16>(kernels, in, DType::kFloat16);
  FillConversion<In, BFloat16>(kernels, in, DType::kBFloat16);
  FillConversion<In, Float64>(kernels, in, DType::kFloat64);
}

constexpr Kernels MakeKernels() {
  Kernels kernels{"reference", {}, &Rotate, &Rotate, &SinCosOfTurns, {}};
  FillInput<Float32>(kernels, DType::kFloat32);
  FillInput<Float16>(kernels, DType::kFloat16);
  FillInput<BFloat16>(kernels, DType::kBFloat16);
  FillInput<Float64>(kernels, DType::kFloat64);
  return kernels;
}

}  // namespace

const Kernels& ReferenceKernels() {
  static constexpr Kernels kKernels = MakeKernels();
  return kKernels;
}

}  // namespace posenc::server
