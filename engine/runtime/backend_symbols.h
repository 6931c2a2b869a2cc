// SPDX-License-Identifier: Apache-2.0
// The functions that compiled kernels expect from their host: TVMBackend* and the context slots of libraries.
// The C functions themselves are exported by the program (ENABLE_EXPORTS) and defined in backend_symbols.cpp.
#pragma once

namespace opscope::runtime {

/// Registers every context symbol of TVM 0.21 to 0.27 with tvm-ffi, so that libraries loaded later find their
/// slots filled. Called from main before any library is loaded; further calls do nothing. Any thread.
void registerBackendSymbols();

}  // namespace opscope::runtime
