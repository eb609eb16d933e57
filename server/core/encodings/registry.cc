#include "server/core/encodings/registry.h"

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/core/encodings/learned.h"
#include "server/core/encodings/sinusoidal.h"

namespace posenc::server {
namespace {

absl::StatusOr<EncodingRecipe> SinusoidalRecipe(const EncodingSpec& spec,
                                                const EmbeddingStore&) {
  return EncodingRecipe{Sinusoidal::Key(spec),
                        [spec] { return std::make_shared<Sinusoidal>(spec); }};
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

// One line a family.
constexpr struct {
  EncodingKind kind;
  absl::StatusOr<EncodingRecipe> (*recipe)(const EncodingSpec&,
                                           const EmbeddingStore&);
} kFamilies[] = {
    {EncodingKind::kSinusoidal, SinusoidalRecipe},
    {EncodingKind::kLearned, LearnedRecipe},
};

}  // namespace

absl::StatusOr<EncodingRecipe> FindRecipe(const EncodingSpec& spec,
                                          const EmbeddingStore& tables) {
  for (const auto& family : kFamilies) {
    if (family.kind == spec.kind) return family.recipe(spec, tables);
  }
  return absl::InternalError(
      absl::StrCat("no family of kind ", Name(spec.kind)));
}

}  // namespace posenc::server
