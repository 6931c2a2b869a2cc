// SPDX-License-Identifier: Apache-2.0
// The calls that a fixture makes, as a list that can be compared.
#pragma once

#include <string>
#include <vector>

#include "engine/profile/compiled_calls.h"

namespace opscope::profile::test {

struct SeenCall {
  std::string name;
  std::string shapes;  ///< "" without a tensor among the arguments
  std::uint32_t depth = 0;
  std::uint32_t instruction = 0;
};

struct CallList {
  std::vector<SeenCall> calls;
  std::string problem;  ///< how the results differ from the expected ones; "" when they do not
  std::size_t unended = 0;
  CompiledFacts facts;
};

/// Runs every step of the scenario of fixture `name` on `machine`.
CallList callsOf(vm::VirtualMachine& machine, const std::string& name,
                 const CompiledCalls::Options& options = {});

/// "name shapes" in order of execution. What the two modes call under different names is brought to one form:
/// a call of a function of the executable is vm.builtin.invoke_closure in compiled mode, without a name, and
/// its arguments have one more; vm.builtin.copy stands before each return of a compiled function, so it is
/// left out; so is the clearing of registers, which compiled functions do themselves.
std::vector<std::string> comparable(const CallList& list);

}  // namespace opscope::profile::test
