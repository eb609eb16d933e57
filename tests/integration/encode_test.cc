// Encode, from the client through the wire to the kernels and back.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/integration/served_test.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/true_values.h"

namespace posenc::testing {
namespace {

// A tensor's elements: ((7b + 3s + 5i) mod 17 - 8) / 8.
std::vector<float> Pattern(std::uint64_t batch, std::uint64_t sequence,
                           std::uint64_t d_model) {
  std::vector<float> values;
  values.reserve(batch * sequence * d_model);
  for (std::uint64_t b = 0; b < batch; ++b) {
    for (std::uint64_t s = 0; s < sequence; ++s) {
      for (std::uint64_t i = 0; i < d_model; ++i) {
        const auto residue = static_cast<int>((7 * b + 3 * s + 5 * i) % 17);
        values.push_back(static_cast<float>(residue - 8) / 8);
      }
    }
  }
  return values;
}

// Whether y is x + encoding for the torchlingo profile, rounded once. Of large
// tensors only every so many elements are compared, since the truth is slow.
void ExpectEncoded(const std::vector<float>& x, std::span<const float> y,
                   std::uint64_t sequence, std::uint64_t d_model) {
  ASSERT_EQ(x.size(), y.size());
  const auto d = static_cast<double>(d_model);
  // Odd, so that it meets sines and cosines.
  const std::size_t step = x.size() / 20000 * 2 + 1;
  for (std::size_t n = 0; n < x.size(); n += step) {
    const std::uint64_t i = n % d_model;
    const auto p = static_cast<double>(n / d_model % sequence);
    const TrueValue pe = i % 2 == 0 ? TrueSin(p, 0, 1e4, i / 2, d)
                                    : TrueCos(p, 0, 1e4, i / 2, d);
    const double truth = x[n] + pe.hi;
    ASSERT_LE(std::abs(y[n] - truth),
              HalfUlpOfFloat32(truth) + kArithmeticError)
        << "element " << n;
  }
}

class EncodeTest : public ServedTest {
 protected:
  void SetUp() override {
    std::vector<float> words(7 * 16);
    std::iota(words.begin(), words.end(), 0.0f);
    WriteNpy(tables_.File("words.npy"), {7, 16}, words);
    Serve({"--tables", tables_.path()});
  }

  TemporaryDirectory tables_;
};

TEST_F(EncodeTest, ATorchLingoUsersFirstExample) {
  const std::vector<float> x = Pattern(2, 100, 512);
  const auto result =
      client_->Encode(TensorView(std::span<const float>(x), {2, 100, 512}),
                      {.encoding = {.d_model = 512}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->shape, (Shape{2, 100, 512}));
  EXPECT_EQ(result->encoding.profile, "torchlingo");
  ExpectEncoded(x, result->output.values<float>(), 100, 512);
}

TEST_F(EncodeTest, IntoTheCallersMemoryAndFromSharedTensors) {
  const std::vector<float> x = Pattern(3, 40, 30);
  std::vector<float> y(x.size());
  const auto result =
      client_->EncodeInto(std::as_writable_bytes(std::span(y)),
                          SharedTensor::FromVector(x, {3, 40, 30}));
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectEncoded(x, y, 40, 30);
  EXPECT_TRUE(result->output.bytes().empty());
}

TEST_F(EncodeTest, LongerThanAnyMaxSeqLen) {
  const std::vector<float> x = Pattern(1, 20000, 8);
  const auto result =
      client_->Encode(TensorView(std::span<const float>(x), {1, 20000, 8}));
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectEncoded(x, result->output.values<float>(), 20000, 8);
}

TEST_F(EncodeTest, TokenIds) {
  const std::vector<std::int32_t> ids = {6, 0, 3, 3};
  const auto result = client_->EncodeTokens(
      TensorView(std::span<const std::int32_t>(ids), {2, 2}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->embedding_scale, 4);
  EXPECT_EQ(result->embedding_table, "words");
  std::vector<float> looked_up;
  for (const std::int32_t id : ids) {
    for (int i = 0; i < 16; ++i) {
      looked_up.push_back(4 * static_cast<float>(16 * id + i));
    }
  }
  ExpectEncoded(looked_up, result->output.values<float>(), 2, 16);
}

// Digits that float32 has not come through.
TEST_F(EncodeTest, TokenIdsOfAFloat64Table) {
  const std::vector<double> rows = {0.1, 1e300, -1 / 3.0, 5e-324};
  WriteNpy(tables_.File("wide.npy"), "<f8", {2, 2}, rows.data(),
           rows.size() * sizeof(double));
  Serve({"--tables", tables_.path()});
  const std::vector<std::int32_t> ids = {1, 0};
  const auto result = client_->EncodeTokens(
      TensorView(std::span<const std::int32_t>(ids), {1, 2}),
      {.encoding = {.embedding_factor = 1}, .embedding_table = "wide"});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->dtype, DType::kFloat64);
  const auto y = result->output.values<double>();
  EXPECT_EQ(y[0], -1 / 3.0);
  EXPECT_EQ(y[1], 1);
  EXPECT_NEAR(y[2], 0.1 + std::sin(1.0), 3e-16);
  EXPECT_EQ(y[3], 1e300);
  const auto table = client_->GetTable({.name = "wide"});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->table.dtype, DType::kFloat64);
  const auto stored = table->rows.values<double>();
  EXPECT_EQ(std::vector<double>(stored.begin(), stored.end()), rows);
}

TEST_F(EncodeTest, EveryDTypeInAndOut) {
  // 1.0 as each type.
  const struct {
    DType dtype;
    std::vector<unsigned char> one;
  } types[] = {{DType::kFloat32, {0, 0, 0x80, 0x3f}},
               {DType::kFloat16, {0, 0x3c}},
               {DType::kBFloat16, {0x80, 0x3f}},
               {DType::kFloat64, {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}}};
  for (const auto& in : types) {
    for (const auto& out : types) {
      const auto result = client_->Encode(
          TensorView(in.dtype, {1, 1, 1}, std::as_bytes(std::span(in.one))),
          {.output_dtype = out.dtype});
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(result->dtype, out.dtype);
      // 1 + sin 0.
      ASSERT_EQ(result->output.bytes().size(), out.one.size());
      EXPECT_EQ(std::memcmp(result->output.bytes().data(), out.one.data(),
                            out.one.size()),
                0);
    }
    const auto same = client_->Encode(
        TensorView(in.dtype, {1, 1, 1}, std::as_bytes(std::span(in.one))));
    ASSERT_TRUE(same.ok());
    EXPECT_EQ(same->dtype, in.dtype);
  }
}

TEST_F(EncodeTest, EveryKindOfPosition) {
  const std::vector<float> x(6);
  const auto sines = [&](const EncodeOptions& options, const Shape& shape) {
    const auto result =
        client_->Encode(TensorView(std::span<const float>(x), shape), options);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? Floats(*result) : std::vector<float>();
  };
  const auto sin = [](double p) { return static_cast<float>(std::sin(p)); };
  // d_model 1: each element is the sine of its position.
  EXPECT_EQ(sines({}, {2, 3, 1}), (std::vector<float>{sin(0), sin(1), sin(2),
                                                      sin(0), sin(1), sin(2)}));
  EXPECT_EQ(
      sines({.batch_layout = BatchLayout::kSequenceFirst}, {3, 2, 1}),
      (std::vector<float>{sin(0), sin(0), sin(1), sin(1), sin(2), sin(2)}));
  EXPECT_EQ(sines({.positions = {.offset = 10}}, {2, 3, 1}),
            (std::vector<float>{sin(10), sin(11), sin(12), sin(10), sin(11),
                                sin(12)}));
  const std::vector<double> reals = {0.5, -3, 1e9};
  EXPECT_EQ(sines({.positions = {.values = TensorView(
                                     std::span<const double>(reals), {3})}},
                  {2, 3, 1}),
            (std::vector<float>{sin(0.5), sin(-3), sin(1e9), sin(0.5), sin(-3),
                                sin(1e9)}));
  const std::vector<std::int64_t> lengths = {1, 2};
  const TensorView two(std::span<const std::int64_t>(lengths), {2});
  EXPECT_EQ(sines({.encoding = {.padding_rows = PaddingRows::kZero},
                   .positions = {.padded_lengths = two}},
                  {2, 3, 1}),
            (std::vector<float>{sin(0), 0, 0, sin(0), sin(1), 0}));
  const std::vector<std::int32_t> packed = {4, 2};
  EXPECT_EQ(
      sines({.positions = {.packed_lengths = TensorView(
                               std::span<const std::int32_t>(packed), {2})}},
            {6, 1}),
      (std::vector<float>{sin(0), sin(1), sin(2), sin(3), sin(0), sin(1)}));
}

TEST_F(EncodeTest, RowsOfAnEncodingAndWhatItMeans) {
  const auto rows = client_->GetEncoding({.encoding = {.d_model = 768},
                                          .first_position = 0,
                                          .position_count = 5000});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->rows.shape(), (Shape{5000, 768}));
  ExpectEncoded(std::vector<float>(5000 * 768), rows->rows.values<float>(),
                5000, 768);
  const auto description =
      client_->DescribeEncoding({.encoding = {.d_model = 8}});
  ASSERT_TRUE(description.ok()) << description.status();
  EXPECT_EQ(description->frequencies,
            (std::vector<double>{1, 0.1, 0.01, 0.001}));
  EXPECT_EQ(description->operation, "add");
}

TEST_F(EncodeTest, TablesAndTheCache) {
  const auto tables = client_->ListTables();
  ASSERT_TRUE(tables.ok()) << tables.status();
  ASSERT_EQ(tables->size(), 1u);
  EXPECT_EQ(tables->front().rows, 7u);
  const auto table =
      client_->GetTable({.name = "words", .first_row = 6, .row_count = 1});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->rows.values<float>()[0], 96);
  const auto warmed =
      client_->WarmCache({.encoding = {.d_model = 64}, .position_count = 1000});
  ASSERT_TRUE(warmed.ok()) << warmed.status();
  EXPECT_EQ(warmed->chunks_built, 4u);
  const auto listing = client_->ListCache();
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_EQ(listing->encodings.size(), 1u);
  EXPECT_EQ(listing->encodings[0].chunks, 4u);
  EXPECT_EQ(listing->device.substr(0, 3), "cpu");
  const auto evicted = client_->EvictCache();
  ASSERT_TRUE(evicted.ok()) << evicted.status();
  EXPECT_EQ(evicted->chunks, 4u);
}

TEST_F(EncodeTest, NonFiniteEmbeddingsPassThrough) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {infinity, -infinity, std::nanf(""), 1};
  const auto result =
      client_->Encode(TensorView(std::span<const float>(x), {1, 1, 4}));
  ASSERT_TRUE(result.ok()) << result.status();
  const std::vector<float> y = Floats(*result);
  EXPECT_EQ(y[0], infinity);
  EXPECT_EQ(y[1], -infinity);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 2);
}

TEST_F(EncodeTest, AGibibyteNeedsNoTuning) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's shadow of 4 GiB of tensors is too much for a "
                  "small machine; the release tests send it";
#endif
  constexpr std::uint64_t kElements = std::uint64_t{1} << 28;
  std::vector<float> x(kElements, 0.25f);
  const auto result = client_->Encode(
      SharedTensor::FromVector(std::move(x), {1, kElements / 1024, 1024}));
  ASSERT_TRUE(result.ok()) << result.status();
  const auto y = result->output.values<float>();
  ASSERT_EQ(y.size(), kElements);
  EXPECT_EQ(y[0], 0.25f);
  EXPECT_EQ(y[1], 1.25f);
  const double last = static_cast<double>(kElements / 1024 - 1);
  EXPECT_EQ(y[kElements - 1024],
            static_cast<float>(0.25 + TrueSin(last, 0, 1e4, 0, 1024).hi));
}

}  // namespace
}  // namespace posenc::testing
