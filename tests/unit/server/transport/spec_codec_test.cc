#include "server/transport/spec_codec.h"

#include <gtest/gtest.h>

#include "server/base/error.h"

namespace posenc::server {
namespace {

TEST(SpecCodec, APresentFieldIsKeptWhateverItsValue) {
  v1::EncodingSpec proto;
  proto.set_start(0);
  proto.set_base(0);
  const auto fields = FromProto(proto);
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_EQ(fields->start, 0);
  EXPECT_EQ(fields->base, 0);
  EXPECT_EQ(fields->profile, std::nullopt);
  EXPECT_EQ(fields->max_positions, std::nullopt);
}

TEST(SpecCodec, EveryProfileComesBackAsItWas) {
  for (const Profile& profile : Profiles()) {
    EncodingSpec spec = profile.spec;
    spec.d_model = 48;
    if (HasField(spec.kind, "angle_scale")) spec.angle_scale = 0.25;
    if (HasField(spec.kind, "position_table")) spec.position_table = "places";
    if (spec.kind == EncodingKind::kSinusoidalGrid) {
      spec.grid_sizes.assign(spec.grid_axes.size(), 5);
    }
    auto fields = FromProto(ToProto(spec));
    ASSERT_TRUE(fields.ok()) << fields.status();
    const auto resolved = ResolveSpec(*fields, std::nullopt);
    ASSERT_TRUE(resolved.ok()) << profile.name << ": " << resolved.status();
    // What was filled in comes back, too.
    fields = FromProto(ToProto(*resolved));
    ASSERT_TRUE(fields.ok()) << fields.status();
    const auto again = ResolveSpec(*fields, std::nullopt);
    ASSERT_TRUE(again.ok()) << profile.name << ": " << again.status();
    EXPECT_TRUE(*again == *resolved) << profile.name;
  }
}

TEST(SpecCodec, RefusesValuesThatTheContractDoesNotName) {
  v1::EncodingSpec proto;
  proto.set_layout(static_cast<v1::SinusoidLayout>(77));
  const auto fields = FromProto(proto);
  EXPECT_EQ(fields.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(fields.status()), "ENUM_VALUE");
  EXPECT_EQ(std::string(fields.status().message()),
            "encoding.layout is 77, which the contract does not name");
  proto.clear_layout();
  proto.set_denominator(v1::FREQUENCY_DENOMINATOR_UNSPECIFIED);
  EXPECT_FALSE(FromProto(proto).ok());
}

TEST(SpecCodec, TensorsHaveABoundedRank) {
  v1::Tensor tensor;
  tensor.set_dtype(v1::FLOAT32);
  for (int i = 0; i < 9; ++i) tensor.add_shape(1);
  const auto view = HeaderFromProto(tensor, "embeddings");
  EXPECT_EQ(ReasonOf(view.status()), "RANK");
}

}  // namespace
}  // namespace posenc::server
