// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/value_flow.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "engine/vm/annotation_parser.h"
#include "engine/vm/flow_values.h"

namespace opscope::vm {

namespace {

using Id = FlowValues::Id;

constexpr DataType kInt64{0, 64, 1};

Dimension fixedDimension(std::int64_t value) {
  return value >= 0 ? Dimension{value, "", false} : Dimension{-1, std::string(kUnknownDimension), false};
}
Dimension unknownDimension() {
  return {-1, std::string(kUnknownDimension), false};
}
Dimension heapDimension(std::int64_t slot) {
  return {-1, slotDimension(slot), false};
}

class Follower {
 public:
  Follower(const ExecutableData& data, std::int64_t function, std::span<const KernelInfo> kernels)
      : m_data(data), m_function(data.functions[static_cast<std::size_t>(function)]) {
    for (const KernelInfo& kernel : kernels) {
      m_kernelTexts.emplace(kernel.name, kernel.signature);
    }
    for (std::int64_t argument = 0; argument < m_function.argumentCount; ++argument) {
      m_registers[argument] = m_values.add();
      m_arguments.push_back(m_registers[argument]);
    }
  }

  FlowResult run() {
    for (std::int64_t index = m_function.startInstruction; index < m_function.endInstruction; ++index) {
      const Instruction& instruction = m_data.instructions[static_cast<std::size_t>(index)];
      if (instruction.op == Instruction::Op::Call) {
        follow(instruction);
      } else if (instruction.op == Instruction::Op::Ret) {
        addReturn(instruction.operand);
      }
    }
    FlowResult result;
    for (const Id argument : m_arguments) {
      result.parameters.push_back(m_values.toParameter(argument));
    }
    if (m_result && m_values.facts(*m_result).kind != ParameterKind::Opaque) {
      result.result = m_values.toParameter(*m_result);
    }
    result.matchedSlots = std::move(m_matchedSlots);
    return result;
  }

 private:
  using Rule = void (Follower::*)(const Instruction&);
  struct NamedRule {
    std::string_view builtin;
    Rule rule;
  };

  // Builtins that say something about values; `vm.builtin.` stands before each.
  static Rule ruleOf(std::string_view name) {
    constexpr std::string_view kPrefix = "vm.builtin.";
    static constexpr NamedRule kRules[] = {
        {"check_tensor_info", &Follower::checkTensor},
        {"match_shape", &Follower::matchShape},
        {"check_shape_info", &Follower::checkShape},
        {"check_tuple_info", &Follower::checkTuple},
        {"check_prim_value_info", &Follower::checkPrim},
        {"match_prim_value", &Follower::matchPrim},
        {"check_string_info", &Follower::checkString},
        {"tuple_getitem", &Follower::getItem},
        {"make_tuple", &Follower::makeTuple},
        {"make_shape", &Follower::makeShape},
        {"alloc_tensor", &Follower::allocTensor},
        {"reshape", &Follower::reshape},
        {"copy", &Follower::passThrough},
        {"to_device", &Follower::passThrough},
        {"ensure_zero_offset", &Follower::passThrough},
        {"shape_of", &Follower::shapeOf},
        {"make_prim_value", &Follower::makePrim},
        {"tensor_to_shape", &Follower::tensorToShape},
        {"null_value", &Follower::nullValue},
    };
    if (name.starts_with(kPrefix)) {
      for (const NamedRule& entry : kRules) {
        if (entry.builtin == name.substr(kPrefix.size())) {
          return entry.rule;
        }
      }
    }
    return nullptr;
  }

  void follow(const Instruction& call) {
    const FunctionEntry& callee = m_data.functions[static_cast<std::size_t>(call.function)];
    const Rule rule = callee.kind == FunctionKind::Packed ? ruleOf(callee.name) : nullptr;
    if (rule != nullptr) {
      (this->*rule)(call);
      return;
    }
    if (callee.kind == FunctionKind::Packed) {
      applyKernel(call, callee.name);
    }
    setRegister(call.destination, m_values.add());
  }

  // --- arguments of a call

  const Argument* argument(const Instruction& call, std::uint32_t index) const {
    return index < call.argumentCount ? &m_data.arguments[call.firstArgument + index] : nullptr;
  }
  std::optional<std::int64_t> immediate(const Instruction& call, std::uint32_t index) const {
    const Argument* found = argument(call, index);
    return found != nullptr && found->kind == Argument::Kind::Immediate ? std::optional(found->value)
                                                                        : std::nullopt;
  }
  template <class T>
  const T* constant(const Instruction& call, std::uint32_t index) const {
    const Argument* found = argument(call, index);
    return found != nullptr && found->kind == Argument::Kind::ConstantIndex
               ? std::get_if<T>(&m_data.constants[static_cast<std::size_t>(found->value)])
               : nullptr;
  }

  Id valueOf(const Instruction& call, std::uint32_t index) {
    const Argument* found = argument(call, index);
    if (found == nullptr) {
      return m_values.add();
    }
    switch (found->kind) {
      case Argument::Kind::Register: {
        if (found->value >= kVoidRegister) {
          return m_values.add();
        }
        const auto [entry, isNew] = m_registers.try_emplace(found->value, 0);
        if (isNew) {
          entry->second = m_values.add();
        }
        return entry->second;
      }
      case Argument::Kind::Immediate:
        return addScalar(kInt64);
      case Argument::Kind::ConstantIndex:
        return addConstant(m_data.constants[static_cast<std::size_t>(found->value)]);
      case Argument::Kind::FunctionIndex:
        break;
    }
    return m_values.add();
  }

  Id addScalar(DataType type) {
    const Id id = m_values.add();
    m_values.setKind(id, ParameterKind::Scalar);
    m_values.setType(id, type);
    return id;
  }

  Id addShaped(ParameterKind kind, const std::vector<Dimension>& dimensions) {
    const Id id = m_values.add();
    m_values.setKind(id, kind);
    m_values.setDimensions(id, dimensions);
    return id;
  }

  static std::vector<Dimension> toDimensions(const std::vector<std::int64_t>& sizes) {
    std::vector<Dimension> dimensions;
    for (const std::int64_t size : sizes) {
      dimensions.push_back(fixedDimension(size));
    }
    return dimensions;
  }

  Id addConstant(const Constant& value) {
    if (const auto* tensor = std::get_if<TensorConstant>(&value)) {
      const Id id = addShaped(ParameterKind::Tensor, toDimensions(tensor->shape));
      m_values.setType(id, tensor->type);
      return id;
    }
    if (const auto* shape = std::get_if<ShapeConstant>(&value)) {
      return addShaped(ParameterKind::Shape, toDimensions(shape->values));
    }
    if (std::holds_alternative<std::int64_t>(value)) {
      return addScalar(kInt64);
    }
    if (std::holds_alternative<double>(value)) {
      return addScalar(DataType{2, 64, 1});
    }
    const Id id = m_values.add();
    if (std::holds_alternative<std::string>(value)) {
      m_values.setKind(id, ParameterKind::String);
    }
    return id;
  }

  // A register that still holds a value got it on another path: only equal facts survive.
  void setRegister(std::int64_t reg, Id id) {
    if (reg >= kVoidRegister) {
      return;
    }
    const auto [entry, isNew] = m_registers.try_emplace(reg, id);
    if (!isNew && entry->second != id) {
      entry->second = m_values.sameFacts(entry->second, id) ? id : m_values.add();
    }
  }

  void addReturn(std::int64_t reg) {
    const auto found = m_registers.find(reg);
    const Id id = found != m_registers.end() ? found->second : m_values.add();
    const bool differs = m_result && *m_result != id && !m_values.sameFacts(*m_result, id);
    m_result = differs ? m_values.add() : id;
  }

  // --- rules; arguments as in TVM's builtin of the same name

  void checkTensor(const Instruction& call) {
    const Id id = valueOf(call, 0);
    m_values.isTensor(id);
    m_values.setRank(id, immediate(call, 1).value_or(-1));
    if (const auto* type = constant<DataType>(call, 2)) {
      m_values.setType(id, *type);
    }
  }

  void matchShape(const Instruction& call) {
    const Id id = valueOf(call, 0);
    if (m_values.facts(id).kind != ParameterKind::Shape) {
      m_values.isTensor(id);
    }
    std::vector<Dimension> dimensions;
    const std::int64_t count = immediate(call, 2).value_or(-1);
    for (std::uint32_t at = 3;
         count >= 0 && at + 1 < call.argumentCount && dimensions.size() < static_cast<std::size_t>(count);
         at += 2) {
      const std::int64_t code = immediate(call, at).value_or(2);
      const std::int64_t value = immediate(call, at + 1).value_or(-1);
      const bool isSlot = code == 1 || code == 3;
      dimensions.push_back(code == 0 ? fixedDimension(value)
                           : isSlot  ? heapDimension(value)
                                     : unknownDimension());
      if (code == 1) {
        m_matchedSlots.insert(value);
      }
    }
    if (dimensions.size() == static_cast<std::size_t>(count)) {
      m_values.setDimensions(id, dimensions);
    }
  }

  void checkShape(const Instruction& call) {
    const Id id = valueOf(call, 0);
    m_values.setKind(id, ParameterKind::Shape);
    m_values.setRank(id, immediate(call, 1).value_or(-1));
  }

  void checkTuple(const Instruction& call) {
    m_values.setMemberCount(valueOf(call, 0), immediate(call, 1).value_or(-1));
  }

  void checkPrim(const Instruction& call) {
    const Id id = valueOf(call, 0);
    m_values.setKind(id, ParameterKind::Scalar);
    if (const auto* type = constant<DataType>(call, 1)) {
      m_values.setType(id, *type);
    }
  }

  void matchPrim(const Instruction& call) {
    const Id id = valueOf(call, 0);
    if (m_values.facts(id).kind != ParameterKind::Scalar) {
      m_values.setKind(id, ParameterKind::Scalar);
      m_values.setType(id, kInt64);
    }
  }

  void checkString(const Instruction& call) { m_values.setKind(valueOf(call, 0), ParameterKind::String); }

  void getItem(const Instruction& call) {
    const Id tuple = valueOf(call, 0);
    setRegister(call.destination, m_values.member(tuple, immediate(call, 1).value_or(-1)));
  }

  void makeTuple(const Instruction& call) {
    std::vector<Id> members;
    for (std::uint32_t index = 0; index < call.argumentCount; ++index) {
      members.push_back(valueOf(call, index));
    }
    setRegister(call.destination, m_values.addTuple(std::move(members)));
  }

  void makeShape(const Instruction& call) {
    std::vector<Dimension> dimensions;
    for (std::uint32_t at = 2; at + 1 < call.argumentCount; at += 2) {
      const std::int64_t value = immediate(call, at + 1).value_or(-1);
      dimensions.push_back(immediate(call, at) == 1 ? heapDimension(value) : fixedDimension(value));
    }
    setRegister(call.destination, addShaped(ParameterKind::Shape, dimensions));
  }

  // A tensor with the shape that argument `shapeIndex` holds.
  Id addTensorOfShape(const Instruction& call, std::uint32_t shapeIndex) {
    const Id shape = valueOf(call, shapeIndex);
    const Id tensor = m_values.add();
    m_values.isTensor(tensor);
    if (m_values.facts(shape).kind == ParameterKind::Shape && m_values.facts(shape).rankKnown) {
      const std::vector<Dimension> dimensions = m_values.facts(shape).dimensions;
      m_values.setDimensions(tensor, dimensions);
    }
    return tensor;
  }

  void allocTensor(const Instruction& call) {
    const Id tensor = addTensorOfShape(call, 2);
    if (const auto* type = constant<DataType>(call, 3)) {
      m_values.setType(tensor, *type);
    }
    setRegister(call.destination, tensor);
  }

  void reshape(const Instruction& call) {
    const Id source = valueOf(call, 0);
    const Id tensor = addTensorOfShape(call, 1);
    if (m_values.facts(source).typeKnown) {
      m_values.setType(tensor, m_values.facts(source).type);
    }
    setRegister(call.destination, tensor);
  }

  void passThrough(const Instruction& call) { setRegister(call.destination, valueOf(call, 0)); }

  void shapeOf(const Instruction& call) {
    const Id source = valueOf(call, 0);
    const Id shape = m_values.add();
    m_values.setKind(shape, ParameterKind::Shape);
    if (m_values.facts(source).rankKnown) {
      const std::vector<Dimension> dimensions = m_values.facts(source).dimensions;
      m_values.setDimensions(shape, dimensions);
    }
    setRegister(call.destination, shape);
  }

  void makePrim(const Instruction& call) { setRegister(call.destination, addScalar(kInt64)); }

  // The rank of the shape is the length of the tensor.
  void tensorToShape(const Instruction& call) {
    const Id source = valueOf(call, 0);
    const Id shape = m_values.add();
    m_values.setKind(shape, ParameterKind::Shape);
    const std::vector<Dimension>& dimensions = m_values.facts(source).dimensions;
    if (dimensions.size() == 1 && !dimensions[0].isFree()) {
      m_values.setRank(shape, dimensions[0].value);
    }
    setRegister(call.destination, shape);
  }

  void nullValue(const Instruction& call) { m_registers.erase(call.destination); }

  // --- what a kernel's own signature says about values that nothing else tells about

  const std::vector<Parameter>* kernelParameters(const std::string& name) {
    const auto [entry, isNew] = m_kernels.try_emplace(name);
    if (isNew) {
      const auto text = m_kernelTexts.find(name);
      if (text != m_kernelTexts.end()) {
        entry->second = parseKernelSignature(text->second);
      }
    }
    return entry->second ? &*entry->second : nullptr;
  }

  void applyKernel(const Instruction& call, const std::string& name) {
    const std::vector<Parameter>* kernel = kernelParameters(name);
    if (kernel == nullptr || kernel->size() != call.argumentCount) {
      return;
    }
    // The kernel's names for dimensions, as far as arguments with known shapes tell what they are here.
    std::unordered_map<std::string, Dimension> names;
    for (std::uint32_t index = 0; index < call.argumentCount; ++index) {
      const Parameter& known = m_values.facts(valueOf(call, index));
      const std::vector<Dimension>& dimensions = (*kernel)[index].dimensions;
      for (std::size_t axis = 0; known.dimensions.size() == dimensions.size() && axis < dimensions.size();
           ++axis) {
        if (dimensions[axis].isFree() && known.dimensions[axis].name != kUnknownDimension) {
          names.emplace(dimensions[axis].name, known.dimensions[axis]);
        }
      }
    }
    for (std::uint32_t index = 0; index < call.argumentCount; ++index) {
      if ((*kernel)[index].kind == ParameterKind::Tensor) {
        applyKernelTensor(valueOf(call, index), (*kernel)[index], names);
      }
    }
  }

  void applyKernelTensor(Id id, const Parameter& wanted,
                         const std::unordered_map<std::string, Dimension>& names) {
    const ParameterKind kind = m_values.facts(id).kind;
    if (kind == ParameterKind::Opaque) {
      m_values.isTensor(id);
    } else if (kind != ParameterKind::Tensor) {
      return;
    }
    if (wanted.typeKnown && !m_values.facts(id).typeKnown) {
      m_values.setType(id, wanted.type);
    }
    if (wanted.rankKnown && !m_values.facts(id).rankKnown) {
      std::vector<Dimension> dimensions = wanted.dimensions;
      for (Dimension& dimension : dimensions) {
        const auto found = names.find(dimension.name);
        if (found != names.end()) {
          dimension = found->second;
        } else if (dimension.isExpression) {
          dimension = unknownDimension();
        }
      }
      m_values.setDimensions(id, dimensions);
    }
  }

  const ExecutableData& m_data;
  const FunctionEntry& m_function;
  FlowValues m_values;
  std::unordered_map<std::int64_t, Id> m_registers;
  std::vector<Id> m_arguments;
  std::optional<Id> m_result;
  std::set<std::int64_t> m_matchedSlots;
  std::unordered_map<std::string, std::string_view> m_kernelTexts;
  std::unordered_map<std::string, std::optional<std::vector<Parameter>>> m_kernels;
};

}  // namespace

std::string slotDimension(std::int64_t slot) {
  return fmt::format("#{}", slot);
}

std::optional<std::int64_t> slotOf(const Dimension& dimension) {
  std::int64_t slot = 0;
  const std::string& name = dimension.name;
  if (name.size() < 2 || name[0] != '#') {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), slot);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(slot) : std::nullopt;
}

FlowResult followValues(const ExecutableData& data, std::int64_t function,
                        std::span<const KernelInfo> kernels) {
  return Follower(data, function, kernels).run();
}

}  // namespace opscope::vm
