// SPDX-License-Identifier: Apache-2.0
// A collector that tells how far a number went that the test moves, and notes what is asked of it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/profile/metric_collector.h"

namespace opscope::profile::testing {

class FakeCollector final : public MetricCollector {
 public:
  std::string name() const override { return "fake"; }
  base::Result<> init(std::span<const DLDevice> devices) override {
    m_log.push_back(fmt::format("init {}", devices.size()));
    return m_initFails
               ? base::Result<>(base::Error{base::ErrorCode::Unsupported, "No counters here.", "", ""})
               : base::Result<>();
  }
  base::Result<std::unique_ptr<StartedMetrics>> start(DLDevice device) override {
    if (device.device_type != m_seen) {
      return std::unique_ptr<StartedMetrics>();
    }
    ++m_open;
    m_log.push_back("start");
    auto started = std::make_unique<Started>();
    started->at = m_now;
    return std::unique_ptr<StartedMetrics>(std::move(started));
  }
  base::Result<report::MetricMap> stop(std::unique_ptr<StartedMetrics> started) override {
    --m_open;
    m_log.push_back("stop");
    if (m_stopFails) {
      return base::Error{base::ErrorCode::Internal, "The counter is gone.", "", ""};
    }
    const std::int64_t events = m_now - static_cast<const Started&>(*started).at;
    report::MetricMap metrics;
    metrics.append("Events", report::Count{events});
    metrics.append("Wait (us)", report::Duration{static_cast<double>(events) / 2});
    if (events > 0) {
      metrics.append("IPC", report::Ratio{static_cast<double>(events) / 10});
    }
    for (const auto& [name, metric] : m_more.entries()) {
      metrics.append(name, metric);
    }
    return metrics;
  }
  std::string unitOf(std::string_view metric) const override { return metric == "IPC" ? "a cycle" : ""; }

  std::int64_t m_now = 0;
  int m_open = 0;
  bool m_initFails = false;
  bool m_stopFails = false;
  DLDeviceType m_seen = kDLCPU;
  report::MetricMap m_more;
  std::vector<std::string> m_log;

 private:
  class Started final : public StartedMetrics {
   public:
    std::int64_t at = 0;
  };
};

}  // namespace opscope::profile::testing
