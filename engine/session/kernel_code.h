// SPDX-License-Identifier: Apache-2.0
// The machine code of one kernel, read from the executable's file: the function that the machine calls and
// those functions of the file that it calls or hands on, each disassembled. Nothing is loaded or run; the
// code may be another machine's. Plain values; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/code/disassembly.h"

namespace opscope::session {

struct MachineLine {
  code::MachineInstruction instruction;
  std::string note;              ///< whom it calls or what it refers to: "expf", "__TVMBackendParallelLaunch"
  std::int64_t targetLine = -1;  ///< line of the same function that a jump leads to
};

struct MachineFunction {
  enum class Role : std::uint8_t { Entry, Body, ParallelPart, Helper };
  /// Its symbol; of a part without one where it begins: "conv2d_compute_ · thread part at 0x28240".
  std::string name;
  Role role = Role::Entry;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::vector<MachineLine> lines;
  std::uint64_t vectorCount = 0;  ///< instructions that compute several values at once
  std::uint64_t scalarCount = 0;  ///< floating-point ones that compute one
  std::string registers;          ///< the widest that it uses: "AVX-512", "AVX", "SSE", "NEON"; may be empty
  bool isCut = false;             ///< longer than what is shown
};

struct KernelCode {
  std::string kernel;
  std::string architecture;
  std::vector<MachineFunction> functions;  ///< in the order in which they are reached; at least one
  std::string note;                        ///< what is not shown and why, in words; empty when all is
  /// The one that does the work: the largest body or parallel part beside the entry, else the entry.
  std::size_t main() const;
};

/// `function` is the name in the function table: a kernel's, or that of a function in compiled mode. Errors:
/// those of readCodeFile; NotFound when the file has no such symbol, in words for builtins; Unsupported for
/// architectures that cannot be shown.
base::Result<std::shared_ptr<const KernelCode>> readKernelCode(const std::string& path,
                                                               const std::string& expectedHash,
                                                               const std::string& function);

}  // namespace opscope::session
