// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/machine_state.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "engine/profile/run_usage.h"
#include "tests/profile/machine_tree.h"

namespace opscope::profile {
namespace {

using testing::MachineTree;

TEST(MachineState, AnEmptyMachineTellsNothing) {
  const MachineTree tree;
  const MachineState state = MachineReader(tree.root()).read();
  EXPECT_TRUE(state.governors.empty());
  EXPECT_FALSE(state.turbo || state.temperatureC || state.throttled || state.runnable);
  EXPECT_TRUE(state.cores.empty());
}

TEST(MachineState, ReadsALaptopWithIntelPstate) {
  const MachineTree tree;
  for (const char* cpu : {"cpu0", "cpu1", "cpu2"}) {
    tree.write(std::string("sys/devices/system/cpu/") + cpu + "/cpufreq/scaling_governor",
               std::string(cpu) == "cpu2" ? "performance\n" : "powersave\n");
  }
  tree.write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "ignored\n");
  tree.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  tree.write("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "17\n");
  tree.write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3\n");
  tree.write("sys/class/thermal/thermal_zone0/type", "acpitz\n");
  tree.write("sys/class/thermal/thermal_zone0/temp", "99000\n");
  tree.write("sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
  tree.write("sys/class/thermal/thermal_zone1/temp", "64500\n");
  tree.write("sys/class/hwmon/hwmon3/name", "coretemp\n");
  tree.write("sys/class/hwmon/hwmon3/temp1_input", "66000\n");
  tree.write("proc/stat",
             "cpu  1 2 3 4 5 6 7 8 9 10\n"
             "cpu0 1000 20 300 9000 50 6 14 10 0 0\n"
             "cpu1 100 0 0 9000 0 0 0 0 0 0\n"
             "intr 1 2 3\n"
             "procs_running 3\n");
  const MachineState state = MachineReader(tree.root(), {}).read();
  EXPECT_EQ(state.governors, (std::set<std::string>{"performance", "powersave"}));
  EXPECT_EQ(state.turbo, true);
  EXPECT_EQ(state.throttled, 17u);
  EXPECT_DOUBLE_EQ(state.temperatureC.value_or(0), 66);
  EXPECT_EQ(state.runnable, 3);
  ASSERT_EQ(state.cores.size(), 2u);
  EXPECT_DOUBLE_EQ(state.cores.at(0).busyS, 13.4);
  EXPECT_DOUBLE_EQ(state.cores.at(0).stolenS, 0.1);
  EXPECT_DOUBLE_EQ(state.cores.at(1).busyS, 1);
  const MachineState one = MachineReader(tree.root(), {1}).read();
  EXPECT_EQ(one.cores.size(), 1u);
  EXPECT_EQ(one.governors, (std::set<std::string>{"powersave"}));
}

TEST(MachineState, ReadsBoostAndOldKernels) {
  const MachineTree tree;
  tree.write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  tree.write("sys/class/hwmon/hwmon0/name", "k10temp\n");
  tree.write("sys/class/hwmon/hwmon0/temp1_input", "0\n");
  tree.write("proc/stat", "cpu0 10 0 0 90 0 0 0\ncpuX what\ncpu1\n");
  const MachineState state = MachineReader(tree.root(), {}).read();
  EXPECT_EQ(state.turbo, false);
  EXPECT_FALSE(state.temperatureC) << "a sensor that tells 0 is none";
  ASSERT_EQ(state.cores.size(), 1u);
  EXPECT_DOUBLE_EQ(state.cores.at(0).busyS, 0.1);
}

TEST(MachineState, ThisMachineHasCores) {
  const MachineState state = MachineReader().read();
  EXPECT_EQ(state.cores.size(), MachineReader::usableCores().size());
  EXPECT_GT(state.runnable.value_or(0), 0);
}

TEST(RunUsage, FaultsOfARepeatAreCounted) {
  RepeatUsages usages;
  usages.begin();
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kPages = 2000;
  std::vector<char> block(kPage * kPages * 2);  // zeroed, so each page is touched
  usages.end();
  usages.begin();
  usages.end();
  ASSERT_EQ(usages.all().size(), 2u);
  EXPECT_GT(usages.all()[0].minorFaults + (block[kPage] == 0 ? 0U : 1U), 10U);
  EXPECT_LT(usages.all()[1].minorFaults, 100u);
}

TEST(RunUsage, ThisThreadHasWaitedForSomeTime) {
  const ThreadUsage usage = readThreadUsage();
  if (usage.waitedS) {
    EXPECT_GE(*usage.waitedS, 0);
  }
  EXPECT_GT(readProcessUsage().cpuS, 0);
}

}  // namespace
}  // namespace opscope::profile
