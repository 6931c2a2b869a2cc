// SPDX-License-Identifier: Apache-2.0
#include "engine/session/input_slots.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/session/dimension_expression.h"

namespace opscope::session {

namespace {

InputSlot makeSlot(const vm::Parameter& parameter, std::string name, std::size_t position) {
  InputSlot slot;
  slot.parameter = &parameter;
  slot.name = std::move(name);
  slot.position = position;
  for (std::size_t i = 0; i < parameter.members.size(); ++i) {
    slot.members.push_back(makeSlot(parameter.members[i], fmt::format("{}/{}", slot.name, i), position));
  }
  return slot;
}

std::optional<std::size_t> position(std::string_view text, std::size_t count) {
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole && value < count ? std::optional(value) : std::nullopt;
}

std::string dimensionText(const vm::Dimension& dimension, const std::map<std::string, std::int64_t>& sizes) {
  if (!dimension.isFree()) {
    return std::to_string(dimension.value);
  }
  const auto value = evaluateDimension(dimension.name, sizes);
  return value ? std::to_string(*value) : dimension.name;
}

}  // namespace

std::vector<InputSlot> makeSlots(const vm::Signature& signature) {
  std::vector<InputSlot> slots;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const vm::Parameter& parameter = signature.parameters[i];
    slots.push_back(makeSlot(parameter, parameter.name.empty() ? std::to_string(i) : parameter.name, i));
  }
  return slots;
}

InputSlot* findSlot(std::vector<InputSlot>& slots, std::string_view name) {
  for (InputSlot& slot : slots) {
    if (slot.name == name) {
      return &slot;
    }
  }
  if (const auto index = position(name, slots.size())) {
    return &slots[*index];
  }
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) {
    return nullptr;
  }
  InputSlot* tuple = findSlot(slots, name.substr(0, slash));
  const auto member =
      tuple == nullptr ? std::nullopt : position(name.substr(slash + 1), tuple->members.size());
  return member ? &tuple->members[*member] : nullptr;
}

std::vector<std::string> slotNames(const std::vector<InputSlot>& slots) {
  std::vector<std::string> names;
  for (const InputSlot& slot : slots) {
    names.push_back(slot.name);
  }
  return names;
}

std::optional<arrays::ElementType> elementTypeOf(vm::DataType type) {
  const arrays::ElementType element{static_cast<arrays::TypeCode>(type.code), type.bits, type.lanes};
  if (type.bits == 1 && type.lanes == 1 &&
      (element.code == arrays::TypeCode::UInt || element.code == arrays::TypeCode::Bool)) {
    return arrays::ElementType{arrays::TypeCode::Bool, 8, 1};
  }
  const auto known = arrays::elementTypeFromName(arrays::elementTypeName(element));
  return known && *known == element ? known : std::nullopt;
}

std::string neededText(const vm::Parameter& parameter, const std::map<std::string, std::int64_t>& sizes) {
  std::string dimensions;
  for (const vm::Dimension& dimension : parameter.dimensions) {
    dimensions += (dimensions.empty() ? "" : ", ") + dimensionText(dimension, sizes);
  }
  const std::string shape = parameter.rankKnown ? "[" + dimensions + "]" : "";
  switch (parameter.kind) {
    case vm::ParameterKind::Tensor:
      if (!parameter.typeKnown) {
        return shape.empty() ? "a tensor" : "a tensor " + shape;
      }
      return vm::dataTypeName(parameter.type) + (shape.empty() ? " of any shape" : " " + shape);
    case vm::ParameterKind::Shape:
      return shape.empty() ? "a shape" : "shape " + shape;
    case vm::ParameterKind::Scalar:
      return parameter.typeKnown ? "one " + vm::dataTypeName(parameter.type) : "one number";
    case vm::ParameterKind::String:
      return "a text";
    case vm::ParameterKind::Tuple:
      return fmt::format("a tuple of {}", parameter.members.size());
    case vm::ParameterKind::Opaque:
      break;
  }
  return "an object that the executable does not describe";
}

}  // namespace opscope::session
