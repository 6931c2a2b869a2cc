// SPDX-License-Identifier: Apache-2.0
// Settings of the runtime. Plain values, handed down from the program.
#pragma once

#include <cstdint>

namespace opscope::runtime {

enum class AllocatorKind { Pooled, Naive };

struct RuntimeOptions {
  int threads = 0;   ///< of the kernel pool, the caller among them; 0: TVM_NUM_THREADS, then physical cores
  bool pin = true;   ///< bind each worker to a core
  int spinUs = 300;  ///< how long an idle worker spins before it sleeps
  AllocatorKind allocator = AllocatorKind::Pooled;
};

class MemoryLog;
class LaneLog;

/// Where the runtime writes what happens; nullptr: that is not recorded.
struct RuntimeLogs {
  MemoryLog* memory = nullptr;
  LaneLog* lanes = nullptr;
};

}  // namespace opscope::runtime
