// SPDX-License-Identifier: Apache-2.0
// The kernel's side of counting, so that tests can make one up; and why it refuses, in words. Any thread.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <optional>

#include "engine/base/result.h"
#include "engine/profile/perf_events.h"

namespace opscope::profile {

/// What a counter has counted until now, and how long of the time it could.
struct CounterReading {
  std::uint64_t value = 0;
  std::uint64_t enabledNs = 0;
  std::uint64_t runningNs = 0;
};

class PerfKernel {
 public:
  virtual ~PerfKernel() = default;
  /// A counter of this thread and of threads that it makes from now on, in the group of `leader` (-1: a new
  /// one). Below 0: the negative errno.
  virtual int open(const perf_event_attr& attributes, int leader) = 0;
  virtual bool read(int counter, CounterReading& reading) = 0;
  virtual void close(int counter) = 0;
};

/// Linux.
class SystemPerfKernel final : public PerfKernel {
 public:
  int open(const perf_event_attr& attributes, int leader) override;
  bool read(int counter, CounterReading& reading) override;
  void close(int counter) override;
};

/// What decides whether events may be counted. Empty where the system does not tell.
struct PerfPolicy {
  std::optional<int> paranoid;  ///< of kernel.perf_event_paranoid; empty: the kernel has no such events
  bool filtersCalls = false;    ///< seccomp: a container may forbid the call
  bool isVirtual = false;       ///< this is a virtual machine
};
PerfPolicy readPerfPolicy();

/// Why `event` could not be opened (errno `code`), and the setting that would allow it. Errors: Unsupported.
base::Error explainRefusal(const PerfEvent& event, int code, const PerfPolicy& policy);

}  // namespace opscope::profile
