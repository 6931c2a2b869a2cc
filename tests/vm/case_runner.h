// SPDX-License-Identifier: Apache-2.0
// Runs the fixtures on the virtual machine: scenario and arrays from files, results compared bit for bit.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/tensor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/base/result.h"
#include "engine/runtime/run_context.h"
#include "engine/vm/virtual_machine.h"

namespace opscope::vm::test {

/// One machine with the context that it needs; the context outlives it.
struct OpenMachine {
  std::unique_ptr<runtime::RunContext> context;
  std::unique_ptr<VirtualMachine> machine;
  VirtualMachine* operator->() const { return machine.get(); }
};

/// Opens a library by path. Two kernel threads, so that parallel kernels are really parallel.
base::Result<OpenMachine> openPath(const std::filesystem::path& path,
                                   const VirtualMachine::Options& options = {});
/// Opens a fixture, "tvm027/chain".
base::Result<OpenMachine> openFixture(const std::string& name, const VirtualMachine::Options& options = {});

/// A tensor on the array's memory, which it keeps alive.
tvm::ffi::Tensor tensorOf(const arrays::Array& array);
/// A float32 or int32 tensor with these values.
tvm::ffi::Tensor floatTensor(std::vector<std::int64_t> shape, const std::vector<float>& values);
tvm::ffi::Tensor intTensor(std::vector<std::int64_t> shape, const std::vector<std::int32_t>& values);
std::vector<float> floatsOf(const tvm::ffi::Any& tensor);

/// The arguments of the first step of a fixture's scenario.
std::vector<tvm::ffi::Any> scenarioArguments(const std::string& name);
/// The function of the first step.
std::string scenarioFunction(const std::string& name);
/// Gives both to a machine's module, as a client does before it invokes the function statefully.
void setScenarioInput(const tvm::ffi::Module& machine, const std::string& name);

/// Runs every step and compares each result with the arrays under its "out" key; "" when all are equal to the
/// bit, otherwise what differs.
std::string runAndCompare(VirtualMachine& machine, const std::string& name);

}  // namespace opscope::vm::test
