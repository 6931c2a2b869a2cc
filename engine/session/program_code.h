// SPDX-License-Identifier: Apache-2.0
// The bytecode of an executable for looking at: each function's instructions with what they name, in words.
// Read from the file alone; nothing is loaded or run. Plain values, immutable; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace opscope::session {

struct CodeLine {
  enum class Op : std::uint8_t { Call, Return, Goto, If };
  enum class Callee : std::uint8_t { None, Kernel, Builtin, Function };
  Op op = Op::Return;
  Callee callee = Callee::None;
  bool housekeeping = false;       ///< takes or gives up memory, or clears a register: no work of the model
  std::string name;                ///< of what is called; "ret", "goto", "if"
  std::string arguments;           ///< "%0, c[3], f[main_inner]", as in TVM's listing
  std::string into;                ///< register of the result, empty where it is dropped
  std::vector<std::string> words;  ///< what the constants among the arguments are: "c[3] float32 [64, 3]"
  std::int64_t target = -1;        ///< instruction that a jump leads to; -1: it is no jump
};

struct CodeFunction {
  std::string name;
  bool isCompiled = false;  ///< to machine code: there are no instructions
  std::uint64_t first = 0;  ///< number of its first instruction in the executable
  std::uint64_t registers = 0;
  std::vector<std::string> parameters;
  std::vector<CodeLine> lines;
};

struct ProgramCode {
  std::string path;
  std::string hash;  ///< of the file, as ExecutableInfo::hash
  std::string architecture;
  std::vector<CodeFunction> functions;  ///< in the order of the function table, packed ones left out
  /// Of each kernel, as far as the library tells them: the names of its parameters.
  std::map<std::string, std::vector<std::string>> kernelParameters;

  /// The function whose body holds the instruction, or nullptr.
  const CodeFunction* functionOf(std::uint64_t instruction) const;
  const CodeFunction* find(const std::string& name) const;
};

/// Errors: those of vm::readExecutableFile; NotFound when the file is another one than that of
/// `expectedHash`, unless that is empty.
base::Result<std::shared_ptr<const ProgramCode>> readProgramCode(const std::string& path,
                                                                 const std::string& expectedHash);

}  // namespace opscope::session
