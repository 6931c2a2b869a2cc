// SPDX-License-Identifier: Apache-2.0
// What the module of an executable tells of itself as text, besides the listing (listing.h). Any thread.
#pragma once

#include <string>

#include "engine/vm/executable.h"

namespace opscope::vm {

/// Constants with their shapes or values, and names of all functions; the lines of TVM's VMExecutable::Stats.
/// Floating-point constants, which TVM refuses there, are told as numbers.
std::string toStatistics(const ExecutableData& data);

/// A Python script that builds the bytecode with relax.ExecBuilder; the lines of TVM's
/// VMExecutable::AsPython.
std::string toBuilderScript(const ExecutableData& data);

}  // namespace opscope::vm
