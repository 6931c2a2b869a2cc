// SPDX-License-Identifier: Apache-2.0
// InputResolver, second part: sizes of free dimensions, and what is given against what is needed.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/near_match.h"
#include "engine/session/dimension_expression.h"
#include "engine/session/element_values.h"
#include "engine/session/input_resolver.h"

namespace opscope::session {

namespace {

using arrays::ElementType;
using vm::ParameterKind;

/// Whether a slot can make its value from words without any more knowledge of shapes.
bool takesDimensions(const vm::Parameter& parameter) {
  return parameter.rankKnown &&
         (parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Shape);
}

bool isPlainNumber(const InputValue& value) {
  return std::holds_alternative<std::int64_t>(value.value) || std::holds_alternative<double>(value.value) ||
         std::holds_alternative<bool>(value.value);
}

/// Whether a number is one that a scalar of `type` takes: no fraction for whole numbers.
bool scalarFits(const InputValue& value, const vm::Parameter& parameter) {
  const auto type = parameter.typeKnown ? elementTypeOf(parameter.type) : std::nullopt;
  const bool floating =
      type && (type->code == arrays::TypeCode::Float || type->code == arrays::TypeCode::BFloat);
  return isPlainNumber(value) && (!type || floating || !std::holds_alternative<double>(value.value));
}

std::string upperFirst(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

/// "The free dimension n is 8 in x and 4 in y." for the first one that makes a shape wrong, or nothing.
std::string contradiction(const vm::Parameter& parameter, const std::vector<std::int64_t>& shape,
                          const std::string& slotName, const auto& origins) {
  if (shape.size() != parameter.dimensions.size()) {
    return {};
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto origin = origins.find(parameter.dimensions[i].name);
    if (origin != origins.end() && origin->second.value != shape[i]) {
      const std::string where = origin->second.origin.empty() ? "as given" : "in " + origin->second.origin;
      return fmt::format("The free dimension {} is {} {} and {} in {}.", origin->first, origin->second.value,
                         where, shape[i], slotName);
    }
  }
  return {};
}

}  // namespace

const std::vector<std::int64_t>* givenShape(const InputSlot& slot) {
  if (slot.listed) {
    return &slot.listed->shape;
  }
  if (slot.value) {
    if (const auto* array = std::get_if<arrays::Array>(&slot.value->value)) {
      return &array->shape();
    }
    const auto* shape = std::get_if<ShapeValue>(&slot.value->value);
    return shape != nullptr ? &shape->values : nullptr;
  }
  const bool words = slot.given && slot.parameter->kind != ParameterKind::Shape;
  return words && slot.spec.shape ? &*slot.spec.shape : nullptr;
}

void InputResolver::misfit(const InputSlot& slot, std::string found) {
  std::map<std::string, std::int64_t> sizes;
  // Sizes that this very input gave would hide what is wrong with it.
  for (const auto& [name, size] : m_origins) {
    if (size.origin != slot.name) {
      sizes[name] = size.value;
    }
  }
  problem(
      slot.name, fmt::format("Input {} does not fit.", slot.name),
      fmt::format("Needs {}. {} {}.", neededText(*slot.parameter, sizes), upperFirst(slot.source), found));
}

void InputResolver::check() {
  forEachLeaf(m_slots, [this](const InputSlot& slot) { bind(slot); });
  forEachLeaf(m_slots, [this](const InputSlot& slot) { checkSlot(slot); });
}

void InputResolver::bind(const InputSlot& slot) {
  const auto* shape = givenShape(slot);
  const vm::Parameter& parameter = *slot.parameter;
  if (shape == nullptr || !takesDimensions(parameter) || shape->size() != parameter.dimensions.size()) {
    return;
  }
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const vm::Dimension& dimension = parameter.dimensions[i];
    if (dimension.isFree() && !dimension.isExpression && (*shape)[i] >= 0 &&
        m_origins.emplace(dimension.name, Size{(*shape)[i], slot.name}).second) {
      m_sizes[dimension.name] = (*shape)[i];
    }
  }
}

void InputResolver::checkSlot(const InputSlot& slot) {
  if (slot.listed) {
    checkListed(slot);
    return;
  }
  const bool unread = slot.given && !slot.value && slot.spec.kind == InputSpec::Kind::File;
  if (unread) {
    return;
  }
  if (slot.value) {
    checkValue(slot);
  } else {
    checkWords(slot);
  }
}

void InputResolver::checkListed(const InputSlot& slot) {
  const ParameterKind kind = slot.parameter->kind;
  if (kind == ParameterKind::Tensor) {
    checkTensor(slot, *arrays::elementTypeFromName(slot.listed->type), slot.listed->shape);
  } else if (kind != ParameterKind::Opaque) {
    misfit(slot, "is " + describeListed(*slot.listed));
  }
}

bool InputResolver::shapeFits(const vm::Parameter& parameter, const std::vector<std::int64_t>& shape) const {
  if (!parameter.rankKnown) {
    return true;
  }
  if (shape.size() != parameter.dimensions.size()) {
    return false;
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const vm::Dimension& dimension = parameter.dimensions[i];
    const auto needed =
        dimension.isFree() ? evaluateDimension(dimension.name, m_sizes) : std::optional(dimension.value);
    if (needed && *needed != shape[i]) {
      return false;
    }
  }
  return true;
}

void InputResolver::checkTensor(const InputSlot& slot, ElementType type,
                                const std::vector<std::int64_t>& shape) {
  const vm::Parameter& parameter = *slot.parameter;
  const bool typeFits = !parameter.typeKnown || elementTypeOf(parameter.type) == type;
  if (typeFits && shapeFits(parameter, shape)) {
    return;
  }
  misfitShape(slot, fmt::format("has {} {}", arrays::elementTypeName(type), arrays::shapeText(shape)), shape);
}

void InputResolver::checkValue(const InputSlot& slot) {
  const InputValue& value = *slot.value;
  const vm::Parameter& parameter = *slot.parameter;
  if (std::holds_alternative<StepResult>(value.value) || parameter.kind == ParameterKind::Opaque) {
    return;
  }
  if (const auto* array = std::get_if<arrays::Array>(&value.value);
      array != nullptr && parameter.kind == ParameterKind::Tensor) {
    checkTensor(slot, array->type(), array->shape());
    return;
  }
  if (const auto* shape = std::get_if<ShapeValue>(&value.value);
      shape != nullptr && parameter.kind == ParameterKind::Shape) {
    if (!shapeFits(parameter, shape->values)) {
      misfitShape(slot, "is " + describeInputValue(value), shape->values);
    }
    return;
  }
  const auto* tuple = std::get_if<TupleValue>(&value.value);
  const bool fits = parameter.kind == ParameterKind::Scalar ? scalarFits(value, parameter)
                    : parameter.kind == ParameterKind::String
                        ? std::holds_alternative<std::string>(value.value)
                    : parameter.kind == ParameterKind::Tuple
                        ? tuple != nullptr && tuple->members.size() == parameter.members.size()
                        : false;
  if (!fits) {
    misfit(slot, (slot.spec.kind == InputSpec::Kind::File ? "has " : "is ") + describeInputValue(value));
  }
}

void InputResolver::needsValue(const InputSlot& slot, std::string hint) {
  problem(slot.name, fmt::format("Input {} needs a value.", slot.name),
          fmt::format("Needs {}.", neededText(*slot.parameter)), std::move(hint));
}

void InputResolver::misfitShape(const InputSlot& slot, std::string found,
                                const std::vector<std::int64_t>& shape) {
  misfit(slot, std::move(found));
  m_problems.back().error.hint = contradiction(*slot.parameter, shape, slot.name, m_origins);
}

void InputResolver::checkWords(const InputSlot& slot) {
  const vm::Parameter& parameter = *slot.parameter;
  const bool plain = !slot.spec.shape && !slot.spec.type && slot.spec.kind == InputSpec::Kind::Random;
  switch (parameter.kind) {
    case ParameterKind::String:
      needsValue(slot, fmt::format("Give the text: {}=TEXT.", slot.name));
      return;
    case ParameterKind::Shape:
      if (!plain || !parameter.rankKnown) {
        needsValue(slot, fmt::format("Give the sizes, for example {}=1x64.", slot.name));
      }
      return;
    case ParameterKind::Tuple:
      return;
    case ParameterKind::Tensor:
    case ParameterKind::Scalar:
    case ParameterKind::Opaque:
      checkMadeWords(slot);
  }
}

/// Words from which elements are made: shape and type must be known and right, and the type must hold them.
void InputResolver::checkMadeWords(const InputSlot& slot) {
  const vm::Parameter& parameter = *slot.parameter;
  const InputSpec& spec = slot.spec;
  const auto known = parameter.typeKnown ? elementTypeOf(parameter.type) : std::nullopt;
  if (parameter.typeKnown && !known) {
    problem(slot.name, fmt::format("Input {} cannot be made.", slot.name),
            fmt::format("Needs {}, an element type that is not supported yet.", neededText(parameter)));
    return;
  }
  const bool isScalar = parameter.kind == ParameterKind::Scalar;
  const auto type = spec.type ? spec.type : known;
  const bool typeless = !type && !(isScalar && spec.kind == InputSpec::Kind::Constant);
  if (typeless || (!isScalar && !parameter.rankKnown && !spec.shape)) {
    needsValue(slot,
               fmt::format("Put shape and type in front ({}=1x3:float32:random), or take it from a file.",
                           slot.name));
    return;
  }
  const bool typeFits = !spec.type || !known || *spec.type == *known;
  const bool shapeIsRight =
      !spec.shape || (isScalar ? spec.shape->empty() : shapeFits(parameter, *spec.shape));
  if (!typeFits || !shapeIsRight) {
    const std::string typeText = type ? arrays::elementTypeName(*type) : "a tensor";
    misfitShape(slot, "is " + typeText + (spec.shape ? " " + arrays::shapeText(*spec.shape) : ""),
                spec.shape.value_or(std::vector<std::int64_t>{}));
    return;
  }
  if (type) {
    if (const auto fits = checkElementValues(spec, *type); !fits) {
      problem(slot.name, fmt::format("Input {} does not fit.", slot.name), fits.error().message);
    }
  }
}

std::vector<std::string> InputResolver::missingSizes() const {
  std::vector<std::string> missing;
  for (std::string& name : dimensionNames()) {
    if (m_sizes.find(name) == m_sizes.end()) {
      missing.push_back(std::move(name));
    }
  }
  return missing;
}

std::vector<std::string> InputResolver::missingSizesBesideFiles() const {
  return m_filesIgnored ? std::vector<std::string>{} : missingSizes();
}

void InputResolver::requireSizes() {
  const std::vector<std::string> missing = missingSizesBesideFiles();
  if (!missing.empty()) {
    const bool one = missing.size() == 1;
    std::string example;
    for (const std::string& name : missing) {
      example += " --dim " + name + "=1";
    }
    problem(one ? missing.front() : "",
            fmt::format("The free dimension{} {} {} no size.", one ? "" : "s", base::joinNames(missing),
                        one ? "has" : "have"),
            fmt::format("{} does not fix {}.", m_signature.function, one ? "it" : "them"),
            fmt::format("Give a size, as in{}, or an input with a shape.", example));
    return;
  }
  // Every name has a size; what is left are expressions that are not understood.
  forEachLeaf(m_slots, [this](const InputSlot& slot) {
    if (slot.value || givenShape(slot) != nullptr || !takesDimensions(*slot.parameter) || m_filesIgnored) {
      return;
    }
    for (const vm::Dimension& dimension : slot.parameter->dimensions) {
      if (dimension.isFree() && evaluateDimension(dimension.name, m_sizes).value_or(-1) < 0) {
        problem(
            slot.name,
            fmt::format("The dimension \"{}\" of input {} cannot be worked out.", dimension.name, slot.name),
            fmt::format("Needs {}.", neededText(*slot.parameter)),
            fmt::format("Put the shape in front, for example {}=1x3:random.", slot.name));
        return;
      }
    }
  });
}

}  // namespace opscope::session
