// SPDX-License-Identifier: Apache-2.0
// libpfm, behind values of ours: its headers and Linux's do not go together. Any thread, one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opscope::profile {

/// What a name of libpfm is to the kernel: members of perf_event_attr.
struct PfmEncoding {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  bool excludeUser = false;
  bool excludeKernel = false;
  bool excludeHypervisor = false;
};

/// User space only, unless the name asks for more. Empty with `problem` set where libpfm does not know it.
std::optional<PfmEncoding> encodePfmEvent(const std::string& name, std::string& problem);

/// Names of the events of this processor's own units; none where libpfm does not know the processor.
std::vector<std::string> pfmProcessorEvents();

}  // namespace opscope::profile
