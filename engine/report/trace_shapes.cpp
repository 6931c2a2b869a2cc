// SPDX-License-Identifier: Apache-2.0
#include <simdjson.h>

#include <array>
#include <string>

#include "engine/report/trace_foreign.h"

namespace opscope::report {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;

/// C++'s names of element types as TVM writes them; others stay as they are.
std::string_view typeName(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTypes = {{
      {"float", "float32"},
      {"double", "float64"},
      {"c10::Half", "float16"},
      {"c10::BFloat16", "bfloat16"},
      {"long int", "int64"},
      {"long", "int64"},
      {"int", "int32"},
      {"short int", "int16"},
      {"signed char", "int8"},
      {"unsigned char", "uint8"},
  }};
  for (const auto& [theirs, ours] : kTypes) {
    if (theirs == type) return ours;
  }
  return type;
}

/// "[1, 3]", empty for what is no list of whole numbers.
std::string extentsText(element item) {
  array extents;
  if (item.get_array().get(extents) != simdjson::SUCCESS) return {};
  std::string text = "[";
  for (const element extent : extents) {
    std::int64_t value = 0;
    if (extent.get_int64().get(value) != simdjson::SUCCESS) return {};
    if (text.size() > 1) text += ", ";
    text += std::to_string(value);
  }
  return text + "]";
}

bool isTensor(std::string_view type) {
  return !type.empty() && type != "Scalar" && type != "ScalarList" && type != "GenericList" &&
         type != "TensorList";
}

}  // namespace

std::string tensorShapesText(std::string_view dims, std::string_view types) {
  simdjson::dom::parser dimsParser;
  simdjson::dom::parser typesParser;
  array shapes;
  array names;
  const bool isRead =
      dimsParser.parse(simdjson::padded_string(dims)).get_array().get(shapes) == simdjson::SUCCESS;
  if (!isRead) return {};
  if (!types.empty() &&
      typesParser.parse(simdjson::padded_string(types)).get_array().get(names) != simdjson::SUCCESS) {
    types = {};
  }
  std::string text;
  std::size_t index = 0;
  for (const element item : shapes) {
    std::string_view type;
    const bool isNamed = !types.empty() && names.at(index).get_string().get(type) == simdjson::SUCCESS;
    ++index;
    const std::string extents = extentsText(item);
    // A number has an empty shape as a tensor without dimensions has: only the type tells them apart.
    const bool isShown = isNamed ? isTensor(type) : extents.size() > 2;
    if (extents.empty() || !isShown) continue;
    text += text.empty() ? "" : ", ";
    text += typeName(type);
    text += extents;
  }
  return text;
}

}  // namespace opscope::report
