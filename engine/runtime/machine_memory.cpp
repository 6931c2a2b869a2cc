// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace opscope::runtime {

MachineMemory machineMemory() {
  MachineMemory memory;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long pageBytes = ::sysconf(_SC_PAGESIZE);
  memory.totalBytes = std::uint64_t(std::max(pages, 0L)) * std::uint64_t(std::max(pageBytes, 0L));
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  for (std::string rest; file >> name >> kibibytes; std::getline(file, rest)) {
    if (name == "MemAvailable:") {
      memory.availableBytes = kibibytes * 1024;
      break;
    }
  }
  return memory;
}

}  // namespace opscope::runtime
