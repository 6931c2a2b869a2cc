// SPDX-License-Identifier: Apache-2.0
// How much memory this computer has. Any thread.
#pragma once

#include <cstdint>
#include <optional>

namespace opscope::runtime {

struct MachineMemory {
  std::uint64_t totalBytes = 0;
  /// For new programs without swapping; nothing when the kernel does not tell.
  std::optional<std::uint64_t> availableBytes;
};

MachineMemory machineMemory();

}  // namespace opscope::runtime
