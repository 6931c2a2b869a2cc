// SPDX-License-Identifier: Apache-2.0
// libtvm_ffi replaces the handler of SIGSEGV when it is loaded, by one that prints a trace.
#pragma once

namespace opscope::runtime {

/// Gives SIGSEGV its default action back where libtvm_ffi's handler is in place; handlers of others stay.
/// Called from main before other threads start. True when something was changed.
bool restoreSignalHandlers();

}  // namespace opscope::runtime
