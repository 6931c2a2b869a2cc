// SPDX-License-Identifier: Apache-2.0
// Where the functions of a loaded library begin and end, by its .eh_frame, which survives stripping. Any
// thread; nothing is run.
#pragma once

#include <vector>

#include "engine/code/loaded_library.h"

namespace opscope::code {

/// Ranges of code in order of address, none empty, none beyond the library's code. What the table does not
/// tell, or tells in an encoding that compilers do not use, is left out; exported functions with a size are
/// added where it has none. Empty for a library with neither.
std::vector<AddressRange> functionBounds(const LoadedLibrary& library);

}  // namespace opscope::code
