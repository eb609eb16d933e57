#ifndef POSENC_TESTS_CONFORMANCE_GOLDEN_MAPPINGS_H_
#define POSENC_TESTS_CONFORMANCE_GOLDEN_MAPPINGS_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/conformance/golden_case.h"

namespace posenc::testing {

// The params of a case, which notes those that were read: one that a mapping
// does not know must fail it, not be passed over.
class GoldenParams {
 public:
  // The case must outlive this.
  explicit GoldenParams(const nlohmann::json& golden) : golden_(golden) {}

  const nlohmann::json& golden() const { return golden_; }

  // The value of a param that must be there.
  const nlohmann::json& At(const std::string& name);

  // The value of a param, or `value` where there is none or null.
  template <typename T>
  T Or(const std::string& name, T value) {
    if (!Has(name)) return value;
    return At(name).get<T>();
  }

  // Whether the param is there and not null.
  bool Has(const std::string& name);

  // Says that the param changes no value, or is told by the input as well.
  void Ignore(const std::string& name) { used_.insert(name); }

  bool AllUsed() const;

 private:
  const nlohmann::json& golden_;
  std::set<std::string> used_;
};

using GoldenMapping = std::function<GoldenRequest(GoldenParams& params)>;

// How to ask for the cases of each golden profile.
const std::map<std::string, GoldenMapping>& GoldenMappings();

// --- For the files that make up the map --------------------------------------

using GoldenMap = std::map<std::string, GoldenMapping>;
GoldenMap SinusoidalMappings();
GoldenMap LearnedMappings();
GoldenMap GridMappings();
GoldenMap RotaryMappings();

// The extents of a nested list.
Shape ShapeOfNested(const nlohmann::json& nested);

// A dtype by numpy's name. int64 outputs, which are row numbers, are asked for
// as float64.
DType GoldenDType(const std::string& name);

// A request for `encoding` with the output's dtype, and d_model as given.
GoldenRequest Asking(const GoldenParams& params, EncodingSpec encoding,
                     std::uint64_t d_model);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_CONFORMANCE_GOLDEN_MAPPINGS_H_
