// SPDX-License-Identifier: Apache-2.0
// How much of the thread's stack is left. Belongs to one thread.
#pragma once

#include <cstdint>

namespace opscope::vm {

/// Tells before the stack runs out: nested closures and compiled functions use the thread's own stack, each
/// as much as the compiler gave it.
class StackGuard {
 public:
  /// Reads the bounds of the calling thread's stack at the first question.
  bool isNearlyFull() {
    if (m_floor == 0) {
      m_floor = findFloor();
    }
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < m_floor;
  }

 private:
  static std::uintptr_t findFloor();
  std::uintptr_t m_floor = 0;
};

}  // namespace opscope::vm
