// SPDX-License-Identifier: Apache-2.0
// What programs ask of the kernels' threads by name. Any thread.
#pragma once

namespace opscope::runtime {

/// Threads that work at a kernel's parallel parts, the caller among them: those of the context that is
/// current on the calling thread, otherwise as many as a pool with the defaults would have. Seed 004,
/// threading::NumThreads.
int kernelThreadCount();

/// Registers runtime.NumThreads() -> int. Called from main. Again: the same.
void registerThreadFunctions();

}  // namespace opscope::runtime
