#include "server/core/encodings/registry.h"

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/core/encodings/alibi.h"
#include "server/core/encodings/float32_rotary.h"
#include "server/core/encodings/float32_sinusoidal.h"
#include "server/core/encodings/learned.h"
#include "server/core/encodings/relative_buckets.h"
#include "server/core/encodings/rotary.h"
#include "server/core/encodings/scaled.h"
#include "server/core/encodings/sinusoidal.h"
#include "server/core/encodings/sinusoidal_grid.h"

namespace posenc::server {
namespace {

// The recipe of an encoding that is made from its spec alone.
template <typename E>
EncodingRecipe RecipeOf(const EncodingSpec& spec) {
  return {E::Key(spec), [spec] { return std::make_shared<E>(spec); }};
}

absl::StatusOr<EncodingRecipe> SinusoidalRecipe(const EncodingSpec& spec,
                                                const EmbeddingStore&) {
  if (spec.angle_precision == AnglePrecision::kExact) {
    return RecipeOf<Sinusoidal>(spec);
  }
  return RecipeOf<Float32Sinusoidal>(spec);
}

absl::StatusOr<EncodingRecipe> LearnedRecipe(const EncodingSpec& spec,
                                             const EmbeddingStore& tables) {
  if (spec.position_table.empty()) {
    return Error(absl::StatusCode::kInvalidArgument, "POSITION_TABLE_MISSING",
                 "a LEARNED encoding needs encoding.position_table");
  }
  auto table = tables.Find(spec.position_table);
  if (!table.ok()) return table.status();
  const std::uint64_t width = (*table)->host.width;
  if (width != spec.d_model) {
    return Error(
        absl::StatusCode::kInvalidArgument, "D_MODEL_MISMATCH",
        absl::StrCat("position table '", spec.position_table, "' has rows of ",
                     width, " but d_model is ", spec.d_model));
  }
  return EncodingRecipe{Learned::Key(spec, **table), [spec, table = *table] {
                          return std::make_shared<Learned>(spec, table);
                        }};
}

absl::StatusOr<EncodingRecipe> RotaryRecipe(const EncodingSpec& spec,
                                            const EmbeddingStore&) {
  if (spec.angle_precision == AnglePrecision::kExact) {
    return RecipeOf<Rotary>(spec);
  }
  return RecipeOf<Float32Rotary>(spec);
}

absl::StatusOr<EncodingRecipe> AlibiRecipe(const EncodingSpec& spec,
                                           const EmbeddingStore&) {
  return RecipeOf<Alibi>(spec);
}

absl::StatusOr<EncodingRecipe> RelativeBucketsRecipe(
    const EncodingSpec& spec, const EmbeddingStore& tables) {
  std::shared_ptr<const EmbeddingTable> table;
  if (!spec.position_table.empty()) {
    auto found = tables.Find(spec.position_table);
    if (!found.ok()) return found.status();
    table = *std::move(found);
    if (table->host.rows != spec.buckets) {
      return Invalid(
          "BUCKETS_MISMATCH",
          absl::StrCat("position table '", spec.position_table, "' has ",
                       table->host.rows, " rows, but encoding.buckets is ",
                       spec.buckets));
    }
  }
  const std::uint64_t width = table == nullptr ? 1 : table->host.width;
  if (width != spec.d_model) {
    return Invalid("D_MODEL_MISMATCH",
                   absl::StrCat("rows of these RELATIVE_BUCKETS have ", width,
                                " elements, but d_model is ", spec.d_model));
  }
  return EncodingRecipe{RelativeBuckets::Key(spec, table.get()), [spec, table] {
                          return std::make_shared<RelativeBuckets>(spec, table);
                        }};
}

// The same, with rows multiplied by the spec's factor.
EncodingRecipe WithFactor(double factor, EncodingRecipe recipe) {
  if (factor == 1) return recipe;
  return {Scaled::Key(factor, recipe.key), [factor, make = recipe.make] {
            return std::make_shared<Scaled>(factor, make());
          }};
}

absl::StatusOr<EncodingRecipe> GridRecipe(const EncodingSpec& spec,
                                          const EmbeddingStore&) {
  return RecipeOf<SinusoidalGrid>(spec);
}

// One line a family.
constexpr struct {
  EncodingKind kind;
  absl::StatusOr<EncodingRecipe> (*recipe)(const EncodingSpec&,
                                           const EmbeddingStore&);
} kFamilies[] = {
    {EncodingKind::kSinusoidal, SinusoidalRecipe},
    {EncodingKind::kLearned, LearnedRecipe},
    {EncodingKind::kRotary, RotaryRecipe},
    {EncodingKind::kAlibi, AlibiRecipe},
    {EncodingKind::kRelativeBuckets, RelativeBucketsRecipe},
    {EncodingKind::kSinusoidalGrid, GridRecipe},
};

}  // namespace

absl::StatusOr<EncodingRecipe> FindRecipe(const EncodingSpec& spec,
                                          const EmbeddingStore& tables) {
  for (const auto& family : kFamilies) {
    if (family.kind != spec.kind) continue;
    auto recipe = family.recipe(spec, tables);
    if (!recipe.ok()) return recipe;
    return WithFactor(spec.RowFactor(), *std::move(recipe));
  }
  return absl::InternalError(
      absl::StrCat("no family of kind ", Name(spec.kind)));
}

}  // namespace posenc::server
