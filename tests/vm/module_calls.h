// SPDX-License-Identifier: Apache-2.0
// Calls of a module's functions in tests, as a client makes them: by name, errors by their kind.
#pragma once

#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/vm/executable_file.h"
#include "engine/vm/executable_module.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm::test {

/// The module of a fixture's executable, "tvm027/chain".
inline tvm::ffi::Module executableModule(const std::string& fixture) {
  auto file = readExecutableFile(fixturePath(fixture));
  auto module = file ? loadExecutableModule(*file) : base::Result<tvm::ffi::Module>(std::move(file).error());
  if (!module) {
    throw std::runtime_error(module.error().message);
  }
  return *std::move(module);
}

/// Calls `name` of `module`.
template <class... Args>
tvm::ffi::Any callModule(const tvm::ffi::Module& module, const std::string& name, const Args&... arguments) {
  const auto function = module->GetFunction(name);
  if (!function.has_value()) {
    throw std::runtime_error("the module has no function " + name);
  }
  return (*function)(arguments...);
}

/// A machine of the fixture on the CPU.
inline tvm::ffi::Module machineModule(const std::string& fixture) {
  auto machine = callModule(executableModule(fixture), "vm_load_executable").cast<tvm::ffi::Module>();
  callModule(machine, "vm_initialization", 1, 0, 2);
  return machine;
}

/// The error that the call raises as "KIND: message", "" when it succeeds.
template <class... Args>
std::string failureOf(const tvm::ffi::Module& module, const std::string& name, const Args&... arguments) {
  try {
    callModule(module, name, arguments...);
    return {};
  } catch (const tvm::ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
}

template <class... Items>
tvm::ffi::Array<tvm::ffi::Any> tupleOf(const Items&... items) {
  return tvm::ffi::Array<tvm::ffi::Any>{tvm::ffi::Any(items)...};
}

}  // namespace opscope::vm::test
