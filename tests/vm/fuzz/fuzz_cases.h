// SPDX-License-Identifier: Apache-2.0
// The cases of the bytecode fuzzer by number, and those kept in files. One thread.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/vm/fuzz/fuzz_random.h"
#include "tests/vm/fuzz/fuzz_runner.h"

namespace opscope::vm::test {

struct FuzzCase {
  std::string libraryName;  ///< of the corpus, "tvm027.chain"; "" for programs without kernels
  std::string bytes;        ///< the serialised executable
  std::uint64_t seed = 0;   ///< of the arguments
  /// Set when the decoder is passed by.
  std::shared_ptr<const ExecutableData> data;
};

class FuzzCases {
 public:
  /// `corpus` holds folders of libraries that bytecode is taken from; it may be empty.
  explicit FuzzCases(const std::filesystem::path& corpus);

  FuzzCase make(std::uint64_t seed, std::uint64_t number);
  /// A case as it was kept: LIBRARY@NAME.vmexe or NAME.vmexe.
  static FuzzCase read(const std::filesystem::path& path);
  FuzzOutcome run(FuzzRunner& runner, const FuzzCase& fuzzCase);

 private:
  struct Entry {
    std::string name;
    std::filesystem::path path;
    std::string bytes;  ///< the executable in it
    std::shared_ptr<const ExecutableData> data;
  };
  FuzzCase changed(FuzzRandom& random, const Entry& entry);
  tvm::ffi::Module library(const std::string& name);

  std::vector<Entry> m_entries;
  std::unordered_map<std::string, tvm::ffi::Module> m_libraries;
};

}  // namespace opscope::vm::test
