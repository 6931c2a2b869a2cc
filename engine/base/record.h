// SPDX-License-Identifier: Apache-2.0
// The layout of what the recorder writes around each call. Plain data: one writer thread a buffer, read after
// the run. Kept stable and free of pointers, because other processes and boards will write it too.
#pragma once

#include <cstdint>
#include <type_traits>

namespace opscope::base {

/// No tensor stood among the register and constant arguments, so TVM's report does not list the call.
inline constexpr std::uint32_t kNoShapes = 0xFFFFFFFFu;

/// One call of the virtual machine. Times are ticks of base::TickClock.
struct CallRecord {
  std::uint64_t beginTicks = 0;
  std::uint64_t endTicks = 0;        ///< 0: the call did not return (an error or Stop)
  std::uint32_t instruction = 0;     ///< index of the Call instruction in the executable
  std::uint32_t function = 0;        ///< index into the executable's function table
  std::uint32_t shapes = kNoShapes;  ///< index into the recorder's table of argument shapes
  std::uint32_t depth = 0;           ///< number of VM frames around the call, 0 in the entry function
};

static_assert(sizeof(CallRecord) == 32 && std::is_trivially_copyable_v<CallRecord>);

}  // namespace opscope::base
