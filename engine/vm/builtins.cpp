// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/builtins.h"

#include <array>
#include <span>

#include "engine/vm/builtins/families.h"
#include "engine/vm/executable_module.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// Every family; a new file in builtins/ adds its line here.
std::array<std::span<const Builtin>, 16> families() {
  return {checkBuiltins(),    shapeBuiltins(),          memoryBuiltins(),   tensorBuiltins(),
          tupleBuiltins(),    closureBuiltins(),        debugBuiltins(),    sortBuiltins(),
          randomBuiltins(),   relaxRunBuiltins(),       kvStateBuiltins(),  kvCacheBuiltins(),
          rnnStateBuiltins(), growingKvCacheBuiltins(), samplingBuiltins(), tensorCacheBuiltins()};
}

}  // namespace

const Builtin* findBuiltin(std::string_view name) {
  for (const std::span<const Builtin> family : families()) {
    for (const Builtin& builtin : family) {
      if (builtin.name == name) {
        return &builtin;
      }
    }
  }
  return nullptr;
}

void registerBuiltins() {
  for (const std::span<const Builtin> family : families()) {
    for (const Builtin& builtin : family) {
      ffi::Function::SetGlobal(builtin.name, ffi::Function::FromPacked(builtin.call), /*override=*/true);
    }
  }
  registerExecutableModule();
}

}  // namespace opscope::vm
