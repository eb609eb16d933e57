#include "client/cli/json_output.h"

#include <cmath>
#include <sstream>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

std::string ElementsOf(const std::vector<float>& values, posenc::Shape shape) {
  return ValuesJson({std::span(values), std::move(shape)}).dump();
}

TEST(JsonOutputTest, ValuesNest) {
  EXPECT_EQ(ElementsOf({0, 0.1F, -2, 0.84147098F}, {2, 1, 2}),
            "[[[0.0,0.1]],[[-2.0,0.84147096]]]");
}

TEST(JsonOutputTest, ValuesThatJsonCannotSayAreNull) {
  EXPECT_EQ(ElementsOf({NAN, HUGE_VALF, 1}, {3}), "[null,null,1.0]");
}

TEST(JsonOutputTest, ManyValuesAreNotListed) {
  const std::vector<float> values(kMaxListedElements + 1);
  const std::span<const float> all(values);
  Json few;
  AddTensor({all.first(kMaxListedElements), {kMaxListedElements}}, true, &few);
  EXPECT_TRUE(few.contains("values"));
  Json many;
  AddTensor({all, {values.size()}}, true, &many);
  EXPECT_FALSE(many.contains("values"));
  EXPECT_EQ(many["dtype"], "FLOAT32");
  EXPECT_EQ(many["shape"], Json::array({kMaxListedElements + 1}));
}

TEST(JsonOutputTest, SpecsAreObjects) {
  posenc::EncodingSpec spec;
  spec.profile = "pytorch";
  spec.d_model = 8;
  EXPECT_EQ(SpecJson(spec), Json({{"profile", "pytorch"}, {"dModel", 8}}));
}

TEST(JsonOutputTest, BytesThatAreNoTextDoNotThrow) {
  std::ostringstream out;
  PrintJson({{"name", "a\xFF"}}, out);
  EXPECT_EQ(out.str(), "{\"name\":\"a\xEF\xBF\xBD\"}\n");
}

}  // namespace
}  // namespace posenc::cli
