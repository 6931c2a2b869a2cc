// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/instruction_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace opscope::vm {

namespace {

constexpr std::uint64_t kWordBytes = 8;
constexpr int kValueBits = 56;

// A list of i64 words in the file; unaligned there, so words are copied out one by one.
struct WordList {
  std::string_view raw;
  std::uint64_t offset = 0;  // of its first word in the file
  std::uint64_t size() const { return raw.size() / kWordBytes; }
  std::int64_t at(std::uint64_t index) const {
    std::int64_t word = 0;
    std::memcpy(&word, raw.data() + index * kWordBytes, kWordBytes);
    return word;
  }
  std::uint64_t offsetOf(std::uint64_t index) const { return offset + index * kWordBytes; }
};

WordList readWords(ByteReader& reader, std::string_view field) {
  const std::uint64_t count = reader.readCount(field, kWordBytes);
  WordList words;
  words.offset = reader.position();
  words.raw = reader.rawBytes(count * kWordBytes, field);
  return words;
}

// Decodes the words of one instruction after another. Indices are checked here; registers and jumps need the
// function around the instruction and are checked afterwards.
class Decoder {
 public:
  Decoder(ByteReader& reader, ExecutableData& data, WordList offsets, WordList words)
      : m_reader(reader), m_data(data), m_offsets(offsets), m_words(words) {}

  void decodeAll() {
    m_data.instructions.reserve(m_offsets.size());
    for (std::uint64_t index = 0; index < m_offsets.size() && !m_reader.failed(); ++index) {
      m_reader.enterItem("instruction", index);
      decodeOne(index);
    }
    m_reader.leaveItem();
    if (!m_reader.failed() && m_next != m_words.size()) {
      m_reader.fail(m_words.offsetOf(m_next), "instruction words", fmt::format("{} words", m_words.size()),
                    fmt::format("{}, as the instructions take", m_next));
    }
  }

 private:
  void decodeOne(std::uint64_t index) {
    const std::int64_t start = m_offsets.at(index);
    if (start < 0 || static_cast<std::uint64_t>(start) != m_next) {
      m_reader.fail(m_offsets.offsetOf(index), "word offset", fmt::format("{}", start),
                    fmt::format("{}, the end of the one before", m_next));
      return;
    }
    Instruction instruction;
    const std::uint64_t opcodeOffset = m_words.offsetOf(m_next);
    const std::int64_t opcode = nextWord("opcode");
    if (!m_reader.failed() && (opcode < 1 || opcode > 4)) {
      m_reader.fail(opcodeOffset, "opcode", fmt::format("{}", opcode),
                    "1 (call), 2 (ret), 3 (goto) or 4 (if)");
      return;
    }
    instruction.op = static_cast<Instruction::Op>(opcode);
    if (instruction.op == Instruction::Op::Call) {
      decodeCall(instruction);
    } else {
      if (instruction.op != Instruction::Op::Goto) {
        instruction.operand = nextWord("register");
      }
      if (instruction.op != Instruction::Op::Ret) {
        instruction.offset = nextWord("jump");
      }
    }
    m_data.instructions.push_back(instruction);
  }

  void decodeCall(Instruction& call) {
    call.destination = nextWord("destination register");
    const std::uint64_t functionOffset = m_words.offsetOf(m_next);
    call.function = nextWord("function index");
    checkIndex("function index", call.function, m_data.functions.size(), functionOffset);
    const std::uint64_t countOffset = m_words.offsetOf(m_next);
    const std::int64_t count = nextWord("number of arguments");
    const std::uint64_t left = m_words.size() - std::min(m_next, m_words.size());
    const std::uint64_t room = std::numeric_limits<std::uint32_t>::max() - m_data.arguments.size();
    if (!m_reader.failed() && (count < 0 || static_cast<std::uint64_t>(count) > std::min(left, room))) {
      m_reader.fail(countOffset, "number of arguments", fmt::format("{}", count),
                    fmt::format("0 to {}", std::min(left, room)));
      return;
    }
    call.firstArgument = static_cast<std::uint32_t>(m_data.arguments.size());
    call.argumentCount = static_cast<std::uint32_t>(count);
    for (std::int64_t index = 0; index < count && !m_reader.failed(); ++index) {
      m_data.arguments.push_back(decodeArgument());
    }
  }

  Argument decodeArgument() {
    const std::uint64_t offset = m_words.offsetOf(m_next);
    const auto word = static_cast<std::uint64_t>(nextWord("argument"));
    const std::uint64_t kind = word >> kValueBits;
    if (kind > 3) {
      m_reader.fail(offset, "argument kind", fmt::format("{}", kind),
                    "0 (register), 1 (immediate), 2 (constant) or 3 (function)");
      return {};
    }
    Argument argument;
    argument.kind = static_cast<Argument::Kind>(kind);
    argument.value = static_cast<std::int64_t>(word << (64 - kValueBits)) >> (64 - kValueBits);
    if (argument.kind == Argument::Kind::ConstantIndex) {
      checkIndex("constant index", argument.value, m_data.constants.size(), offset);
    } else if (argument.kind == Argument::Kind::FunctionIndex) {
      checkIndex("function index", argument.value, m_data.functions.size(), offset);
    }
    return argument;
  }

  std::int64_t nextWord(std::string_view field) {
    if (m_next >= m_words.size()) {
      m_reader.fail(m_words.offsetOf(m_words.size()), field, "the end of the instruction words",
                    "one more word");
      return 0;
    }
    return m_words.at(m_next++);
  }

  void checkIndex(std::string_view field, std::int64_t index, std::size_t count, std::uint64_t offset) {
    if (!m_reader.failed() && (index < 0 || index >= static_cast<std::int64_t>(count))) {
      m_reader.fail(offset, field, fmt::format("{}", index), fmt::format("an index below {}", count));
    }
  }

  ByteReader& m_reader;
  ExecutableData& m_data;
  WordList m_offsets;
  WordList m_words;
  std::uint64_t m_next = 0;
};

// Checks what needs the function around an instruction.
class FunctionChecker {
 public:
  FunctionChecker(ByteReader& reader, const ExecutableData& data, WordList offsets, WordList words)
      : m_reader(reader), m_data(data), m_offsets(offsets), m_words(words) {}

  void check(const FunctionEntry& function) {
    m_function = &function;
    for (std::int64_t index = function.startInstruction; index < function.endInstruction; ++index) {
      m_index = index;
      checkInstruction(m_data.instructions[static_cast<std::size_t>(index)]);
      if (m_reader.failed()) {
        return;
      }
    }
    const Instruction& last = m_data.instructions[static_cast<std::size_t>(function.endInstruction - 1)];
    if (last.op != Instruction::Op::Ret && last.op != Instruction::Op::Goto) {
      fail(0, "last instruction of a function", "one that runs on", "ret or goto");
    }
  }

 private:
  void checkInstruction(const Instruction& instruction) {
    switch (instruction.op) {
      case Instruction::Op::Call:
        // Values from the void register on mean that the result is dropped.
        if (instruction.destination < 0 || (instruction.destination >= m_function->registerCount &&
                                            instruction.destination < kVoidRegister)) {
          failRegister(1, instruction.destination);
        }
        checkArguments(instruction);
        break;
      case Instruction::Op::Ret:
        checkReadable(1, instruction.operand);
        break;
      case Instruction::Op::Goto:
        checkJump(1, instruction.offset);
        break;
      case Instruction::Op::If:
        if (instruction.operand < 0 || instruction.operand >= m_function->registerCount) {
          failRegister(1, instruction.operand);
        }
        if (instruction.offset <= 1) {
          fail(2, "jump", fmt::format("{}", instruction.offset), "2 or more");
        }
        checkJump(2, instruction.offset);
        break;
    }
  }

  void checkArguments(const Instruction& call) {
    for (std::uint32_t index = 0; index < call.argumentCount; ++index) {
      const Argument& argument = m_data.arguments[call.firstArgument + index];
      if (argument.kind == Argument::Kind::Register) {
        checkReadable(4 + index, argument.value);
      }
    }
  }

  void checkReadable(std::uint64_t word, std::int64_t reg) {
    const bool special = reg == kVoidRegister || reg == kVmRegister;
    if (!special && (reg < 0 || reg >= m_function->registerCount)) {
      failRegister(word, reg);
    }
  }

  void checkJump(std::uint64_t word, std::int64_t jump) {
    const std::int64_t lowest = m_function->startInstruction - m_index;
    const std::int64_t highest = m_function->endInstruction - 1 - m_index;
    if (jump < lowest || jump > highest) {
      fail(word, "jump", fmt::format("{}", jump),
           fmt::format("{} to {}, within its function", lowest, highest));
    }
  }

  void failRegister(std::uint64_t word, std::int64_t reg) {
    fail(word, "register", fmt::format("{}", reg),
         fmt::format("a number below {}, the registers of \"{}\"", m_function->registerCount,
                     m_function->name));
  }

  void fail(std::uint64_t word, std::string_view field, const std::string& found,
            const std::string& expected) {
    m_reader.enterItem("instruction", static_cast<std::uint64_t>(m_index));
    const auto first = static_cast<std::uint64_t>(m_offsets.at(static_cast<std::uint64_t>(m_index)));
    m_reader.fail(m_words.offsetOf(first + word), field, found, expected);
  }

  ByteReader& m_reader;
  const ExecutableData& m_data;
  WordList m_offsets;
  WordList m_words;
  const FunctionEntry* m_function = nullptr;
  std::int64_t m_index = 0;
};

// The bytecode functions in order of their code, which must neither overlap nor pass the last instruction.
std::vector<const FunctionEntry*> checkedRanges(ByteReader& reader, const ExecutableData& data,
                                                std::uint64_t offset) {
  std::vector<const FunctionEntry*> functions;
  for (const FunctionEntry& function : data.functions) {
    if (function.kind == FunctionKind::Bytecode) {
      functions.push_back(&function);
    }
  }
  std::sort(functions.begin(), functions.end(), [](const FunctionEntry* left, const FunctionEntry* right) {
    return left->startInstruction < right->startInstruction;
  });
  std::int64_t free = 0;
  const auto total = static_cast<std::int64_t>(data.instructions.size());
  for (const FunctionEntry* function : functions) {
    if (function->startInstruction < free || function->endInstruction <= function->startInstruction ||
        function->endInstruction > total) {
      reader.fail(offset, fmt::format("instructions of function \"{}\"", function->name),
                  fmt::format("{} to {}", function->startInstruction, function->endInstruction),
                  fmt::format("a range of its own within {} to {}", free, total));
      return {};
    }
    free = function->endInstruction;
  }
  return functions;
}

}  // namespace

void decodeInstructions(ByteReader& reader, ExecutableData& data) {
  const std::uint64_t sectionOffset = reader.position();
  const WordList offsets = readWords(reader, "number of instructions");
  const WordList words = readWords(reader, "number of instruction words");
  Decoder(reader, data, offsets, words).decodeAll();
  if (reader.failed()) {
    return;
  }
  FunctionChecker checker(reader, data, offsets, words);
  for (const FunctionEntry* function : checkedRanges(reader, data, sectionOffset)) {
    checker.check(*function);
    if (reader.failed()) {
      return;
    }
  }
}

}  // namespace opscope::vm
