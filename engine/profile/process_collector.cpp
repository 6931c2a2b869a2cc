// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/process_collector.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace opscope::profile {

namespace {

constexpr std::string_view kCpuTime = "CPU time (us)";
constexpr std::string_view kPageFaults = "Page faults";

struct Usage {
  std::int64_t cpuNs = 0;
  std::int64_t faults = 0;
};

base::Result<Usage> readUsage() {
  timespec cpu{};
  rusage usage{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) != 0 || getrusage(RUSAGE_SELF, &usage) != 0) {
    return base::Error{base::ErrorCode::Unsupported,
                       fmt::format("The CPU time of this process cannot be read: {}", std::strerror(errno)),
                       "", "Profile without the collector \"process\"."};
  }
  return Usage{static_cast<std::int64_t>(cpu.tv_sec) * 1'000'000'000 + cpu.tv_nsec,
               usage.ru_minflt + usage.ru_majflt};
}

class StartedUsage final : public StartedMetrics {
 public:
  Usage usage;
};

class ProcessCollector final : public MetricCollector {
 public:
  std::string name() const override { return "process"; }

  base::Result<> init(std::span<const DLDevice> /*devices*/) override {
    OPSCOPE_TRY_ASSIGN([[maybe_unused]] const Usage usage, readUsage());
    return {};
  }

  base::Result<std::unique_ptr<StartedMetrics>> start(DLDevice device) override {
    if (device.device_type != kDLCPU) {
      return std::unique_ptr<StartedMetrics>();
    }
    auto started = std::make_unique<StartedUsage>();
    OPSCOPE_TRY_ASSIGN(started->usage, readUsage());
    return std::unique_ptr<StartedMetrics>(std::move(started));
  }

  base::Result<report::MetricMap> stop(std::unique_ptr<StartedMetrics> started) override {
    OPSCOPE_TRY_ASSIGN(const Usage now, readUsage());
    const Usage& before = static_cast<const StartedUsage&>(*started).usage;
    report::MetricMap metrics;
    metrics.append(std::string(kCpuTime),
                   report::Duration{static_cast<double>(now.cpuNs - before.cpuNs) / 1e3});
    metrics.append(std::string(kPageFaults), report::Count{now.faults - before.faults});
    return metrics;
  }

  std::string unitOf(std::string_view metric) const override {
    return metric == kCpuTime ? "µs, of all threads" : "";
  }
};

}  // namespace

base::Result<std::unique_ptr<MetricCollector>> makeProcessCollector(std::string_view options) {
  if (!options.empty()) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("The collector \"process\" takes no options, found \"{}\".", options), "",
                       ""};
  }
  return std::unique_ptr<MetricCollector>(std::make_unique<ProcessCollector>());
}

}  // namespace opscope::profile
