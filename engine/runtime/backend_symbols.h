// SPDX-License-Identifier: Apache-2.0
// The functions that compiled kernels expect from their host: TVMBackend* and the context slots of libraries.
// The C functions themselves are exported by the program (ENABLE_EXPORTS) and defined in backend_symbols.cpp.
#pragma once

#include <span>

namespace opscope::runtime {

/// A slot that a library may have, and what belongs into it.
struct ContextSymbol {
  const char* name;
  void* address;
};

/// Every context symbol of TVM 0.21 to 0.27. Any thread.
std::span<const ContextSymbol> contextSymbols();

/// Registers all of them with tvm-ffi, so that libraries loaded later find their
/// slots filled. Called from main before any library is loaded; further calls do nothing. Any thread.
void registerBackendSymbols();

}  // namespace opscope::runtime
