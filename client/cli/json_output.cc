#include "client/cli/json_output.h"

#include <cstdint>

#include "client/cli/elements.h"

namespace posenc::cli {
namespace {

// Dimensions from `dimension` on, of the elements from *next on, which it moves
// past them.
Json Nested(const posenc::TensorView& view, std::size_t dimension,
            std::size_t* next) {
  if (dimension == view.shape.size()) return ShortElementAt(view, (*next)++);
  Json list = Json::array();
  for (std::uint64_t i = 0; i < view.shape[dimension]; ++i) {
    list.push_back(Nested(view, dimension + 1, next));
  }
  return list;
}

}  // namespace

Json SpecJson(const posenc::EncodingSpec& spec) {
  return Json::parse(posenc::EncodingSpecToJson(spec), nullptr,
                     /*allow_exceptions=*/false);
}

Json ValuesJson(const posenc::TensorView& view) {
  std::size_t next = 0;
  return Nested(view, 0, &next);
}

void AddTensor(const posenc::TensorView& view, bool with_values, Json* object) {
  (*object)["dtype"] = posenc::Name(view.dtype);
  (*object)["shape"] = view.shape;
  if (with_values && ElementCount(view) <= kMaxListedElements) {
    (*object)["values"] = ValuesJson(view);
  }
}

void PrintJson(const Json& object, std::ostream& out) {
  out << object.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace posenc::cli
