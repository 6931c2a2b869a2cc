// SPDX-License-Identifier: Apache-2.0
#include "engine/session/kernel_calls.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/session/dimension_expression.h"
#include "engine/vm/annotation_parser.h"

namespace opscope::session {

namespace {

constexpr std::size_t kMostCalls = 100'000;
constexpr std::uint32_t kDeepest = 64;

std::optional<KernelArgument> argumentOf(const vm::Parameter& parameter,
                                         const std::map<std::string, std::int64_t>& sizes) {
  if (parameter.kind != vm::ParameterKind::Tensor || !parameter.typeKnown || !parameter.rankKnown) {
    return std::nullopt;
  }
  KernelArgument argument{parameter.type, {}};
  for (const vm::Dimension& dimension : parameter.dimensions) {
    const std::optional<std::int64_t> size =
        dimension.isFree() ? evaluateDimension(dimension.name, sizes) : dimension.value;
    if (!size || *size < 0) {
      return std::nullopt;
    }
    argument.shape.push_back(*size);
  }
  return argument;
}

class Finder {
 public:
  Finder(const vm::ExecutableFile& file, const std::map<std::string, std::int64_t>& sizes)
      : m_data(*file.data), m_sizes(sizes) {
    for (const vm::KernelInfo& kernel : file.kernels) {
      m_signatures[kernel.name] = kernel.signature;
    }
  }

  KernelCalls find(std::int64_t function) {
    walk(function, 0);
    return std::move(m_found);
  }

 private:
  void walk(std::int64_t function, std::uint32_t depth) {
    if (function < 0 || static_cast<std::size_t>(function) >= m_data.functions.size() || depth > kDeepest ||
        !m_open.insert(function).second) {
      return;  // a function that calls itself is walked once
    }
    const vm::FunctionEntry& entry = m_data.functions[static_cast<std::size_t>(function)];
    if (entry.kind == vm::FunctionKind::Bytecode) {
      for (std::int64_t at = entry.startInstruction; at < entry.endInstruction; ++at) {
        const vm::Instruction& instruction = m_data.instructions[static_cast<std::size_t>(at)];
        if (instruction.op == vm::Instruction::Op::Call) {
          visit(instruction.function, static_cast<std::uint32_t>(at), depth);
        }
      }
    }
    m_open.erase(function);
  }

  void visit(std::int64_t callee, std::uint32_t instruction, std::uint32_t depth) {
    const vm::FunctionEntry& entry = m_data.functions[static_cast<std::size_t>(callee)];
    if (entry.kind == vm::FunctionKind::Bytecode) {
      walk(callee, depth + 1);
      return;
    }
    const auto signature = m_signatures.find(entry.name);
    if (signature == m_signatures.end() || m_found.calls.size() >= kMostCalls) {
      return;
    }
    KernelCall call{entry.name, instruction, depth, {}};
    const auto parameters = vm::parseKernelSignature(signature->second);
    bool known = parameters.has_value() && !parameters->empty();
    for (std::size_t i = 0; known && i < parameters->size(); ++i) {
      auto argument = argumentOf((*parameters)[i], m_sizes);
      known = argument.has_value();
      if (known) {
        call.arguments.push_back(*std::move(argument));
      }
    }
    if (known) {
      m_found.calls.push_back(std::move(call));
    } else if (std::ranges::find(m_found.unknown, entry.name) == m_found.unknown.end()) {
      m_found.unknown.push_back(entry.name);
    }
  }

  const vm::ExecutableData& m_data;
  const std::map<std::string, std::int64_t>& m_sizes;
  std::map<std::string, std::string> m_signatures;
  std::set<std::int64_t> m_open;
  KernelCalls m_found;
};

}  // namespace

std::map<std::string, std::int64_t> sizesOf(const vm::Signature& signature,
                                            const std::vector<InputValue>& arguments) {
  std::map<std::string, std::int64_t> sizes;
  for (std::size_t i = 0; i < std::min(signature.parameters.size(), arguments.size()); ++i) {
    const std::vector<vm::Dimension>& dimensions = signature.parameters[i].dimensions;
    const auto* const array = std::get_if<arrays::Array>(&arguments[i].value);
    const auto* const shape = std::get_if<ShapeValue>(&arguments[i].value);
    const std::vector<std::int64_t>* const values = array   ? &array->shape()
                                                    : shape ? &shape->values
                                                            : nullptr;
    for (std::size_t d = 0; values != nullptr && d < std::min(dimensions.size(), values->size()); ++d) {
      if (dimensions[d].isFree() && !dimensions[d].isExpression) {
        sizes.try_emplace(dimensions[d].name, (*values)[d]);
      }
    }
  }
  return sizes;
}

KernelCalls findKernelCalls(const vm::ExecutableFile& file, std::int64_t function,
                            const std::map<std::string, std::int64_t>& sizes) {
  return Finder(file, sizes).find(function);
}

}  // namespace opscope::session
