// SPDX-License-Identifier: Apache-2.0
// Machine code as text, read from bytes: nothing is loaded or run, and the code may be another machine's. Any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace opscope::code {

enum class Machine { X86_64, Aarch64 };

/// "x86-64" and "aarch64", as libraries tell it; nothing for others.
std::optional<Machine> machineOf(std::string_view architecture);

struct MachineInstruction {
  enum class Flow : std::uint8_t { Next, Jump, Call, Return, Data };
  /// Arithmetic on floating-point or packed integer values, one at a time or several.
  enum class Work : std::uint8_t { Other, Scalar, Vector };
  std::uint64_t address = 0;
  std::uint32_t size = 0;  ///< in bytes
  Flow flow = Flow::Next;  ///< Data: these bytes are no instruction
  Work work = Work::Other;
  std::string mnemonic;
  std::string operands;         ///< x86-64: AT&T order, as objdump writes it
  std::uint64_t target = 0;     ///< of a jump or call with a fixed distance; 0: none
  std::uint64_t reference = 0;  ///< address that an operand tells relative to the instruction; 0: none
};

/// The instructions of `bytes`, whose first one lies at `address`; at most `limit` of them. Bytes that are no
/// instruction are told as such, and reading goes on after them. Errors: Internal when the disassembler lacks
/// the machine.
base::Result<std::vector<MachineInstruction>> disassemble(Machine machine, std::string_view bytes,
                                                          std::uint64_t address, std::size_t limit);

/// What the instruction computes, by its name and operands.
MachineInstruction::Work workOf(Machine machine, std::string_view mnemonic, std::string_view operands);

}  // namespace opscope::code
