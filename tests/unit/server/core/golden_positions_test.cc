// The rows that real libraries read for the tokens of a batch, which they
// derive from token ids or masks.

#include <gtest/gtest.h>

#include <cmath>

#include "server/core/encodings/sinusoidal.h"
#include "server/core/positions.h"
#include "tests/support/tensor_bytes.h"
#include "tests/unit/server/core/golden_file.h"

namespace posenc::server {
namespace {

using ::nlohmann::json;
using ::posenc::testing::GoldenCasesOf;
using ::posenc::testing::Numbers;
using Scheme = PositionFields::Scheme;

template <typename T>
std::vector<T> Integers(const json& nested) {
  std::vector<T> integers;
  for (const double value : Numbers(nested)) {
    integers.push_back(static_cast<T>(value));
  }
  return integers;
}

// The positions of a batch of token ids with padding.
PositionList OfIds(const json& golden, const EncodingSpec& spec) {
  const json& params = golden.at("params");
  const auto ids = Integers<std::uint64_t>(golden.at("input"));
  const std::uint64_t batch = golden.at("input").size();
  const auto list = ResolvePositions({.offset = params.at("cache_length"),
                                      .scheme = Scheme::kPaddingId,
                                      .padding_id = params.at("padding_idx")},
                                     {batch, ids.size() / batch}, spec, ids);
  EXPECT_TRUE(list.ok()) << list.status();
  return list.ok() ? *list : PositionList{};
}

void ExpectTokenDrivenTable(const std::string& golden_profile,
                            const std::string& profile) {
  for (const json& golden : GoldenCasesOf(golden_profile)) {
    const json& params = golden.at("params");
    SCOPED_TRACE(golden.at("input").dump());
    const std::int64_t padding_id = params.at("padding_idx");
    const auto spec = ResolveSpec({.profile = profile,
                                   .d_model = params.at("d"),
                                   .start = padding_id + 1},
                                  std::nullopt);
    ASSERT_TRUE(spec.ok()) << spec.status();
    const PositionList list = OfIds(golden, *spec);
    const Sinusoidal encoding(*spec);
    EXPECT_TRUE(CheckRange(list, *spec, encoding).ok());
    const std::vector<double> exact = Numbers(golden.at("exact"));
    const std::vector<double> rows = Numbers(golden.at("positions"));
    const std::size_t width = spec->d_model;
    ASSERT_EQ(list.count() * width, exact.size());
    for (std::size_t r = 0; r < list.count(); ++r) {
      const double position = list.values[r];
      std::vector<double> row(width);
      if (!PositionList::IsPadding(position)) {
        EXPECT_EQ(position + static_cast<double>(spec->start), rows[r]);
        ASSERT_TRUE(
            encoding.BuildRows(static_cast<std::int64_t>(position), row).ok());
      }
      for (std::size_t c = 0; c < width; ++c) {
        EXPECT_NEAR(row[c], exact[r * width + c], 0x1p-53 + 1e-15)
            << "row " << r << " channel " << c;
      }
    }
  }
}

TEST(GoldenPositions, M2m100) { ExpectTokenDrivenTable("hf.m2m100", "m2m100"); }

TEST(GoldenPositions, SpeechToText) {
  ExpectTokenDrivenTable("hf.speech_to_text", "m2m100");
}

TEST(GoldenPositions, Fsmt) { ExpectTokenDrivenTable("hf.fsmt", "fsmt"); }

// The rows of a learned table that a list reads.
std::vector<double> TableRows(const PositionList& list,
                              const EncodingSpec& spec) {
  std::vector<double> rows;
  for (const double position : list.values) {
    rows.push_back(position + static_cast<double>(spec.start));
  }
  return rows;
}

EncodingSpec LearnedSpec(const std::string& profile, std::int64_t start) {
  const auto spec = ResolveSpec({.profile = profile,
                                 .d_model = 8,
                                 .start = start,
                                 .position_table = "places"},
                                std::nullopt);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *spec : EncodingSpec{};
}

TEST(GoldenPositions, Roberta) {
  for (const json& golden : GoldenCasesOf("hf.roberta_position_ids")) {
    SCOPED_TRACE(golden.at("input").dump());
    const std::int64_t padding_id = golden.at("params").at("padding_idx");
    const EncodingSpec spec = LearnedSpec("roberta", padding_id + 1);
    EXPECT_EQ(TableRows(OfIds(golden, spec), spec),
              Numbers(golden.at("output")));
  }
}

TEST(GoldenPositions, Opt) {
  for (const json& golden : GoldenCasesOf("hf.opt_position_ids")) {
    SCOPED_TRACE(golden.at("input").dump());
    const EncodingSpec spec =
        LearnedSpec("opt", golden.at("params").at("offset"));
    const auto mask = Integers<std::int64_t>(golden.at("input"));
    const std::uint64_t batch = golden.at("input").size();
    const std::uint64_t columns = mask.size() / batch;
    const std::uint64_t past = golden.at("params").at("cache_length");
    const auto list = ResolvePositions(
        {.scheme = Scheme::kAttentionMask,
         .tensor = testing::View(DType::kInt64, {batch, columns}, mask)},
        {batch, columns - past}, spec, {});
    ASSERT_TRUE(list.ok()) << list.status();
    EXPECT_EQ(TableRows(*list, spec), Numbers(golden.at("output")));
  }
}

TEST(GoldenPositions, Bart) {
  for (const json& golden : GoldenCasesOf("hf.bart_position_ids")) {
    const json& params = golden.at("params");
    const EncodingSpec spec = LearnedSpec("bart", params.at("offset"));
    const std::uint64_t batch = golden.at("output").size();
    const auto list = ResolvePositions({.offset = params.at("cache_length")},
                                       {batch, params.at("seq_len")}, spec, {});
    ASSERT_TRUE(list.ok()) << list.status();
    const PositionList all = Rows(*list, 0, batch * golden["output"][0].size());
    EXPECT_EQ(TableRows(all, spec), Numbers(golden.at("output")));
  }
}

}  // namespace
}  // namespace posenc::server
