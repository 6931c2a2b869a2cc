// SPDX-License-Identifier: Apache-2.0
// How much memory this computer has. Any thread.
#pragma once

#include <cstdint>

namespace opscope::rpc::server {

struct MachineMemory {
  std::int64_t totalBytes = 0;
  std::int64_t availableBytes = 0;  ///< for new programs without swapping; 0 when the kernel does not tell
};

MachineMemory machineMemory();

}  // namespace opscope::rpc::server
