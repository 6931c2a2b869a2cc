// SPDX-License-Identifier: Apache-2.0
// InputResolver, last part: values are made; and the functions that put its steps together.
#include <fmt/format.h>
#include <unistd.h>

#include <limits>

#include "engine/base/near_match.h"
#include "engine/report/traffic.h"
#include "engine/session/dimension_expression.h"
#include "engine/session/element_values.h"
#include "engine/session/input_resolver.h"

namespace opscope::session {

namespace {

using arrays::Array;
using arrays::Bytes;
using arrays::ElementType;
using base::Error;
using base::ErrorCode;
using base::Result;
using vm::ParameterKind;

/// Where the value of a leaf comes from; "" when the value says it all. Arrays of a tuple are told by their
/// file.
std::string originWords(const InputSlot& leaf, bool inTuple) {
  const bool isFile = leaf.given && leaf.spec.kind == InputSpec::Kind::File;
  if (isFile) {
    return inTuple ? "@" + leaf.spec.file : leaf.spec.words;
  }
  const bool made = !leaf.value && leaf.parameter->kind != ParameterKind::Shape;
  return made ? leaf.spec.words : "";
}

/// "x float32 [1, 3] random:0"; a tuple's words stand for all of its members when they are the same.
std::string describeSlot(const InputSlot& slot, const InputValue& value) {
  std::vector<InputSlot> one{slot};
  std::vector<std::string> origins;
  forEachLeaf(one, [&](const InputSlot& leaf) {
    const std::string words = originWords(leaf, !slot.members.empty());
    if (!words.empty() && (origins.empty() || origins.back() != words)) {
      origins.push_back(words);
    }
  });
  return slot.name + " " + describeInputValue(value) +
         (origins.empty() ? "" : " " + base::joinNames(origins, 2));
}

}  // namespace

std::vector<std::int64_t> InputResolver::shapeOf(const InputSlot& slot) const {
  if (const auto* given = givenShape(slot)) {
    return *given;
  }
  std::vector<std::int64_t> shape;
  for (const vm::Dimension& dimension : slot.parameter->dimensions) {
    shape.push_back(dimension.isFree() ? evaluateDimension(dimension.name, m_sizes).value_or(0)
                                       : dimension.value);
  }
  return shape;
}

ElementType InputResolver::typeOf(const InputSlot& slot) const {
  if (slot.spec.type) {
    return *slot.spec.type;
  }
  const auto known = slot.parameter->typeKnown ? elementTypeOf(slot.parameter->type) : std::nullopt;
  // Only scalar constants come here without a type.
  const bool whole = slot.spec.constant.integer || slot.spec.constant.unsignedInteger;
  return known.value_or(ElementType{whole ? arrays::TypeCode::Int : arrays::TypeCode::Float, 64, 1});
}

Result<> InputResolver::checkMemory() {
  std::size_t total = 0;
  bool overflow = false;
  std::optional<Error> failure;
  forEachLeaf(m_slots, [&](const InputSlot& slot) {
    const bool made = !slot.value && (slot.parameter->kind == ParameterKind::Tensor ||
                                      slot.parameter->kind == ParameterKind::Opaque);
    if (!made || failure) {
      return;
    }
    const auto bytes = arrays::byteCount(typeOf(slot), shapeOf(slot));
    if (!bytes) {
      failure = bytes.error();
      failure->message = fmt::format("Input {}: {}", slot.name, failure->message);
      return;
    }
    overflow = overflow || __builtin_add_overflow(total, *bytes, &total);
  });
  if (failure) {
    return *failure;
  }
  const auto memory =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (overflow || total > memory) {
    return Error{ErrorCode::OutOfMemory, "There is no memory for the inputs.",
                 fmt::format("They need {}. This machine has {}.",
                             overflow ? "more than 16 EiB" : report::trafficBytes(total),
                             report::trafficBytes(memory)),
                 "Choose smaller sizes."};
  }
  return {};
}

Result<Array> InputResolver::makeArray(InputSlot& slot, std::vector<std::int64_t> shape) {
  const ElementType type = typeOf(slot);
  OPSCOPE_TRY_ASSIGN(const std::size_t size, arrays::byteCount(type, shape));
  OPSCOPE_TRY_ASSIGN(Bytes bytes, Bytes::allocate(size));
  const std::pair place{slot.position, slot.spec.seed};
  RandomStream& stream = m_streams.try_emplace(place, slot.spec.seed + slot.position).first->second;
  fillElements(slot.spec, type, stream, bytes);
  return Array::make(type, std::move(shape), std::move(bytes));
}

Result<InputValue> InputResolver::makeLeaf(InputSlot& slot) {
  if (slot.value) {
    return *slot.value;
  }
  switch (slot.parameter->kind) {
    case ParameterKind::Shape:
      return InputValue{ShapeValue{shapeOf(slot)}};
    case ParameterKind::Tuple:
      return InputValue{TupleValue{}};
    case ParameterKind::Scalar: {
      OPSCOPE_TRY_ASSIGN(Array array, makeArray(slot, {}));
      InputValue value = fitToParameter(*slot.parameter, InputValue{std::move(array)});
      if (std::holds_alternative<Array>(value.value)) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("Input {} does not fit.", slot.name),
                     "A scalar holds whole numbers up to 9223372036854775807.",
                     {}};
      }
      return value;
    }
    case ParameterKind::Tensor:
    case ParameterKind::Opaque:
    case ParameterKind::String:
      break;
  }
  OPSCOPE_TRY_ASSIGN(Array array, makeArray(slot, shapeOf(slot)));
  return InputValue{std::move(array)};
}

Result<InputValue> InputResolver::makeSlot(InputSlot& slot) {
  if (slot.members.empty()) {
    return makeLeaf(slot);
  }
  TupleValue tuple;
  for (InputSlot& member : slot.members) {
    OPSCOPE_TRY_ASSIGN(InputValue value, makeSlot(member));
    tuple.members.push_back(std::move(value));
  }
  return InputValue{std::move(tuple)};
}

Result<ResolvedInputs> InputResolver::make() {
  OPSCOPE_TRY(checkMemory());
  ResolvedInputs inputs;
  for (InputSlot& slot : m_slots) {
    OPSCOPE_TRY_ASSIGN(InputValue value, makeSlot(slot));
    inputs.description += (inputs.description.empty() ? "" : "; ") + describeSlot(slot, value);
    inputs.arguments.push_back(std::move(value));
  }
  inputs.dimensions = m_sizes;
  for (const auto& [name, size] : m_sizes) {
    inputs.description += fmt::format("{}{} = {}", inputs.description.empty() ? "" : "; ", name, size);
  }
  return inputs;
}

Result<ResolvedInputs> resolveInputs(const InputPlan& plan, const vm::Signature& signature,
                                     std::string* faulty) {
  InputResolver resolver(signature, InputResolver::Files::Read);
  resolver.assign(plan);
  if (resolver.problems().empty()) {
    resolver.check();
  }
  if (resolver.problems().empty()) {
    resolver.requireSizes();
  }
  if (!resolver.problems().empty()) {
    const InputProblem& problem = resolver.problems().front();
    if (faulty != nullptr) {
      *faulty = problem.name;
    }
    return problem.error;
  }
  return resolver.make();
}

std::vector<InputProblem> checkInputPlan(const InputPlan& plan, const vm::Signature& signature,
                                         const ArrayListings& listings) {
  InputResolver resolver(signature);
  resolver.setListings(&listings);
  resolver.assign(plan);
  resolver.check();
  resolver.requireSizes();
  return resolver.problems();
}

std::vector<std::string> missingDimensions(const InputPlan& plan, const vm::Signature& signature) {
  InputResolver resolver(signature);
  resolver.assign(plan);
  resolver.check();
  return resolver.missingSizes();
}

std::map<std::string, std::int64_t> defaultDimensions(const vm::Signature& signature) {
  std::map<std::string, std::int64_t> sizes;
  for (const std::string& name : missingDimensions({}, signature)) {
    sizes[name] = 1;
  }
  return sizes;
}

Result<> checkArguments(const vm::Signature& signature, const std::vector<InputValue>& arguments) {
  InputResolver resolver(signature);
  resolver.assign(arguments);
  if (resolver.problems().empty()) {
    resolver.check();
  }
  if (!resolver.problems().empty()) {
    return resolver.allProblems();
  }
  return {};
}

base::Error InputResolver::allProblems() const {
  constexpr std::size_t kTold = 4;
  base::Error all = m_problems.front().error;
  for (std::size_t i = 1; i < m_problems.size(); ++i) {
    const base::Error& other = m_problems[i].error;
    if (i == kTold) {
      all.detail += fmt::format("\nAnd {} more.", m_problems.size() - kTold);
      break;
    }
    all.detail += fmt::format("{}{}{}{}", all.detail.empty() ? "" : "\n", other.message,
                              other.detail.empty() ? "" : " ", other.detail);
  }
  return all;
}

}  // namespace opscope::session
