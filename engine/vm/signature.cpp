// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/vm/annotation_parser.h"
#include "engine/vm/value_flow.h"

namespace opscope::vm {

namespace {

// What the error contexts of one function say.
struct Annotations {
  std::map<std::int64_t, Parameter> parameters;
  std::map<std::int64_t, std::string> names;
  std::optional<Parameter> result;
};

Annotations readAnnotations(const ExecutableData& data, const FunctionEntry& function) {
  Annotations annotations;
  const std::string start = "ErrorContext(fn=" + function.name + ",";
  for (const Constant& constant : data.constants) {
    const auto* text = std::get_if<std::string>(&constant);
    if (text == nullptr || !text->starts_with(start)) {
      continue;
    }
    const std::optional<ErrorContext> context = parseErrorContext(*text);
    std::optional<Parameter> parameter = context ? parseAnnotation(context->annotation) : std::nullopt;
    if (!parameter) {
      continue;
    }
    if (context->parameterIndex < 0) {
      annotations.result = std::move(parameter);
    } else if (context->parameterIndex < function.argumentCount) {
      annotations.names.emplace(context->parameterIndex, context->parameterName);
      annotations.parameters.emplace(context->parameterIndex, std::move(*parameter));
    }
  }
  return annotations;
}

template <class Visitor>
void visitDimensions(Parameter& parameter, const Visitor& visit) {
  for (Dimension& dimension : parameter.dimensions) {
    visit(dimension);
  }
  for (Parameter& member : parameter.members) {
    visitDimensions(member, visit);
  }
}

bool isUnknown(const Dimension& dimension) {
  return dimension.name == kUnknownDimension;
}

// Gives the slots of the shape heap and the unnamed dimensions their final names.
class Namer {
 public:
  explicit Namer(std::set<std::int64_t> matchedSlots) : m_matchedSlots(std::move(matchedSlots)) {}

  /// Texts name a slot where both stand for the same dimension.
  void learn(const Parameter& annotated, const Parameter& followed) {
    if (annotated.kind != followed.kind) {
      return;
    }
    const auto& texts = annotated.dimensions;
    for (std::size_t axis = 0; axis < texts.size() && texts.size() == followed.dimensions.size(); ++axis) {
      const std::optional<std::int64_t> slot = slotOf(followed.dimensions[axis]);
      if (slot && texts[axis].isFree() && !texts[axis].isExpression) {
        m_slotNames.emplace(*slot, texts[axis].name);
      }
    }
    for (std::size_t index = 0;
         index < annotated.members.size() && annotated.members.size() == followed.members.size(); ++index) {
      learn(annotated.members[index], followed.members[index]);
    }
  }

  /// Keeps a name and a slot's number from being given to something else.
  void reserve(Parameter& parameter) {
    visitDimensions(parameter, [this](const Dimension& dimension) {
      if (const std::optional<std::int64_t> slot = slotOf(dimension)) {
        m_nextNumber = std::max(m_nextNumber, std::min(*slot, std::int64_t{1} << 32) + 1);
      } else if (dimension.isFree()) {
        m_used.insert(dimension.name);
      }
    });
  }

  void resolve(Parameter& parameter, bool isResult) {
    visitDimensions(parameter, [this, isResult](Dimension& dimension) {
      if (const std::optional<std::int64_t> slot = slotOf(dimension)) {
        dimension.name = slotName(*slot);
        dimension.isExpression = !m_matchedSlots.contains(*slot);
      } else if (isUnknown(dimension)) {
        dimension.name = freshName(m_nextNumber++);
        dimension.isExpression = isResult;
      }
    });
  }

 private:
  const std::string& slotName(std::int64_t slot) {
    const auto found = m_slotNames.find(slot);
    return found != m_slotNames.end() ? found->second
                                      : m_slotNames.emplace(slot, freshName(slot)).first->second;
  }

  std::string freshName(std::int64_t number) {
    std::string name = fmt::format("s{}", number);
    while (!m_used.insert(name).second) {
      name += '_';
    }
    return name;
  }

  std::set<std::int64_t> m_matchedSlots;
  std::map<std::int64_t, std::string> m_slotNames;
  std::set<std::string> m_used;
  std::int64_t m_nextNumber = 0;
};

// The checks in the bytecode decide; the text adds names, and whatever the bytecode leaves open.
Parameter merge(const Parameter& annotated, Parameter followed) {
  if (followed.kind == ParameterKind::Opaque) {
    return annotated;
  }
  if (annotated.kind != followed.kind) {
    return followed;
  }
  if (!followed.typeKnown) {
    followed.typeKnown = annotated.typeKnown;
    followed.type = annotated.type;
  }
  if (!followed.rankKnown) {
    followed.rankKnown = annotated.rankKnown;
    followed.dimensions = annotated.dimensions;
  }
  const auto& texts = annotated.dimensions;
  for (std::size_t axis = 0; axis < texts.size() && texts.size() == followed.dimensions.size(); ++axis) {
    const bool named = texts[axis].isFree() && followed.dimensions[axis].isFree() && !isUnknown(texts[axis]);
    if (named || isUnknown(followed.dimensions[axis])) {
      followed.dimensions[axis] = texts[axis];
    }
  }
  if (followed.members.empty()) {
    followed.members = annotated.members;
  }
  for (std::size_t index = 0;
       index < followed.members.size() && followed.members.size() == annotated.members.size(); ++index) {
    followed.members[index] = merge(annotated.members[index], std::move(followed.members[index]));
  }
  followed.annotation = annotated.annotation;
  return followed;
}

bool sameTensor(const Parameter& left, const Parameter& right) {
  return left.kind == right.kind && left.typeKnown == right.typeKnown && left.type == right.type &&
         left.rankKnown == right.rankKnown && left.dimensions == right.dimensions;
}

// A kernel calls its arguments by the names of the model, which helps where there is no bytecode to follow: a
// tensor type on which all kernels agree that have an argument of this name.
class KernelArguments {
 public:
  explicit KernelArguments(std::span<const KernelInfo> kernels) {
    for (const KernelInfo& kernel : kernels) {
      for (const Parameter& parameter :
           parseKernelSignature(kernel.signature).value_or(std::vector<Parameter>{})) {
        const auto [entry, isNew] = m_byName.emplace(parameter.name, parameter);
        if (!isNew && !sameTensor(entry->second, parameter)) {
          entry->second.kind = ParameterKind::Opaque;
        }
      }
    }
  }

  std::optional<Parameter> find(const std::string& name) const {
    const auto found = m_byName.find(name);
    if (found == m_byName.end() || found->second.kind != ParameterKind::Tensor) {
      return std::nullopt;
    }
    for (const Dimension& dimension : found->second.dimensions) {
      if (dimension.isFree()) {
        return std::nullopt;  // the kernel's free dimensions are its own
      }
    }
    return found->second;
  }

 private:
  std::map<std::string, Parameter> m_byName;
};

std::string parameterName(const FunctionEntry& function, const Annotations& annotations, std::int64_t index) {
  const auto position = static_cast<std::size_t>(index);
  if (position < function.parameterNames.size() && !function.parameterNames[position].empty()) {
    return function.parameterNames[position];
  }
  const auto found = annotations.names.find(index);
  return found != annotations.names.end() ? found->second : fmt::format("arg{}", index);
}

// Tensors that neither bytecode nor text describes get what kernels say about arguments of the same name.
void fillFromKernels(FlowResult& flow, const FunctionEntry& function, const Annotations& annotations,
                     std::span<const KernelInfo> kernels) {
  const KernelArguments arguments(kernels);
  for (std::size_t index = 0; index < flow.parameters.size(); ++index) {
    const auto position = static_cast<std::int64_t>(index);
    Parameter& parameter = flow.parameters[index];
    const bool open = parameter.kind == ParameterKind::Opaque ||
                      (parameter.kind == ParameterKind::Tensor && !parameter.rankKnown);
    if (open && !annotations.parameters.contains(position)) {
      const std::optional<Parameter> found = arguments.find(parameterName(function, annotations, position));
      if (found && (!parameter.typeKnown || parameter.type == found->type)) {
        parameter = *found;
      }
    }
  }
}

void collectFreeDimensions(Signature& signature) {
  std::set<std::string> seen;
  for (Parameter& parameter : signature.parameters) {
    visitDimensions(parameter, [&](const Dimension& dimension) {
      if (dimension.isFree() && !dimension.isExpression && seen.insert(dimension.name).second) {
        signature.freeDimensions.push_back(dimension.name);
      }
    });
  }
}

// A packed function: only the library knows, when it is one of its kernels.
void fillKernel(Signature& signature, std::span<const KernelInfo> kernels) {
  for (const KernelInfo& kernel : kernels) {
    if (kernel.name == signature.function) {
      signature.parameters = parseKernelSignature(kernel.signature).value_or(std::vector<Parameter>{});
    }
  }
  Namer namer({});
  for (Parameter& parameter : signature.parameters) {
    namer.reserve(parameter);
  }
  for (Parameter& parameter : signature.parameters) {
    namer.resolve(parameter, false);
  }
}

void fillFunction(Signature& signature, const FunctionEntry& function, Annotations annotations,
                  FlowResult flow) {
  Namer namer(flow.matchedSlots);
  for (auto& [index, annotated] : annotations.parameters) {
    namer.learn(annotated, flow.parameters[static_cast<std::size_t>(index)]);
    namer.reserve(annotated);
  }
  Parameter result = flow.result.value_or(Parameter{});
  for (Parameter& followed : flow.parameters) {
    namer.reserve(followed);
  }
  namer.reserve(result);
  for (std::size_t index = 0; index < flow.parameters.size(); ++index) {
    const auto position = static_cast<std::int64_t>(index);
    const auto annotated = annotations.parameters.find(position);
    Parameter parameter = annotated != annotations.parameters.end()
                              ? merge(annotated->second, std::move(flow.parameters[index]))
                              : std::move(flow.parameters[index]);
    parameter.name = parameterName(function, annotations, position);
    namer.resolve(parameter, false);
    signature.parameters.push_back(std::move(parameter));
  }
  if (annotations.result) {
    namer.learn(*annotations.result, result);
    result = merge(*annotations.result, std::move(result));
  }
  namer.resolve(result, true);
  signature.resultKnown = result.kind != ParameterKind::Opaque;
  signature.result = std::move(result);
}

std::string describeDimensions(const Parameter& parameter) {
  std::vector<std::string> texts;
  for (const Dimension& dimension : parameter.dimensions) {
    texts.push_back(dimension.isFree() ? dimension.name : fmt::format("{}", dimension.value));
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string describeTuple(const Parameter& parameter) {
  std::vector<std::string> texts;
  for (const Parameter& member : parameter.members) {
    texts.push_back(describeParameter(member));
  }
  return fmt::format("({})", fmt::join(texts, ", "));
}

}  // namespace

Signature inferSignature(const ExecutableData& data, std::int64_t function,
                         std::span<const KernelInfo> kernels) {
  Signature signature;
  if (function < 0 || function >= static_cast<std::int64_t>(data.functions.size())) {
    return signature;
  }
  const FunctionEntry& entry = data.functions[static_cast<std::size_t>(function)];
  signature.function = entry.name;
  if (entry.kind == FunctionKind::Packed) {
    fillKernel(signature, kernels);
  } else {
    Annotations annotations = readAnnotations(data, entry);
    FlowResult flow;
    if (entry.kind == FunctionKind::Bytecode) {
      flow = followValues(data, function, kernels);
    } else {
      flow.parameters.resize(static_cast<std::size_t>(entry.argumentCount));
    }
    fillFromKernels(flow, entry, annotations, kernels);
    fillFunction(signature, entry, std::move(annotations), std::move(flow));
  }
  collectFreeDimensions(signature);
  return signature;
}

Signature inferSignature(const ExecutableFile& file, std::int64_t function) {
  return inferSignature(*file.data, function, file.kernels);
}

std::string describeParameter(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::Tensor:
      if (parameter.rankKnown) {
        return (parameter.typeKnown ? dataTypeName(parameter.type) : "tensor") + " " +
               describeDimensions(parameter);
      }
      return parameter.typeKnown ? dataTypeName(parameter.type) + " of any shape" : "tensor";
    case ParameterKind::Shape:
      return parameter.rankKnown ? "shape " + describeDimensions(parameter) : "shape";
    case ParameterKind::Scalar:
      return parameter.typeKnown ? "scalar " + dataTypeName(parameter.type) : "scalar";
    case ParameterKind::String:
      return "string";
    case ParameterKind::Tuple:
      return describeTuple(parameter);
    case ParameterKind::Opaque:
      break;
  }
  return "object";
}

std::string describeSignature(const Signature& signature) {
  std::vector<std::string> texts;
  for (const Parameter& parameter : signature.parameters) {
    texts.push_back(fmt::format("{}: {}", parameter.name, describeParameter(parameter)));
  }
  const std::string text = fmt::format("{}({})", signature.function, fmt::join(texts, ", "));
  return signature.resultKnown ? fmt::format("{} -> {}", text, describeParameter(signature.result)) : text;
}

}  // namespace opscope::vm
