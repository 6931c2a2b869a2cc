// SPDX-License-Identifier: Apache-2.0
// Signatures put together by hand, short enough to read in a test.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/session/input_slots.h"
#include "engine/vm/signature.h"

namespace opscope::session {

inline vm::DataType typeNamed(const std::string& name) {
  const auto type = *arrays::elementTypeFromName(name);
  return {static_cast<std::uint8_t>(type.code), type.bits, type.lanes};
}

/// "8" is fixed, "n" is free, "n * 2" is an expression.
inline std::vector<vm::Dimension> dimensions(const std::vector<std::string>& texts) {
  std::vector<vm::Dimension> result;
  for (const std::string& text : texts) {
    const bool fixed = text.find_first_not_of("0123456789") == std::string::npos;
    const bool expression = text.find_first_of(" (") != std::string::npos;
    result.push_back(fixed ? vm::Dimension{std::stoll(text), "", false}
                           : vm::Dimension{-1, text, expression});
  }
  return result;
}

inline vm::Parameter tensor(const std::string& name, const std::string& type,
                            const std::vector<std::string>& shape) {
  vm::Parameter parameter;
  parameter.name = name;
  parameter.kind = vm::ParameterKind::Tensor;
  parameter.typeKnown = true;
  parameter.type = typeNamed(type);
  parameter.rankKnown = true;
  parameter.dimensions = dimensions(shape);
  return parameter;
}

inline vm::Parameter shape(const std::string& name, const std::vector<std::string>& sizes) {
  vm::Parameter parameter;
  parameter.name = name;
  parameter.kind = vm::ParameterKind::Shape;
  parameter.rankKnown = true;
  parameter.dimensions = dimensions(sizes);
  return parameter;
}

inline vm::Parameter scalar(const std::string& name, const std::string& type) {
  vm::Parameter parameter;
  parameter.name = name;
  parameter.kind = vm::ParameterKind::Scalar;
  parameter.typeKnown = !type.empty();
  parameter.type = type.empty() ? vm::DataType{} : typeNamed(type);
  return parameter;
}

inline vm::Parameter ofKind(const std::string& name, vm::ParameterKind kind,
                            std::vector<vm::Parameter> members = {}) {
  vm::Parameter parameter;
  parameter.name = name;
  parameter.kind = kind;
  parameter.members = std::move(members);
  return parameter;
}

inline vm::Signature signatureOf(std::vector<vm::Parameter> parameters, std::vector<std::string> free = {}) {
  vm::Signature signature;
  signature.function = "main";
  signature.parameters = std::move(parameters);
  signature.freeDimensions = std::move(free);
  return signature;
}

}  // namespace opscope::session
