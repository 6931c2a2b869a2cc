// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fuzz/program_maker.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tests/vm/fuzz/builtin_recipes.h"
#include "tests/vm/fuzz/fuzz_constants.h"

namespace opscope::vm::test {

namespace {

constexpr std::size_t kMostRegisters = 24;
class ProgramMaker {
 public:
  explicit ProgramMaker(FuzzRandom& random)
      : m_random(random),
        m_wrongPercent(random.oneOf(std::array<unsigned, 5>{0, 0, 1, 4, 15})),
        m_constants(random, m_wrongPercent) {}

  FuzzProgram make() {
    m_constants.add();
    m_data.constants = m_constants.values();
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
    return {std::move(m_data), m_constants.tensorBytes()};
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

  bool isWrong() { return m_random.chance(m_wrongPercent); }
  std::int64_t integer() { return isWrong() ? m_random.number() : m_random.between(0, 4); }

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
    if (m_random.chance(30)) {
      addCache();
    }
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

  std::int64_t freeRegister(char kind) {
    const std::size_t index = m_random.below(m_registerKinds.size());
    m_registerKinds[index] = kind;
    return static_cast<std::int64_t>(index);
  }

  /// Two tuples of kernels, which any packed function may play, and a cache with them.
  void addCache() {
    const std::size_t maker = indexOfRecipe(kCacheMaker);
    const std::size_t tuple = indexOfRecipe("vm.builtin.make_tuple");
    Instruction instruction;
    begin(instruction, m_functionOfRecipe[tuple]);
    constant(m_constants.firstForCaches());
    function(m_functionOfRecipe[m_random.below(m_functionOfRecipe.size())]);
    addWithResult(instruction, 'T');
    const std::int64_t kernel = instruction.destination;
    begin(instruction, m_functionOfRecipe[tuple]);
    function(m_functionOfRecipe[m_random.below(m_functionOfRecipe.size())]);
    addWithResult(instruction, 'T');
    const std::int64_t merge = instruction.destination;
    begin(instruction, m_functionOfRecipe[maker]);
    for (std::size_t place = 0; place < 28; ++place) {
      addCacheArgument(place, kernel, merge);
    }
    addWithResult(instruction, 'K');
  }

  void addWithResult(Instruction& instruction, char kind) {
    instruction.argumentCount =
        static_cast<std::uint32_t>(m_data.arguments.size()) - instruction.firstArgument;
    instruction.destination = freeRegister(kind);
    m_data.instructions.push_back(instruction);
  }

  /// Sizes, layers, heads, kinds, rope, factors, element, then kernels by themselves or with their library.
  void addCacheArgument(std::size_t place, std::int64_t kernel, std::int64_t merge) {
    static constexpr std::string_view kForms = "ZLHHDDAzRiizEFFkkkkkkkkmFFFF";
    if (isWrong()) {
      anything();
      return;
    }
    switch (kForms[place]) {
      case 'Z':
        constant(m_constants.firstForCaches() + 1);
        break;
      case 'L':
        constant(m_constants.firstForCaches() + 2);
        break;
      case 'A':
        constant(m_constants.firstForCaches() + 3);
        break;
      case 'E':
        constant(m_constants.firstForCaches() + 4);
        break;
      case 'H':
        immediate(place == 2 ? 4 : 2);
        break;
      case 'D':
        immediate(8);
        break;
      case 'R':
        immediate(m_random.between(0, 2));
        break;
      case 'k':
        m_data.arguments.push_back({Argument::Kind::Register, kernel});
        break;
      case 'm':
        m_data.arguments.push_back({Argument::Kind::Register, merge});
        break;
      case 'F':
        function(m_functionOfRecipe[m_random.below(m_functionOfRecipe.size())]);
        break;
      default:
        immediate(kForms[place] == 'z' ? 0 : 1);
        break;
    }
  }

  static std::size_t indexOfRecipe(std::string_view name) {
    const auto recipes = builtinRecipes();
    return static_cast<std::size_t>(std::ranges::find(recipes, name, &Recipe::name) - recipes.begin());
  }

  void constant(std::size_t index) {
    m_data.arguments.push_back({Argument::Kind::ConstantIndex, static_cast<std::int64_t>(index)});
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
      return std::string_view("ghTtK").find(kind) == std::string_view::npos || has(kind);
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
    const std::size_t first = m_random.below(m_constants.kinds().size());
    for (std::size_t i = 0; i < m_constants.kinds().size(); ++i) {
      const std::size_t index = (first + i) % m_constants.kinds().size();
      if (m_constants.kinds()[index] == kind) {
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
  unsigned m_wrongPercent;  ///< how often an argument does not fit
  FuzzConstants m_constants;
  ExecutableData m_data;
  std::vector<char> m_registerKinds;
  std::vector<std::size_t> m_functionOfRecipe;
  std::size_t m_bodies = 0;
  std::size_t m_body = 0;
};

}  // namespace

FuzzProgram makeProgram(FuzzRandom& random) {
  return ProgramMaker(random).make();
}

}  // namespace opscope::vm::test
