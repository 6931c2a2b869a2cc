// SPDX-License-Identifier: Apache-2.0
// Functions of the program that stand in for kernels: each tells the thread's tap and forwards. They are
// instances of one template, so no code is made at run time. The table of what each forwards to is the
// process's: a function without a context has no other place to look. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/code/kernel_tap.h"

namespace opscope::code {

inline constexpr std::uint32_t kThunkCount = 4096;

/// Owns some of the thunks and gives them back at its end. By then no call may be in one of them.
class ThunkSet {
 public:
  ThunkSet() = default;
  ~ThunkSet() { release(); }
  ThunkSet(ThunkSet&& other) noexcept : m_taken(std::move(other.m_taken)) { other.m_taken.clear(); }
  ThunkSet& operator=(ThunkSet&& other) noexcept;
  ThunkSet(const ThunkSet&) = delete;
  ThunkSet& operator=(const ThunkSet&) = delete;

  /// A thunk that tells `tap`, where that is the thread's, of calls of `kernel` and forwards to `real`;
  /// nullptr when all are taken.
  KernelFunction add(KernelTap& tap, std::uint32_t kernel, KernelFunction real);
  void release();

  /// Thunks that nobody holds.
  static std::uint32_t freeCount();

 private:
  std::vector<std::uint32_t> m_taken;
};

}  // namespace opscope::code
