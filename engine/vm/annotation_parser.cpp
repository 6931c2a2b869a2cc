// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/annotation_parser.h"

#include <charconv>

#include "engine/vm/annotation_tree.h"

namespace opscope::vm {

namespace {

constexpr std::int64_t kHighestRank = 64;

bool isNameStart(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         static_cast<unsigned char>(byte) >= 0x80;
}
bool isNameByte(char byte) {
  return isNameStart(byte) || (byte >= '0' && byte <= '9');
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// "R.Tensor" -> "Tensor".
std::string_view lastComponent(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

// Length of "T.int64(12)" or "int64(12)" at the front of `text`, with the digits in `number`; 0 when it is
// something else.
std::size_t typedNumberLength(std::string_view text, std::string_view& number) {
  std::size_t at = text.starts_with("T.") ? 2 : 0;
  const bool isUnsigned = text.substr(at).starts_with("uint");
  if (!isUnsigned && !text.substr(at).starts_with("int")) {
    return 0;
  }
  at += isUnsigned ? 4 : 3;
  const std::size_t open = text.find('(', at);
  const std::size_t close = text.find(')', at);
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      !parseInteger(text.substr(at, open - at)) || !parseInteger(text.substr(open + 1, close - open - 1))) {
    return 0;
  }
  number = text.substr(open + 1, close - open - 1);
  return close + 1;
}

// The expression with typed numbers made plain.
std::string plainNumbers(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    std::string_view number;
    const bool atWord = plain.empty() || !isNameByte(plain.back());
    const std::size_t length = atWord ? typedNumberLength(text, number) : 0;
    plain += length > 0 ? number : text.substr(0, 1);
    text.remove_prefix(length > 0 ? length : 1);
  }
  return plain;
}

Dimension toDimension(std::string_view text) {
  std::string plain = plainNumbers(text);
  // TVM may quote symbolic dimensions.
  if (plain.size() > 2 && plain.front() == '"' && plain.back() == '"') {
    plain = plain.substr(1, plain.size() - 2);
  }
  Dimension dimension;
  if (const auto value = parseInteger(plain); value && *value >= 0) {
    dimension.value = *value;
    return dimension;
  }
  dimension.isExpression = plain.empty() || !isNameStart(plain.front());
  for (const char byte : plain) {
    dimension.isExpression = dimension.isExpression || !isNameByte(byte);
  }
  dimension.name = plain.empty() ? "?" : std::move(plain);
  return dimension;
}

void setDimensions(Parameter& parameter, const AnnotationNode& sequence) {
  parameter.rankKnown = true;
  for (const AnnotationNode& item : sequence.items) {
    parameter.dimensions.push_back(toDimension(item.text));
  }
}

// ndim=3: as many dimensions that nothing is known of; "?" is renamed by the inference. -1 means any.
void setRank(Parameter& parameter, std::string_view text) {
  const auto rank = parseInteger(plainNumbers(text));
  if (!parameter.rankKnown && rank && *rank >= 0 && *rank <= kHighestRank) {
    parameter.rankKnown = true;
    parameter.dimensions.assign(static_cast<std::size_t>(*rank), Dimension{-1, "?", true});
  }
}

void setType(Parameter& parameter, std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) {
    text = text.substr(1, text.size() - 2);
  }
  if (const auto type = parseDataType(lastComponent(text))) {
    parameter.typeKnown = true;
    parameter.type = *type;
  }
}

// Tensor((n, 3), dtype="float32"), Tensor([n, 3], float32), Tensor(dtype=..., ndim=2).
void readTensor(Parameter& parameter, const AnnotationNode& node) {
  parameter.kind = ParameterKind::Tensor;
  for (const AnnotationNode& item : node.items) {
    if (item.key == "ndim") {
      setRank(parameter, item.text);
    } else if (item.key == "dtype") {
      setType(parameter, item.text);
    } else if ((item.key.empty() || item.key == "shape") && item.kind == AnnotationNode::Kind::Sequence) {
      setDimensions(parameter, item);
    } else if (item.key.empty()) {
      setType(parameter, item.text);
    }
  }
}

void readShape(Parameter& parameter, const AnnotationNode& node) {
  parameter.kind = ParameterKind::Shape;
  for (const AnnotationNode& item : node.items) {
    if (item.key == "ndim") {
      setRank(parameter, item.text);
    } else if (item.kind == AnnotationNode::Kind::Sequence) {
      setDimensions(parameter, item);
    }
  }
}

void readScalar(Parameter& parameter, const AnnotationNode& node) {
  parameter.kind = ParameterKind::Scalar;
  for (const AnnotationNode& item : node.items) {
    if (item.key.empty() || item.key == "dtype") {
      setType(parameter, item.text);
    }
  }
}

Parameter toParameter(const AnnotationNode& node);

void readTuple(Parameter& parameter, const AnnotationNode& node) {
  parameter.kind = ParameterKind::Tuple;
  for (const AnnotationNode& item : node.items) {
    parameter.members.push_back(toParameter(item));
  }
}

Parameter toParameter(const AnnotationNode& node) {
  Parameter parameter;
  parameter.annotation = std::string(node.text);
  const bool isCall = node.kind == AnnotationNode::Kind::Call;
  const std::string_view name = lastComponent(isCall ? node.callee : node.text);
  if (node.kind == AnnotationNode::Kind::Sequence || name == "Tuple") {
    readTuple(parameter, node);
  } else if (name == "Tensor" || name == "Buffer") {
    readTensor(parameter, node);
  } else if (name == "Shape" || name == "ShapeTuple") {
    readShape(parameter, node);
  } else if (name == "Prim") {
    readScalar(parameter, node);
  } else if (name == "String" || name == "Str" || name == "str" || name == "string") {
    parameter.kind = ParameterKind::String;
  } else if (const auto type = parseDataType(name); type && type->bits != 0) {
    // "T.int64", or "T.int64(4)" for one that has that value.
    parameter.kind = ParameterKind::Scalar;
    parameter.typeKnown = true;
    parameter.type = *type;
  }
  return parameter;
}

// Cuts `text` at the first `mark` and gives what stands before; nothing when it is not there.
std::optional<std::string_view> takeUntil(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return taken;
}

}  // namespace

std::optional<Parameter> parseAnnotation(std::string_view text) {
  const std::optional<AnnotationNode> tree = parseAnnotationTree(text, '=');
  if (!tree) {
    return std::nullopt;
  }
  return toParameter(*tree);
}

std::optional<ErrorContext> parseErrorContext(std::string_view text) {
  constexpr std::string_view kStart = "ErrorContext(fn=";
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  if (!text.starts_with(kStart) || !text.ends_with(')')) {
    return std::nullopt;
  }
  text = text.substr(kStart.size(), text.size() - kStart.size() - 1);
  ErrorContext context;
  const auto function = takeUntil(text, ", loc=");
  if (!function) {
    return std::nullopt;
  }
  context.function = std::string(*function);
  if (text.starts_with("return, annotation=")) {
    takeUntil(text, "annotation=");
    context.annotation = std::string(text);
    return context;
  }
  takeUntil(text, "param[");
  const auto index = parseInteger(takeUntil(text, "], param=").value_or(""));
  const auto name = takeUntil(text, ", annotation=");
  if (!index || *index < 0 || !name) {
    return std::nullopt;
  }
  context.parameterIndex = *index;
  context.parameterName = std::string(*name);
  context.annotation = std::string(text);
  return context;
}

std::optional<std::vector<Parameter>> parseKernelSignature(std::string_view text) {
  const std::optional<AnnotationNode> tree = parseAnnotationTree(text, ':');
  if (!tree || tree->kind != AnnotationNode::Kind::Call) {
    return std::nullopt;
  }
  std::vector<Parameter> parameters;
  for (const AnnotationNode& item : tree->items) {
    parameters.push_back(toParameter(item));
    parameters.back().name = std::string(item.key);
  }
  return parameters;
}

}  // namespace opscope::vm
