// SPDX-License-Identifier: Apache-2.0
// What the system tells of the machine at one moment: clock rates, heat, how busy its cores are. Any thread;
// reads /proc and /sys, or a tree that looks like them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace opscope::profile {

/// Times of one core since the machine started, in seconds (hundredths are all that Linux tells).
struct CoreTimes {
  double busyS = 0;    ///< with programs and the kernel
  double stolenS = 0;  ///< taken by the host of a virtual machine
  bool operator==(const CoreTimes&) const = default;
};

/// Empty where the system does not tell.
struct MachineState {
  std::set<std::string> governors;  ///< of the cores: "performance"
  std::optional<bool> turbo;
  std::optional<double> temperatureC;      ///< of the hottest sensor of the processor
  std::optional<std::uint64_t> throttled;  ///< how often heat has slowed the processor down since the start
  std::map<int, CoreTimes> cores;          ///< by number, of those that were asked for
  std::optional<int> runnable;             ///< tasks that run or could, on all cores
};

class MachineReader {
 public:
  /// `root` stands for "/". `cores`: the ones that matter; empty: all.
  explicit MachineReader(std::filesystem::path root = "/", std::set<int> cores = usableCores());
  MachineState read() const;

  /// The cores that this thread may run on; empty when the system does not tell.
  static std::set<int> usableCores();

 private:
  std::optional<std::string> line(const std::filesystem::path& path) const;
  void readClockRates(MachineState& state) const;
  void readHeat(MachineState& state) const;
  void readCores(MachineState& state) const;

  std::filesystem::path m_root;
  std::set<int> m_cores;
};

}  // namespace opscope::profile
