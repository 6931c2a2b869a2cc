// SPDX-License-Identifier: Apache-2.0
// What the window and the command line show of an opened executable. Plain values, immutable; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/vm/signature.h"

namespace opscope::session {

struct FunctionInfo {
  std::string name;
  std::string mode;  ///< "bytecode" or "compiled"
  vm::Signature signature;
  std::uint64_t instructions = 0;  ///< 0 in compiled mode
  std::uint64_t kernelCalls =
      0;  ///< Call instructions in its body that name kernels (loops are not unrolled)
  std::uint64_t builtinCalls = 0;
  bool isPrivate = false;  ///< a lifted closure or subfunction: nothing but other functions calls it
};

struct KernelEntry {
  std::string name;
  std::string signature;        ///< as the library tells it, may be empty
  std::uint64_t callSites = 0;  ///< Call instructions that name it
  std::string description;  ///< for people: "add(x: float32 [n, 4], …)"; the name where nothing is known
};

struct ExecutableInfo {
  std::string path;
  std::string fileName;
  std::string hash;  ///< XXH3-128 of the file
  std::uint64_t fileBytes = 0;
  std::string architecture;
  bool runsHere = true;  ///< false: built for another architecture than this computer's
  std::string tvmVersion;
  std::string formatVersion;
  std::vector<FunctionInfo> functions;
  std::vector<KernelEntry> kernels;
  std::map<std::string, std::uint64_t> builtins;  ///< name to number of Call instructions
  std::uint64_t constantCount = 0;
  std::uint64_t constantBytes = 0;
  std::vector<std::string> constants;        ///< each in words: "float32 [64, 3, 7, 7]"
  std::vector<std::string> importedModules;  ///< kinds other than the executable itself
  std::vector<std::string> instructions;     ///< bytecode listing as TVM prints it, by line
};

/// The function that Run takes when none is chosen: "main", else the only public one, else the first public
/// one.
std::string defaultFunction(const ExecutableInfo& info);

}  // namespace opscope::session
