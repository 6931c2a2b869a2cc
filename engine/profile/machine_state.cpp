// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/machine_state.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

namespace opscope::profile {

namespace fs = std::filesystem;

namespace {

constexpr double kTicksPerSecond = 100;  // USER_HZ, the same on every machine of Linux that we know

template <class Number>
std::optional<Number> numberOf(const std::optional<std::string>& text) {
  Number value{};
  if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc()) {
    return std::nullopt;
  }
  return value;
}

/// Folders of `parent` whose names begin with `prefix`, in order; none where there is no such place.
std::vector<fs::path> foldersOf(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (at->path().filename().string().starts_with(prefix)) {
      folders.push_back(at->path());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

bool isOfProcessor(const std::string& sensor) {
  return sensor == "x86_pkg_temp" || sensor == "coretemp" || sensor == "k10temp" || sensor == "zenpower" ||
         sensor.starts_with("cpu") || sensor.starts_with("soc");
}

template <class Value>
void keepLargest(std::optional<Value>& kept, const std::optional<Value>& value) {
  if (value && (!kept || *value > *kept)) {
    kept = value;
  }
}

}  // namespace

MachineReader::MachineReader(fs::path root, std::set<int> cores)
    : m_root(std::move(root)), m_cores(std::move(cores)) {}

std::set<int> MachineReader::usableCores() {
  std::set<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) {
        cores.insert(core);
      }
    }
  }
  return cores;
}

std::optional<std::string> MachineReader::line(const fs::path& path) const {
  std::ifstream file(path);
  std::string text;
  return std::getline(file, text) ? std::optional(text) : std::nullopt;
}

MachineState MachineReader::read() const {
  MachineState state;
  readClockRates(state);
  readHeat(state);
  readCores(state);
  return state;
}

void MachineReader::readClockRates(MachineState& state) const {
  const fs::path cpus = m_root / "sys/devices/system/cpu";
  for (const fs::path& cpu : foldersOf(cpus, "cpu")) {
    const auto number = numberOf<int>(cpu.filename().string().substr(3));
    if (!number || (!m_cores.empty() && !m_cores.contains(*number))) {
      continue;
    }
    if (const auto governor = line(cpu / "cpufreq/scaling_governor")) {
      state.governors.insert(*governor);
    }
    keepLargest(state.throttled,
                numberOf<std::uint64_t>(line(cpu / "thermal_throttle/package_throttle_count")));
    keepLargest(state.throttled, numberOf<std::uint64_t>(line(cpu / "thermal_throttle/core_throttle_count")));
  }
  if (const auto off = numberOf<int>(line(cpus / "intel_pstate/no_turbo"))) {
    state.turbo = *off == 0;
  } else if (const auto boost = numberOf<int>(line(cpus / "cpufreq/boost"))) {
    state.turbo = *boost != 0;
  }
}

void MachineReader::readHeat(MachineState& state) const {
  constexpr double kMilli = 1e-3;
  std::optional<double> hottest;
  for (const fs::path& zone : foldersOf(m_root / "sys/class/thermal", "thermal_zone")) {
    if (isOfProcessor(line(zone / "type").value_or(""))) {
      keepLargest(hottest, numberOf<double>(line(zone / "temp")));
    }
  }
  for (const fs::path& monitor : foldersOf(m_root / "sys/class/hwmon", "hwmon")) {
    if (isOfProcessor(line(monitor / "name").value_or(""))) {
      keepLargest(hottest, numberOf<double>(line(monitor / "temp1_input")));
    }
  }
  // Sensors of some virtual machines always tell 0.
  if (hottest && *hottest > 0) {
    state.temperatureC = *hottest * kMilli;
  }
}

void MachineReader::readCores(MachineState& state) const {
  std::ifstream file(m_root / "proc/stat");
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    std::string name;
    words >> name;
    if (int count = 0; name == "procs_running" && words >> count) {
      state.runnable = count;
    }
    const auto core = name.starts_with("cpu") ? numberOf<int>(name.substr(3)) : std::nullopt;
    if (!core || (!m_cores.empty() && !m_cores.contains(*core))) {
      continue;
    }
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0, stolen = 0;
    if (words >> user >> nice >> system >> idle >> waiting >> interrupts >> soft) {
      words >> stolen;  // not in old kernels
      state.cores[*core] = {(user + nice + system + interrupts + soft) / kTicksPerSecond,
                            stolen / kTicksPerSecond};
    }
  }
}

}  // namespace opscope::profile
