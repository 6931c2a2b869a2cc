// SPDX-License-Identifier: Apache-2.0
// Resolves the function table of an executable once, when its machine is made. On the machine's thread.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/vm/builtins.h"
#include "engine/vm/executable.h"

namespace opscope::vm {

/// What to do about a function that nobody registered, in words for both the command line and the window.
inline constexpr const char* kLoadAPlugin =
    "Load the library that registers it as a plugin (--plugin LIB.so; in the window Run > Plugins).";

/// What each entry of the function table calls. `values` is also what an executable passes around as a
/// function, and the pool that compiled mode sees; it owns the rest.
struct FunctionPool {
  std::vector<tvm::ffi::Any> values;      ///< an ffi function (packed) or a closure (bytecode, compiled)
  std::vector<tvm::ffi::Any> compiled;    ///< keeps the code of compiled functions
  std::vector<BuiltinFunction> builtins;  ///< direct pointer of a builtin, else nullptr
  std::vector<const tvm::ffi::FunctionObj*> code;  ///< of packed and compiled functions, else nullptr
};

/// Looks for packed functions in `imports` (modules), then among our builtins (`vm.builtin.*`), then in
/// the ffi registry, and for the code of compiled functions in the imports. `machine` marks the closures;
/// `standIns` are embedded kinds that could not be loaded. Errors: MissingFunction naming every function that
/// nothing provides and who calls it.
base::Result<FunctionPool> resolveFunctions(const ExecutableData& data,
                                            const tvm::ffi::Array<tvm::ffi::Any>& imports,
                                            const tvm::ffi::ObjectRef& machine,
                                            const std::vector<std::string>& standIns);

}  // namespace opscope::vm
