// SPDX-License-Identifier: Apache-2.0
// An executable in the form that the machine runs: callees resolved, arguments as slots, every index checked
// once, so that the run loop needs no look-ups and no checks. Immutable after building; refers to the
// machine's pools.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/vm/executable.h"
#include "engine/vm/function_pool.h"

namespace opscope::vm {

/// Where an operand comes from: a register of the frame or an entry of the literals.
class Slot {
 public:
  static Slot ofRegister(std::uint32_t index) { return Slot(index << 1); }
  static Slot ofLiteral(std::uint32_t index) { return Slot((index << 1) | 1U); }
  const TVMFFIAny& read(const TVMFFIAny* registers, const TVMFFIAny* literals) const {
    return ((m_word & 1U) != 0 ? literals : registers)[m_word >> 1];
  }

 private:
  explicit Slot(std::uint32_t word) : m_word(word) {}
  std::uint32_t m_word;
};

enum class DenseOp : std::uint8_t {
  CallBuiltin,    ///< through a direct pointer
  CallFunction,   ///< an ffi function: kernels of the library, functions of the registry
  CallBytecode,   ///< a function of this executable
  CallCompiled,   ///< a function of this executable, compiled
  ClearRegister,  ///< vm.builtin.null_value, a third of all calls
  Return,
  Jump,
  Branch,
};

struct DenseInstruction {
  DenseOp op = DenseOp::Return;
  std::uint16_t argumentCount = 0;
  std::uint32_t destination = kDropped;  ///< register of the result
  std::uint32_t firstArgument = 0;  ///< calls: into arguments; Return, Branch: their operand's place there
  std::uint32_t function = 0;       ///< calls: index into the function table
  std::int32_t jump = 0;            ///< Jump; Branch when zero: relative to this instruction
  union {
    BuiltinFunction builtin = nullptr;
    const tvm::ffi::FunctionObj* code;
  };

  static constexpr std::uint32_t kDropped = 0xFFFFFFFFU;
};

struct DenseFunction {
  FunctionKind kind = FunctionKind::Packed;
  std::uint32_t firstInstruction = 0;
  std::uint32_t parameterCount = 0;
  std::uint32_t registerCount = 0;
  std::uint32_t mostArguments = 0;  ///< of any call in it: the frame's space for borrowed arguments
};

struct DenseProgram {
  std::vector<DenseInstruction> instructions;  ///< same numbering as the executable's
  std::vector<Slot> arguments;
  std::vector<TVMFFIAny>
      literals;  ///< borrowed from the pools: none, the machine, immediates, constants, functions
  std::vector<DenseFunction> functions;  ///< same numbering as the function table
};

/// Builds it. `machine` is what the %vm register reads as. The pools must outlive the result and not grow.
/// Errors: Format, naming function and instruction, for indices out of range, jumps out of a function, calls
/// with a wrong number of arguments and code that runs past its end.
base::Result<DenseProgram> buildDenseProgram(const ExecutableData& data, const FunctionPool& functions,
                                             const std::vector<tvm::ffi::Any>& constants, void* machine);

}  // namespace opscope::vm
