// SPDX-License-Identifier: Apache-2.0
// The functions that executables expect from their runtime: vm.builtin.*, relax.run.*, tvm.contrib.*. One
// file per family in builtins/; families.h is the visible list. Bytecode calls vm.builtin.* through this
// table directly; compiled mode and kernels find all of them by name in the ffi registry. Stateless; any
// thread.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>

#include <string_view>

namespace opscope::vm {

/// Takes non-owning arguments and sets `result`, which is None on entry. Throws tvm::ffi::Error, and only
/// that, on wrong arguments; never asserts.
using BuiltinFunction = void (*)(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);

struct Builtin {
  std::string_view name;
  BuiltinFunction call = nullptr;
};

/// The builtin called `name`, or nullptr. All families are searched.
const Builtin* findBuiltin(std::string_view name);

/// Puts every builtin and the loaders of embedded modules (executable_module.h) into the ffi registry. Called
/// once by the program before it opens an executable; calling it again is harmless. A name that is there
/// already is replaced, so that nothing aborts in a process that holds another runtime too.
void registerBuiltins();

}  // namespace opscope::vm
