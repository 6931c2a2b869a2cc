// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/perf_collector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

namespace opscope::profile {

namespace {

constexpr std::string_view kIpc = "IPC";

/// Events of hardware share the processor's counters as groups: all of one count at the same time, so that
/// their ratios hold. The kernel tells when one more does not fit.
class CounterSet {
 public:
  explicit CounterSet(PerfKernel& kernel) : m_kernel(kernel) {}
  ~CounterSet() { close(); }
  CounterSet(const CounterSet&) = delete;
  CounterSet& operator=(const CounterSet&) = delete;

  base::Result<> open(const std::vector<PerfEvent>& events, const PerfPolicy& policy) {
    close();
    int leader = -1;
    for (const PerfEvent& event : events) {
      int counter = -1;
      if (event.isHardware && leader >= 0) {
        counter = m_kernel.open(event.attributes, leader);
      }
      if (counter < 0) {
        counter = m_kernel.open(event.attributes, -1);
        if (event.isHardware && counter >= 0) {
          leader = counter;
        }
      }
      if (counter < 0) {
        close();
        return explainRefusal(event, -counter, policy);
      }
      m_counters.push_back(counter);
    }
    return {};
  }

  /// False when one cannot be read.
  bool read(std::vector<CounterReading>& readings) const {
    readings.resize(m_counters.size());
    for (std::size_t i = 0; i < m_counters.size(); ++i) {
      if (!m_kernel.read(m_counters[i], readings[i])) {
        return false;
      }
    }
    return true;
  }

 private:
  void close() {
    for (const int counter : m_counters) {
      m_kernel.close(counter);
    }
    m_counters.clear();
  }

  PerfKernel& m_kernel;
  std::vector<int> m_counters;
};

class StartedCounters final : public StartedMetrics {
 public:
  std::vector<CounterReading> readings;
};

bool isNamed(const PerfEvent& event, std::string_view type) {
  for (const KnownEvent& known : knownEvents()) {
    if (known.name == type) {
      return event.attributes.type == known.type && event.attributes.config == known.config;
    }
  }
  return false;
}

class PerfCollector final : public MetricCollector {
 public:
  PerfCollector(std::vector<PerfEvent> events, PerfKernel& kernel, PerfPolicy policy)
      : m_events(std::move(events)), m_policy(policy), m_counters(kernel) {
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      const PerfEvent& event = m_events[i];
      if (isNamed(event, "cycles")) {
        m_cycles = i;
      } else if (isNamed(event, "instructions")) {
        m_instructions = i;
      } else if (event.isHardware && event.name.find("miss") != std::string::npos) {
        m_misses.push_back(i);
      }
    }
  }

  std::string name() const override {
    std::vector<std::string> names;
    for (const PerfEvent& event : m_events) {
      names.push_back(event.name);
    }
    return fmt::format("counters {}", fmt::join(names, ", "));
  }

  base::Result<> init(std::span<const DLDevice> /*devices*/) override {
    m_leastShare = 1;
    return m_counters.open(m_events, m_policy);
  }

  base::Result<std::unique_ptr<StartedMetrics>> start(DLDevice device) override {
    if (device.device_type != kDLCPU) {
      return std::unique_ptr<StartedMetrics>();
    }
    auto started = std::make_unique<StartedCounters>();
    if (!m_counters.read(started->readings)) {
      return unreadable();
    }
    return std::unique_ptr<StartedMetrics>(std::move(started));
  }

  base::Result<report::MetricMap> stop(std::unique_ptr<StartedMetrics> started) override {
    const std::vector<CounterReading>& before = static_cast<const StartedCounters&>(*started).readings;
    if (!m_counters.read(m_now)) {
      return unreadable();
    }
    m_values.clear();
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      m_values.push_back(between(before[i], m_now[i]));
    }
    return metrics();
  }

  std::string unitOf(std::string_view metric) const override {
    for (const PerfEvent& event : m_events) {
      if (event.name == metric) {
        const bool userOnly = event.attributes.exclude_kernel != 0;
        return event.isTime ? "µs, of all threads"
               : userOnly   ? "of all threads, in user space"
                            : "of all threads";
      }
    }
    return metric == kIpc ? "instructions a cycle" : "";
  }

  std::vector<report::Warning> notes() const override {
    constexpr double kAlways = 0.999;
    if (m_leastShare >= kAlways) {
      return {};
    }
    return {
        {fmt::format("The processor has fewer counters than events were chosen: they took turns, and some "
                     "counted only {:.0f} % of the time; their values are scaled up.",
                     std::max(1.0, m_leastShare * 100)),
         "Choose fewer events for exact values; short calls that an event did not count have none."}};
  }

 private:
  static base::Error unreadable() {
    return {base::ErrorCode::Unsupported, fmt::format("A counter cannot be read: {}.", std::strerror(errno)),
            "", ""};
  }

  /// Empty when it never counted between the two.
  std::optional<double> between(const CounterReading& before, const CounterReading& now) {
    const auto value = static_cast<double>(now.value - std::min(before.value, now.value));
    const auto enabled = static_cast<double>(now.enabledNs - std::min(before.enabledNs, now.enabledNs));
    const auto running = static_cast<double>(now.runningNs - std::min(before.runningNs, now.runningNs));
    if (enabled <= running || enabled == 0) {
      return value;
    }
    m_leastShare = std::min(m_leastShare, running / enabled);
    return running > 0 ? std::optional(value * enabled / running) : std::nullopt;
  }

  report::MetricMap metrics() const {
    report::MetricMap metrics;
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      if (!m_values[i]) {
        continue;
      }
      constexpr double kNsInUs = 1e3;
      if (m_events[i].isTime) {
        metrics.append(m_events[i].name, report::Duration{*m_values[i] / kNsInUs});
      } else {
        metrics.append(m_events[i].name, report::Count{std::llround(*m_values[i])});
      }
    }
    addRatio(metrics, std::string(kIpc), m_instructions, m_cycles, 1);
    constexpr double kThousand = 1000;
    for (const std::size_t misses : m_misses) {
      addRatio(metrics, m_events[misses].name + " per 1,000 instructions", misses, m_instructions, kThousand);
    }
    return metrics;
  }

  void addRatio(report::MetricMap& metrics, std::string name, std::optional<std::size_t> above,
                std::optional<std::size_t> below, double factor) const {
    if (above && below && m_values[*above] && m_values[*below] && *m_values[*below] > 0) {
      metrics.append(std::move(name), report::Ratio{*m_values[*above] / *m_values[*below] * factor});
    }
  }

  std::vector<PerfEvent> m_events;
  PerfPolicy m_policy;
  CounterSet m_counters;
  std::optional<std::size_t> m_cycles;
  std::optional<std::size_t> m_instructions;
  std::vector<std::size_t> m_misses;
  std::vector<CounterReading> m_now;
  std::vector<std::optional<double>> m_values;
  double m_leastShare = 1;  // of its time that a counter counted
};

/// With a kernel of its own.
class SystemPerfCollector final : public MetricCollector {
 public:
  explicit SystemPerfCollector(std::vector<PerfEvent> events)
      : m_collector(makePerfCollector(std::move(events), m_kernel, readPerfPolicy())) {}
  std::string name() const override { return m_collector->name(); }
  base::Result<> init(std::span<const DLDevice> devices) override { return m_collector->init(devices); }
  base::Result<std::unique_ptr<StartedMetrics>> start(DLDevice device) override {
    return m_collector->start(device);
  }
  base::Result<report::MetricMap> stop(std::unique_ptr<StartedMetrics> started) override {
    return m_collector->stop(std::move(started));
  }
  std::string unitOf(std::string_view metric) const override { return m_collector->unitOf(metric); }
  std::vector<report::Warning> notes() const override { return m_collector->notes(); }

 private:
  SystemPerfKernel m_kernel;
  std::unique_ptr<MetricCollector> m_collector;
};

}  // namespace

std::unique_ptr<MetricCollector> makePerfCollector(std::vector<PerfEvent> events, PerfKernel& kernel,
                                                   PerfPolicy policy) {
  return std::make_unique<PerfCollector>(std::move(events), kernel, policy);
}

base::Result<std::unique_ptr<MetricCollector>> makePerfCollector(std::string_view options) {
  OPSCOPE_TRY_ASSIGN(std::vector<PerfEvent> events, parsePerfEvents(options));
  return std::unique_ptr<MetricCollector>(std::make_unique<SystemPerfCollector>(std::move(events)));
}

}  // namespace opscope::profile
