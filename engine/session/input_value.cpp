// SPDX-License-Identifier: Apache-2.0
#include "engine/session/input_value.h"

#include <fmt/format.h>

namespace opscope::session {

namespace {

/// Tuples of more members are told by their number.
constexpr std::size_t kMembersShown = 4;

struct Describe {
  std::string operator()(const NoneValue&) const { return "none"; }
  std::string operator()(const arrays::Array& array) const { return arrays::describeArray(array); }
  std::string operator()(const ShapeValue& shape) const { return "shape " + arrays::shapeText(shape.values); }
  std::string operator()(std::int64_t value) const { return fmt::format("int {}", value); }
  std::string operator()(double value) const { return fmt::format("float {}", value); }
  std::string operator()(bool value) const { return value ? "bool true" : "bool false"; }
  std::string operator()(const std::string& text) const { return "text \"" + text + "\""; }
  std::string operator()(const StepResult& result) const {
    return fmt::format("result of steps[{}]", result.step);
  }
  std::string operator()(const TupleValue& tuple) const {
    if (tuple.members.size() > kMembersShown) {
      return fmt::format("({} members)", tuple.members.size());
    }
    std::string text;
    for (const InputValue& member : tuple.members) {
      text += (text.empty() ? "" : ", ") + describeInputValue(member);
    }
    return "(" + text + ")";
  }
};

}  // namespace

std::string describeInputValue(const InputValue& value) {
  return std::visit(Describe{}, value.value);
}

}  // namespace opscope::session
