// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace opscope::rpc::server {

MachineMemory machineMemory() {
  MachineMemory memory;
  memory.totalBytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  for (std::string rest; file >> name >> kibibytes; std::getline(file, rest)) {
    if (name == "MemAvailable:") {
      memory.availableBytes = kibibytes * 1024;
    }
  }
  return memory;
}

}  // namespace opscope::rpc::server
