// SPDX-License-Identifier: Apache-2.0
// The instructions of an executable as text. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "engine/vm/executable.h"

namespace opscope::vm {

/// All functions, byte for byte what TVM's VMExecutable::AsText gives.
std::string toListing(const ExecutableData& data);

/// One function of the listing, as it stands there, without the blank line after it.
std::string toListing(const ExecutableData& data, std::int64_t function);

/// One instruction as a line without indent or line end: "call  add              in: %0, %1, %3   dst:
/// %void".
std::string toListingLine(const ExecutableData& data, const Instruction& instruction);

/// "%void", "%vm" or "%12".
std::string registerName(std::int64_t reg);
/// "%3", "i16", "c[2]" or "f[name]".
std::string argumentText(const ExecutableData& data, const Argument& argument);

}  // namespace opscope::vm
