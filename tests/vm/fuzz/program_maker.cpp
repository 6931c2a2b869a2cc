// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fuzz/program_maker.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tests/vm/fuzz/builtin_recipes.h"

namespace opscope::vm::test {

namespace {

constexpr std::size_t kMostRegisters = 24;
constexpr std::array<std::string_view, 12> kTexts = {"",          "global",
                                                     "x = {}",    "{}{",
                                                     "values",    "both",
                                                     "indices",   "ErrorContext(fn=main, loc=param[0])",
                                                     "%s%n",      "vm.builtin.make_tuple",
                                                     "{0}{1}{9}", "\xFF\xFE"};

class ProgramMaker {
 public:
  explicit ProgramMaker(FuzzRandom& random) : m_random(random) {}

  FuzzProgram make() {
    m_wrongPercent = m_random.oneOf(std::array<unsigned, 5>{0, 0, 1, 4, 15});
    addConstants();
    m_bodies = 1 + m_random.below(6);
    for (std::size_t i = 0; i < m_bodies; ++i) {
      FunctionEntry entry;
      entry.kind = FunctionKind::Bytecode;
      entry.name = i == 0 ? "main" : "f" + std::to_string(i);
      entry.argumentCount = m_random.between(0, 4);
      entry.registerCount = entry.argumentCount + m_random.between(1, kMostRegisters);
      m_data.functions.push_back(entry);
    }
    addBuiltins();
    for (m_body = 0; m_body < m_bodies; ++m_body) {
      addBody();
    }
    return {std::move(m_data), std::move(m_tensorBytes)};
  }

 private:
  void addBuiltins() {
    for (const Recipe& recipe : builtinRecipes()) {
      std::int64_t index = findFunction(m_data, recipe.name);
      if (index < 0) {
        index = static_cast<std::int64_t>(m_data.functions.size());
        FunctionEntry entry;
        entry.name = std::string(recipe.name);
        entry.argumentCount = -2;
        m_data.functions.push_back(entry);
      }
      m_functionOfRecipe.push_back(static_cast<std::size_t>(index));
    }
  }

  void addConstants() {
    const std::size_t count = 6 + m_random.below(14);
    for (std::size_t i = 0; i < count; ++i) {
      switch (i < 4 ? i : m_random.below(7)) {
        case 0:
          add('s', ShapeConstant{dimensions()});
          break;
        case 1:
          add('d', elementType());
          break;
        case 2:
          add('S', i == 2 && !isWrong() ? std::string("global") : std::string(m_random.oneOf(kTexts)));
          break;
        case 3:
          addTensor();
          break;
        case 4:
          add('i', integer());
          break;
        case 5:
          add('i', m_random.chance(50) ? 1.5 : std::numeric_limits<double>::quiet_NaN());
          break;
        default:
          add('s', ShapeConstant{{integer(), m_random.between(1, 64)}});
          break;
      }
    }
  }

  bool isWrong() { return m_random.chance(m_wrongPercent); }
  std::int64_t integer() { return isWrong() ? m_random.number() : m_random.between(0, 4); }

  void add(char kind, Constant constant) {
    m_constantKinds.push_back(kind);
    m_data.constants.push_back(std::move(constant));
  }

  std::vector<std::int64_t> dimensions() {
    std::vector<std::int64_t> shape(m_random.below(4));
    for (std::int64_t& dimension : shape) {
      dimension = isWrong() ? m_random.number() : m_random.between(0, 5);
    }
    return shape;
  }

  DataType elementType() {
    static constexpr std::array<DataType, 14> kTypes = {
        DataType{2, 32, 1}, DataType{0, 64, 1}, DataType{0, 32, 1}, DataType{0, 8, 1},  DataType{1, 8, 1},
        DataType{6, 8, 1},  DataType{2, 16, 1}, DataType{2, 64, 1}, DataType{4, 16, 1}, DataType{0, 4, 1},
        DataType{1, 1, 1},  DataType{2, 32, 4}, DataType{10, 8, 1}, DataType{5, 64, 1}};
    if (!isWrong()) {
      return m_random.chance(60) ? kTypes[m_random.below(3)] : m_random.oneOf(kTypes);
    }
    return {static_cast<std::uint8_t>(m_random.word() % 20), static_cast<std::uint8_t>(m_random.word()),
            static_cast<std::uint16_t>(m_random.chance(50) ? 1 : m_random.word())};
  }

  void addTensor() {
    TensorConstant tensor;
    tensor.type = elementType();
    tensor.type.lanes = 1;
    tensor.type.bits = tensor.type.bits == 0 ? 8 : tensor.type.bits;
    const std::size_t rank = m_random.below(4);
    std::size_t size = (tensor.type.bits + 7U) / 8;
    for (std::size_t i = 0; i < rank; ++i) {
      tensor.shape.push_back(m_random.between(0, 5));
      size *= static_cast<std::size_t>(tensor.shape.back());
    }
    tensor.offset = m_tensorBytes.size();
    tensor.size = size;
    for (std::size_t i = 0; i < size; ++i) {
      m_tensorBytes.push_back(static_cast<char>(m_random.chance(60) ? m_random.below(4) : m_random.word()));
    }
    add('t', tensor);
  }

  // ---- code ----

  FunctionEntry& entry() { return m_data.functions[m_body]; }

  void addBody() {
    const auto start = static_cast<std::int64_t>(m_data.instructions.size());
    entry().startInstruction = start;
    m_registerKinds.assign(static_cast<std::size_t>(entry().registerCount), 'x');
    if (m_random.chance(80)) {
      addPrelude();
    }
    const auto preludeEnd = static_cast<std::int64_t>(m_data.instructions.size()) - start;
    const std::size_t count = 1 + m_random.below(m_random.chance(80) ? 8 : 30);
    for (std::size_t i = 0; i < count; ++i) {
      addInstruction(i, count);
    }
    Instruction last;
    last.op = m_random.chance(90) ? Instruction::Op::Ret : Instruction::Op::Goto;
    last.operand = m_random.below(static_cast<std::size_t>(entry().registerCount));
    last.offset =
        -static_cast<std::int64_t>(m_random.below(count + static_cast<std::size_t>(preludeEnd) + 1));
    m_data.instructions.push_back(last);
    entry().endInstruction = static_cast<std::int64_t>(m_data.instructions.size());
  }

  /// Makes the values that most builtins need, so that bodies do not end at their first call.
  void addPrelude() {
    for (const std::string_view name :
         {"vm.builtin.alloc_shape_heap", "vm.builtin.alloc_storage", "vm.builtin.alloc_tensor",
          "vm.builtin.make_tuple", "vm.builtin.make_closure"}) {
      for (std::size_t number = 0; number < builtinRecipes().size(); ++number) {
        if (builtinRecipes()[number].name == name && m_random.chance(70)) {
          Instruction instruction;
          addCallOf(instruction, number);
          m_data.instructions.push_back(instruction);
        }
      }
    }
  }

  void addInstruction(std::size_t index, std::size_t count) {
    Instruction instruction;
    const std::size_t left = count - index;
    if (m_random.chance(6) && left > 2 && (has('b') || isWrong())) {
      instruction.op = Instruction::Op::If;
      instruction.operand = pickRegister('b');
      instruction.offset = m_random.between(2, static_cast<std::int64_t>(left));
    } else if (m_random.chance(4)) {
      instruction.op = Instruction::Op::Goto;
      instruction.offset =
          m_random.between(-static_cast<std::int64_t>(index), static_cast<std::int64_t>(left));
    } else if (m_random.chance(8)) {
      addCallOfBody(instruction);
    } else {
      addCallOfBuiltin(instruction);
    }
    m_data.instructions.push_back(instruction);
  }

  void addCallOfBody(Instruction& instruction) {
    const std::size_t callee = m_random.below(m_bodies);
    begin(instruction, callee);
    for (std::int64_t i = 0; i < m_data.functions[callee].argumentCount; ++i) {
      addArgument('x');
    }
    end(instruction, 'x');
  }

  void addCallOfBuiltin(Instruction& instruction) {
    std::size_t number = m_random.below(builtinRecipes().size());
    for (int tries = 0; tries < 20 && !isWrong() && !canCall(builtinRecipes()[number]); ++tries) {
      number = m_random.below(builtinRecipes().size());
    }
    addCallOf(instruction, number);
  }

  bool has(char kind) const { return std::ranges::find(m_registerKinds, kind) != m_registerKinds.end(); }

  /// Whether something of each kind that it wants is there.
  bool canCall(const Recipe& recipe) const {
    return std::ranges::all_of(recipe.arguments, [this](char kind) {
      return std::string_view("ghTt").find(kind) == std::string_view::npos || has(kind);
    });
  }

  void addCallOf(Instruction& instruction, std::size_t number) {
    const Recipe& recipe = builtinRecipes()[number];
    begin(instruction, m_functionOfRecipe[number]);
    for (std::size_t i = 0; i < recipe.arguments.size(); ++i) {
      const bool repeats = i + 1 < recipe.arguments.size() && recipe.arguments[i + 1] == '*';
      const std::size_t times = repeats ? m_random.below(4) : 1;
      for (std::size_t j = 0; j < times; ++j) {
        addByRecipe(recipe.arguments[i]);
      }
      i += repeats ? 1 : 0;
    }
    if (isWrong()) {
      addArgument('x');
    }
    if (isWrong() && m_data.arguments.size() > instruction.firstArgument) {
      m_data.arguments.pop_back();
    }
    end(instruction, recipe.result);
  }

  void begin(Instruction& instruction, std::size_t callee) {
    instruction.op = Instruction::Op::Call;
    instruction.function = static_cast<std::int64_t>(callee);
    instruction.firstArgument = static_cast<std::uint32_t>(m_data.arguments.size());
  }

  void end(Instruction& instruction, char kind) {
    instruction.argumentCount =
        static_cast<std::uint32_t>(m_data.arguments.size()) - instruction.firstArgument;
    if (m_random.chance(8)) {
      return;  // the result is dropped
    }
    const std::size_t destination = m_random.below(m_registerKinds.size());
    m_registerKinds[destination] = kind;
    instruction.destination = static_cast<std::int64_t>(destination);
  }

  /// 'p' and 'q': a count and as many pairs of a code and an operand; other letters are one argument.
  void addByRecipe(char kind) {
    if (kind == '=') {
      m_data.arguments.push_back(m_data.arguments.back());
      return;
    }
    if (kind != 'p' && kind != 'q') {
      addArgument(isWrong() ? 'x' : kind);
      return;
    }
    const std::int64_t pairs = m_random.between(0, 4);
    immediate(isWrong() ? m_random.number() : pairs);
    for (std::int64_t i = 0; i < pairs; ++i) {
      immediate(isWrong() ? m_random.number() : m_random.between(0, kind == 'q' ? 1 : 3));
      immediate(integer());
    }
  }

  void immediate(std::int64_t value) {
    m_data.arguments.push_back(
        {Argument::Kind::Immediate, static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 8) >> 8});
  }

  void addArgument(char kind) {
    switch (kind) {
      case 'v':
        m_data.arguments.push_back({Argument::Kind::Register, kVmRegister});
        return;
      case 'i':
        immediate(integer());
        return;
      case 'z':
      case '1':
      case '8':
        immediate(kind == 'z' ? 0 : kind - '0');
        return;
      case 'm':
        immediate(-1);
        return;
      case 'n':
        m_data.arguments.push_back({Argument::Kind::Register, kVoidRegister});
        return;
      case 'b':
        if (m_random.chance(70)) {
          immediate(m_random.between(0, 1));
          return;
        }
        break;
      case 'f':
        function(m_random.below(m_data.functions.size()));
        return;
      case 'c':
        if (m_random.chance(70)) {
          function(m_random.below(m_bodies));
          return;
        }
        break;
      case 'G':
        m_data.arguments.push_back({Argument::Kind::ConstantIndex, 2});
        return;
      case 'd':
      case 'S':
      case 's':
      case 't':
        if (m_random.chance(kind == 't' ? 30 : 80) && constantOf(kind)) {
          return;
        }
        break;
      case 'x':
        anything();
        return;
      default:
        break;
    }
    m_data.arguments.push_back({Argument::Kind::Register, pickRegister(kind)});
  }

  void function(std::size_t index) {
    m_data.arguments.push_back({Argument::Kind::FunctionIndex, static_cast<std::int64_t>(index)});
  }

  bool constantOf(char kind) {
    const std::size_t first = m_random.below(m_constantKinds.size());
    for (std::size_t i = 0; i < m_constantKinds.size(); ++i) {
      const std::size_t index = (first + i) % m_constantKinds.size();
      if (m_constantKinds[index] == kind) {
        m_data.arguments.push_back({Argument::Kind::ConstantIndex, static_cast<std::int64_t>(index)});
        return true;
      }
    }
    return false;
  }

  void anything() {
    switch (m_random.below(6)) {
      case 0:
        immediate(m_random.number());
        break;
      case 1:
        m_data.arguments.push_back({Argument::Kind::ConstantIndex,
                                    static_cast<std::int64_t>(m_random.below(m_data.constants.size()))});
        break;
      case 2:
        function(m_random.below(m_data.functions.size()));
        break;
      case 3:
        m_data.arguments.push_back(
            {Argument::Kind::Register, m_random.chance(50) ? kVoidRegister : kVmRegister});
        break;
      default:
        m_data.arguments.push_back({Argument::Kind::Register, pickRegister('x')});
        break;
    }
  }

  /// A register that holds `kind` as far as straight code tells; any one when none does.
  std::int64_t pickRegister(char kind) {
    const std::size_t first = m_random.below(m_registerKinds.size());
    for (std::size_t i = 0; i < m_registerKinds.size() && kind != 'x'; ++i) {
      const std::size_t index = (first + i) % m_registerKinds.size();
      if (m_registerKinds[index] == kind || (kind == 't' && m_registerKinds[index] == 'h')) {
        return static_cast<std::int64_t>(index);
      }
    }
    return static_cast<std::int64_t>(first);
  }

  FuzzRandom& m_random;
  ExecutableData m_data;
  std::string m_tensorBytes;
  std::vector<char> m_constantKinds;
  std::vector<char> m_registerKinds;
  std::vector<std::size_t> m_functionOfRecipe;
  unsigned m_wrongPercent = 0;  ///< how often an argument does not fit
  std::size_t m_bodies = 0;
  std::size_t m_body = 0;
};

}  // namespace

FuzzProgram makeProgram(FuzzRandom& random) {
  return ProgramMaker(random).make();
}

}  // namespace opscope::vm::test
