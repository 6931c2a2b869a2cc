// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/stack_guard.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>

namespace opscope::vm {

namespace {

// What a kernel and the way back out of an error may need.
constexpr std::size_t kReserveBytes = 512 * 1024;

}  // namespace

std::uintptr_t StackGuard::findFloor() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 1;  // unknown: the limit on frames alone protects
  }
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest) + std::min(kReserveBytes, size / 4);
}

}  // namespace opscope::vm
