// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/diverge_output.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const session::CallPlace& place) {
  return {{"sequence", place.sequence},
          {"name", place.name},
          {"function", place.isPlaced ? Json(place.function) : Json(nullptr)},
          {"instruction", place.isPlaced ? Json(place.instruction) : Json(nullptr)}};
}

/// A side that has no such tensor is null.
Json typeOrNull(const std::string& description) {
  return description.empty() ? Json(nullptr) : Json(description);
}

Json jsonOf(const session::TensorDifference& difference) {
  Json object = {{"place", difference.place},
                 {"value_a", typeOrNull(difference.descriptionA)},
                 {"value_b", typeOrNull(difference.descriptionB)},
                 {"differs", difference.differs()},
                 {"comparable", difference.comparable},
                 {"left_out", difference.isLeftOut}};
  if (!difference.comparable) {
    return object;
  }
  object["elements"] = difference.elements;
  object["beyond"] = difference.beyond;
  object["max_absolute"] = difference.maxAbsolute;
  object["max_relative"] = difference.maxRelative;
  if (difference.beyond > 0) {
    object["first"] = {{"position", difference.position}, {"a", difference.valueA}, {"b", difference.valueB}};
  }
  return object;
}

Json jsonOf(const session::ComparedCall& call);
Json jsonOf(const session::UnmatchedCall& call);

template <class Values>
Json listOf(const Values& values) {
  Json list = Json::array();
  for (const auto& value : values) {
    list.push_back(jsonOf(value));
  }
  return list;
}

Json jsonOf(const session::ComparedCall& call) {
  return {{"a", jsonOf(call.a)},
          {"b", jsonOf(call.b)},
          {"differs", call.differs()},
          {"outputs", listOf(call.outputs)}};
}

Json jsonOf(const session::UnmatchedCall& call) {
  Json object = jsonOf(call.call);
  object["outputs"] = call.outputs;
  return object;
}

}  // namespace

std::string divergeJson(const DivergeOptions& options, const session::Divergence& found) {
  Json object;
  object["schema"] = "opscope.diverge/1";
  object["a"] = options.fileA;
  object["b"] = options.fileB;
  object["target_a"] = found.targetA;
  object["target_b"] = found.targetB;
  object["function"] = found.function;
  object["rtol"] = found.rtol;
  object["atol"] = found.atol;
  object["differs"] = found.differs();
  object["matching"] = found.matching == session::CallMatching::ByOrder ? "order" : "names";
  const std::optional<std::size_t> first = found.first();
  object["first"] = first ? Json(*first) : Json(nullptr);
  object["differing_calls"] = found.differingCalls();
  object["calls"] = listOf(found.calls);
  object["only_a"] = listOf(found.onlyA);
  object["only_b"] = listOf(found.onlyB);
  object["results"] = listOf(found.results);
  object["notes"] = found.notes;
  object["kept_bytes"] = found.keptBytes;
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opscope::cli
