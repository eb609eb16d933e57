// Each family of encodings, from the client through the wire and back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/integration/served_test.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/true_values.h"

namespace posenc::testing {
namespace {

// Numbers of no pattern that a mistake in a layout would leave as it is.
std::vector<float> Ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t n = 0; n < count; ++n) {
    values[n] = static_cast<float>(n * n % 23) / 8 - 1;
  }
  return values;
}

class FamiliesTest : public ServedTest {
 protected:
  void SetUp() override {
    std::vector<float> places(10 * 4);
    std::iota(places.begin(), places.end(), 0.0f);
    WriteNpy(tables_.File("places.npy"), {10, 4}, places);
    Serve({"--tables", tables_.path()});
  }

  std::vector<float> Encoded(const std::vector<float>& x, Shape shape,
                             const EncodeOptions& options) {
    const auto result = client_->Encode(
        TensorView(std::span<const float>(x), std::move(shape)), options);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    const auto values = result->output.values<float>();
    return {values.begin(), values.end()};
  }

  TemporaryDirectory tables_;
};

// Channel c of a head turned as Llama's, at an integer position.
double Turned(const float* head, std::size_t c, std::size_t dimension,
              double position) {
  const std::size_t half = dimension / 2;
  const std::size_t i = c % half;
  const auto d = static_cast<double>(dimension);
  const double sin = TrueSin(position, 0, 1e4, i, d).hi;
  const double cos = TrueCos(position, 0, 1e4, i, d).hi;
  return c < half ? head[i] * cos - head[i + half] * sin
                  : head[i + half] * cos + head[i] * sin;
}

TEST_F(FamiliesTest, RotaryTurnsHeadsInBothLayouts) {
  constexpr std::size_t kSequences = 2, kHeads = 3, kTokens = 5, kHead = 8;
  const std::vector<float> x = Ramp(kSequences * kHeads * kTokens * kHead);
  const std::vector<float> heads_first =
      Encoded(x, {kSequences, kHeads, kTokens, kHead},
              {.encoding = {.profile = "llama"},
               .batch_layout = BatchLayout::kHeadsSequence,
               .positions = {.offset = 100}});
  const std::vector<float> heads_last =
      Encoded(x, {kSequences, kTokens, kHeads, kHead},
              {.encoding = {.profile = "llama"},
               .batch_layout = BatchLayout::kSequenceHeads,
               .positions = {.offset = 100}});
  ASSERT_EQ(heads_first.size(), x.size());
  ASSERT_EQ(heads_last.size(), x.size());
  for (std::size_t n = 0; n < x.size(); ++n) {
    const std::size_t c = n % kHead;
    const std::size_t row = n / kHead;
    const float* const head = x.data() + row * kHead;
    const auto first = static_cast<double>(100 + row % kTokens);
    const auto last = static_cast<double>(100 + row / kHeads % kTokens);
    EXPECT_NEAR(heads_first[n], Turned(head, c, kHead, first), 1.3e-7);
    EXPECT_NEAR(heads_last[n], Turned(head, c, kHead, last), 1.3e-7);
  }
}

// Grouped queries: four heads of queries and two of keys, as one tensor.
TEST_F(FamiliesTest, QueriesAndKeysGoInOneRequest) {
  constexpr std::size_t kTokens = 5, kHead = 8;
  const std::vector<float> queries = Ramp(4 * kTokens * kHead);
  std::vector<float> keys = Ramp(2 * kTokens * kHead);
  std::reverse(keys.begin(), keys.end());
  std::vector<float> both = queries;
  both.insert(both.end(), keys.begin(), keys.end());
  const EncodeOptions options{.encoding = {.profile = "gpt-j"},
                              .batch_layout = BatchLayout::kHeadsSequence,
                              .positions = {.offset = 7}};
  std::vector<float> apart = Encoded(queries, {1, 4, kTokens, kHead}, options);
  const std::vector<float> turned_keys =
      Encoded(keys, {1, 2, kTokens, kHead}, options);
  apart.insert(apart.end(), turned_keys.begin(), turned_keys.end());
  EXPECT_EQ(Encoded(both, {1, 6, kTokens, kHead}, options), apart);
}

TEST_F(FamiliesTest, RotaryPassesTheOtherChannelsAndPaddingThrough) {
  const std::vector<float> x = Ramp(2 * 3 * 8);
  const std::vector<std::int64_t> mask = {0, 1, 1, 1, 1, 0};
  const std::vector<float> y = Encoded(
      x, {2, 3, 8},
      {.encoding = {.profile = "gpt-neox",
                    .padding_rows = PaddingRows::kZero,
                    .rotary_dimension = 4},
       .positions = {.attention_mask = TensorView(std::span(mask), {2, 3})}});
  ASSERT_EQ(y.size(), x.size());
  const std::vector<int> position = {-1, 0, 1, 0, 1, -1};
  for (std::size_t n = 0; n < x.size(); ++n) {
    const std::size_t row = n / 8;
    const std::size_t c = n % 8;
    const double wanted = c < 4 && position[row] >= 0
                              ? Turned(x.data() + row * 8, c, 4, position[row])
                              : x[n];
    EXPECT_NEAR(y[n], wanted, 1.3e-7) << "row " << row << " channel " << c;
  }
}

TEST_F(FamiliesTest, RotaryTablesAreCosinesThenSines) {
  const auto result = client_->GetEncoding(
      {.encoding = {.profile = "gpt-j", .d_model = 16, .rotary_dimension = 4},
       .first_position = 7,
       .position_count = 1});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->rows.shape(), (Shape{1, 4}));
  const auto row = result->rows.values<float>();
  for (std::uint64_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(row[i], TrueCos(7, 0, 1e4, i, 4).hi, 6e-8);
    EXPECT_NEAR(row[2 + i], TrueSin(7, 0, 1e4, i, 4).hi, 6e-8);
  }
}

TEST_F(FamiliesTest, BatchMatesAndHistoryChangeNoValue) {
  EncodeOptions options{.encoding = {.profile = "llama"},
                        .batch_layout = BatchLayout::kHeadsSequence};
  options.encoding.frequency_scaling =
      FrequencyScaling{.rule = FrequencyRule::kDynamicNtk,
                       .factor = 2,
                       .original_context = 16,
                       .context_length = 24};
  const std::vector<float> x = Ramp(64 * 8);
  const std::vector<float> alone(x.begin(), x.begin() + 16 * 8);
  const std::vector<float> before = Encoded(alone, {1, 1, 16, 8}, options);
  const std::vector<float> longer = Encoded(x, {1, 1, 64, 8}, options);
  EXPECT_EQ(Encoded(alone, {1, 1, 16, 8}, options), before);
  EXPECT_EQ(std::vector<float>(longer.begin(), longer.begin() + 16 * 8),
            before);
}

TEST_F(FamiliesTest, GridsHaveARowForEachToken) {
  const std::vector<float> zeros(7 * 8);
  const std::vector<float> y = Encoded(
      zeros, {1, 7, 8}, {.encoding = {.profile = "mae", .grid_sizes = {2, 3}}});
  ASSERT_EQ(y.size(), zeros.size());
  for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(y[c], 0);
  // Token [1,2]: the width's sines and cosines, then the height's.
  const float* const last = y.data() + 6 * 8;
  for (std::uint64_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(last[i], TrueSin(2, 0, 1e4, i, 4).hi, 6e-8);
    EXPECT_NEAR(last[2 + i], TrueCos(2, 0, 1e4, i, 4).hi, 6e-8);
    EXPECT_NEAR(last[4 + i], TrueSin(1, 0, 1e4, i, 4).hi, 6e-8);
    EXPECT_NEAR(last[6 + i], TrueCos(1, 0, 1e4, i, 4).hi, 6e-8);
  }
}

TEST_F(FamiliesTest, LearnedTablesOverflowAsAsked) {
  const std::vector<float> zeros(2 * 4);
  EncodeOptions options{.encoding = {.profile = "learned",
                                     .position_table = "places",
                                     .table_overflow = TableOverflow::kClamp},
                        .positions = {.offset = 9}};
  EXPECT_EQ(Encoded(zeros, {1, 2, 4}, options),
            (std::vector<float>{36, 37, 38, 39, 36, 37, 38, 39}));
  options.encoding.table_overflow = TableOverflow::kZeroRow;
  EXPECT_EQ(Encoded(zeros, {1, 2, 4}, options),
            (std::vector<float>{36, 37, 38, 39, 0, 0, 0, 0}));
}

TEST_F(FamiliesTest, BiasesComeAsRows) {
  const auto alibi =
      client_->GetEncoding({.encoding = {.profile = "alibi", .d_model = 4},
                            .first_position = -2,
                            .position_count = 3});
  ASSERT_TRUE(alibi.ok()) << alibi.status();
  const auto biases = alibi->rows.values<float>();
  EXPECT_EQ(
      std::vector<float>(biases.begin(), biases.end()),
      (std::vector<float>{-0.5, -0.125, -0.03125, -0.0078125, -0.25, -0.0625,
                          -0.015625, -0.00390625, -0, -0, -0, -0}));
  const auto buckets =
      client_->GetEncoding({.encoding = {.profile = "t5", .d_model = 1},
                            .first_position = -9,
                            .position_count = 12});
  ASSERT_TRUE(buckets.ok()) << buckets.status();
  const auto numbers = buckets->rows.values<float>();
  EXPECT_EQ(std::vector<float>(numbers.begin(), numbers.end()),
            (std::vector<float>{8, 8, 7, 6, 5, 4, 3, 2, 1, 0, 17, 18}));
}

TEST_F(FamiliesTest, DropoutIsReplayedBySeedAndRequestPosition) {
  const std::vector<float> x = Ramp(4096);
  EncodeOptions options{.dropout = Dropout{.rate = 0.25, .seed = 7}};
  const std::vector<float> plain = Encoded(x, {4, 64, 16}, {});
  const std::vector<float> y = Encoded(x, {4, 64, 16}, options);
  EXPECT_EQ(Encoded(x, {4, 64, 16}, options), y);
  std::size_t dropped = 0;
  for (std::size_t n = 0; n < y.size(); ++n) {
    if (y[n] == 0) {
      ++dropped;
    } else {
      EXPECT_EQ(y[n], static_cast<float>(plain[n] * (1 / 0.75)));
    }
  }
  EXPECT_NEAR(static_cast<double>(dropped), 1024, 140);  // five deviations
  options.dropout->request_position = 1;
  EXPECT_NE(Encoded(x, {4, 64, 16}, options), y);
}

TEST_F(FamiliesTest, ProfilesAreListed) {
  const auto profiles = client_->ListProfiles();
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  bool found = false;
  for (const Profile& profile : *profiles) {
    if (profile.name != "torchlingo") continue;
    found = true;
    EXPECT_EQ(profile.library, "TorchLingo");
    EXPECT_FALSE(profile.checked_version.empty());
    EXPECT_EQ(profile.encoding.base, 1e4);
  }
  EXPECT_TRUE(found);
}

TEST_F(FamiliesTest, DescriptionsTellWhatIsInForce) {
  const auto yarn = client_->DescribeEncoding(
      {.encoding = {
           .profile = "llama",
           .d_model = 8,
           .frequency_scaling = FrequencyScaling{.rule = FrequencyRule::kYarn,
                                                 .factor = 4,
                                                 .original_context = 2048}}});
  ASSERT_TRUE(yarn.ok()) << yarn.status();
  EXPECT_EQ(yarn->operation, "rotate");
  ASSERT_TRUE(yarn->attention_factor.has_value());
  EXPECT_NEAR(*yarn->attention_factor, 1.138629436, 1e-9);
  ASSERT_EQ(yarn->frequencies.size(), 4u);
  EXPECT_NEAR(yarn->frequencies[2], 0.00625, 1e-15);
  ASSERT_TRUE(yarn->encoding.frequency_scaling.has_value());
  EXPECT_EQ(yarn->encoding.frequency_scaling->beta_fast, 32);
  const auto plain = client_->DescribeEncoding(
      {.encoding = {.d_model = 64}, .collision_search_positions = 5000});
  ASSERT_TRUE(plain.ok()) << plain.status();
  ASSERT_TRUE(plain->float32_difference.has_value());
  EXPECT_GT(*plain->float32_difference, 1e-6);
  EXPECT_LT(*plain->float32_difference, 5e-4);
}

}  // namespace
}  // namespace posenc::testing
