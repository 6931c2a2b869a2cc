// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu_topology.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/base/log.h"

namespace opscope::runtime {

namespace {

/// The affinity mask, which may be larger than cpu_set_t's fixed size.
std::vector<int> affinityMask() {
  std::vector<int> cpus;
  for (int capacity = 1024; capacity <= 65536; capacity *= 4) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<std::size_t>(capacity)),
                                                               [](cpu_set_t* freed) { CPU_FREE(freed); });
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
    if (set != nullptr && sched_getaffinity(0, bytes, set.get()) == 0) {
      for (int cpu = 0; cpu < capacity; ++cpu) {
        if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.get())) {
          cpus.push_back(cpu);
        }
      }
      return cpus;
    }
  }
  return cpus;
}

int readNumber(const std::string& path) {
  std::ifstream file(path);
  int value = -1;
  return file >> value ? value : -1;
}

/// (package, core), which siblings share; a pair of its own where /sys tells nothing.
std::pair<int, int> coreOf(int cpu) {
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
  const int core = readNumber(folder + "core_id");
  return core < 0 ? std::pair(-1, cpu) : std::pair(readNumber(folder + "physical_package_id"), core);
}

int threadsFromEnvironment() {
  const char* text = std::getenv("TVM_NUM_THREADS");
  if (text == nullptr || *text == '\0') {
    return 0;
  }
  const std::string_view digits(text);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value <= 0) {
    base::log(base::LogLevel::Warning, "TVM_NUM_THREADS is '" + std::string(digits) +
                                           "', which is not a positive number; it is not used");
    return 0;
  }
  return value;
}

}  // namespace

std::vector<int> allowedCpus() {
  std::vector<int> cpus = affinityMask();
  if (cpus.empty()) {
    for (unsigned cpu = 0; cpu < std::max(1U, std::thread::hardware_concurrency()); ++cpu) {
      cpus.push_back(static_cast<int>(cpu));
    }
  }
  std::map<std::pair<int, int>, int> seen;
  std::vector<std::pair<int, int>> ranked;  // (how many siblings came before, cpu)
  for (const int cpu : cpus) {
    ranked.emplace_back(seen[coreOf(cpu)]++, cpu);
  }
  std::stable_sort(ranked.begin(), ranked.end());
  std::transform(ranked.begin(), ranked.end(), cpus.begin(), [](const auto& entry) { return entry.second; });
  return cpus;
}

int physicalCoreCount() {
  std::set<std::pair<int, int>> cores;
  for (const int cpu : allowedCpus()) {
    cores.insert(coreOf(cpu));
  }
  return std::max(1, static_cast<int>(cores.size()));
}

int chooseThreadCount(int requested) {
  int count = requested;
  if (count <= 0) {
    count = threadsFromEnvironment();
  }
  if (count <= 0) {
    count = physicalCoreCount();
  }
  if (count > kMaxThreads) {
    base::log(base::LogLevel::Warning, "a pool of " + std::to_string(count) + " threads was asked for; " +
                                           std::to_string(kMaxThreads) + " are used");
    count = kMaxThreads;
  }
  return count;
}

}  // namespace opscope::runtime
