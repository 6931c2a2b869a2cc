// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/machine_memory.h"

#include <gtest/gtest.h>

namespace opscope::runtime {

TEST(MachineMemory, ThereIsSomeAndNotMoreFreeThanAll) {
  const MachineMemory memory = machineMemory();
  EXPECT_GT(memory.totalBytes, std::uint64_t{1} << 20);
  ASSERT_TRUE(memory.availableBytes.has_value());
  EXPECT_GT(*memory.availableBytes, 0U);
  EXPECT_LE(*memory.availableBytes, memory.totalBytes);
}

}  // namespace opscope::runtime
