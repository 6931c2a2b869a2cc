// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profiler_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/profile/shape_table.h"
#include "engine/runtime/cpu_topology.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/thread_pool.h"
#include "engine/runtime/timer.h"

namespace opscope::profile {

namespace {

base::Error misuse(std::string message) {
  return {base::ErrorCode::InvalidArgument, std::move(message), "", ""};
}

bool sameDevice(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

std::string textOf(DLDevice device) {
  return deviceText(device.device_type, device.device_id);
}

/// Keeps the first error; the work goes on.
void keepFirst(base::Result<>& kept, base::Result<> next) {
  if (kept && !next) {
    kept = std::move(next);
  }
}

}  // namespace

struct Profiler::Frame {
  std::string name;
  DLDevice device{kDLCPU, 0};
  runtime::Timer timer;
  std::vector<std::pair<MetricCollector*, std::unique_ptr<StartedMetrics>>> started;
  report::MetricMap metrics;
  const Frame* parent = nullptr;  ///< the innermost call around it on the same device
  bool unfinished = false;
  double ns = 0;  ///< when the report is made
};

Profiler::Profiler(Setup setup) : m_setup(std::move(setup)) {
  std::vector<DLDevice> once;
  for (const DLDevice device : m_setup.devices) {
    if (std::ranges::none_of(once, [device](DLDevice known) { return sameDevice(known, device); })) {
      once.push_back(device);
    }
  }
  m_setup.devices = std::move(once);
}

Profiler::~Profiler() {
  if (m_isRunning) {
    // Nobody is left to hear of an error.
    static_cast<void>(stop());
  }
}

base::Result<std::unique_ptr<Profiler>> Profiler::create(Setup setup) {
  std::unique_ptr<Profiler> profiler(new Profiler(std::move(setup)));
  Setup& kept = profiler->m_setup;
  for (MetricCollector* collector : kept.collectors) {
    OPSCOPE_TRY(collector->init(kept.devices));
  }
  if (kept.context != nullptr && !kept.collectors.empty()) {
    kept.context->restartThreads();
  }
  const int threads = kept.context != nullptr ? kept.context->threadPool().threadCount() : 1;
  kept.configuration.set("Number of threads", report::Count{threads});
  return profiler;
}

base::Result<std::unique_ptr<Profiler::Frame>> Profiler::open(std::string name, DLDevice device,
                                                              report::MetricMap metrics) {
  auto frame = std::make_unique<Frame>();
  frame->name = std::move(name);
  frame->device = device;
  frame->metrics = std::move(metrics);
  base::Result<> outcome;
  for (MetricCollector* collector : m_setup.collectors) {
    auto started = collector->start(device);
    if (!started) {
      keepFirst(outcome, std::move(started).error());
      break;
    }
    if (*started != nullptr) {
      frame->started.emplace_back(collector, *std::move(started));
    }
  }
  if (outcome) {
    outcome = runtime::guarded(base::ErrorCode::KernelFailed, "The timer of " + textOf(device),
                               [&] { frame->timer = runtime::Timer::start(device); });
  }
  if (!outcome) {
    for (auto& [collector, started] : frame->started) {
      static_cast<void>(collector->stop(std::move(started)));  // the first error is what is told
    }
    return std::move(outcome).error();
  }
  return frame;
}

base::Result<> Profiler::close(Frame& frame) {
  base::Result<> outcome =
      runtime::guarded(base::ErrorCode::KernelFailed, "The timer of " + textOf(frame.device),
                       [&frame] { frame.timer->stop(); });
  for (auto& [collector, started] : frame.started) {
    auto metrics = collector->stop(std::move(started));
    if (!metrics) {
      keepFirst(outcome, std::move(metrics).error());
      continue;
    }
    for (const auto& [name, metric] : metrics->entries()) {
      frame.metrics.set(name, metric);
    }
  }
  frame.started.clear();
  return outcome;
}

base::Result<> Profiler::start() {
  if (m_isRunning) {
    return misuse("The profiler runs already.");
  }
  m_calls.clear();
  m_totals.clear();
  m_wasStopped = false;
  m_isRunning = true;
  for (const DLDevice device : m_setup.devices) {
    auto total = open("Total", device, {});
    if (!total) {
      static_cast<void>(stop());
      m_wasStopped = false;
      return std::move(total).error();
    }
    m_totals.push_back(*std::move(total));
  }
  return {};
}

base::Result<> Profiler::startCall(std::string name, DLDevice device, report::MetricMap metrics) {
  if (!m_isRunning) {
    return misuse(fmt::format("The profiler does not run, so the call of {} is not measured.", name));
  }
  OPSCOPE_TRY_ASSIGN(std::unique_ptr<Frame> frame, open(std::move(name), device, std::move(metrics)));
  const auto parent = std::find_if(m_open.rbegin(), m_open.rend(),
                                   [device](const Frame* open) { return sameDevice(open->device, device); });
  frame->parent = parent == m_open.rend() ? nullptr : *parent;
  m_open.push_back(frame.get());
  m_calls.push_back(std::move(frame));
  return {};
}

base::Result<> Profiler::stopCall(report::MetricMap metrics) {
  if (m_open.empty()) {
    return misuse("No call is open that could end.");
  }
  Frame& frame = *m_open.back();
  m_open.pop_back();
  for (const auto& [name, metric] : metrics.entries()) {
    frame.metrics.set(name, metric);
  }
  return close(frame);
}

base::Result<> Profiler::closeCalls(std::size_t depth) {
  base::Result<> outcome;
  while (m_open.size() > depth) {
    m_open.back()->unfinished = true;
    keepFirst(outcome, stopCall());
  }
  return outcome;
}

base::Result<> Profiler::stop() {
  if (!m_isRunning) {
    return misuse("The profiler does not run.");
  }
  base::Result<> outcome = closeCalls(0);
  for (auto total = m_totals.rbegin(); total != m_totals.rend(); ++total) {
    keepFirst(outcome, close(**total));
  }
  m_isRunning = false;
  m_wasStopped = true;
  return outcome;
}

Profiler::CallScope::~CallScope() {
  if (m_profiler.m_open.size() < m_depth || m_depth == 0) {
    return;  // ended by hand
  }
  static_cast<void>(m_profiler.closeCalls(m_depth));  // what an inner op left open when it threw
  static_cast<void>(m_profiler.stopCall());
}

report::MetricMap Profiler::rowOf(const Frame& frame, double ns) const {
  report::MetricMap row;
  row.set(report::kName, frame.name);
  row.set(report::kDurationUs, report::Duration{ns / 1e3});
  row.set(report::kDevice, textOf(frame.device));
  row.set(report::kCount, report::Count{1});
  for (const auto& [name, metric] : frame.metrics.entries()) {
    row.set(name, metric);
  }
  if (frame.unfinished) {
    row.set("Unfinished", report::Count{1});
  }
  return row;
}

void Profiler::addOverlap(const std::vector<std::pair<std::string, double>>& opsNs, double totalNs,
                          report::MetricMap& configuration) const {
  constexpr double kRounding = 1.001;  // clocks of devices differ a little
  double sumNs = 0;
  std::vector<std::string> devices;
  for (const auto& [device, ns] : opsNs) {
    sumNs += ns;
    devices.push_back(device);
  }
  if (devices.size() > 1 && sumNs > totalNs * kRounding) {
    configuration.set("Devices overlap",
                      fmt::format("{} worked at the same time: their ops take {:.1f} us within {:.1f} us",
                                  fmt::join(devices, " and "), sumNs / 1e3, totalNs / 1e3));
  }
}

base::Result<report::Report> Profiler::report() {
  if (m_isRunning || !m_wasStopped) {
    return misuse(m_isRunning ? "The profiler still runs." : "Nothing was measured.");
  }
  const auto elapsed = [](Frame& frame) {
    return runtime::guarded(base::ErrorCode::KernelFailed, "The timer of " + textOf(frame.device), [&frame] {
      frame.ns = static_cast<double>(std::max<std::int64_t>(frame.timer->syncAndGetElapsedNs(), 0));
    });
  };
  for (auto* frames : {&m_totals, &m_calls}) {
    for (const auto& frame : *frames) {
      OPSCOPE_TRY(elapsed(*frame));
    }
  }
  std::map<const Frame*, double> ownNs;
  for (const auto& frame : m_calls) {
    ownNs[frame.get()] += frame->ns;
    if (frame->parent != nullptr) {
      ownNs[frame->parent] -= frame->ns;
    }
  }
  report::Report report;
  double largestNs = 0;
  for (const auto& total : m_totals) {
    largestNs = std::max(largestNs, total->ns);
    report.deviceMetrics.emplace_back(textOf(total->device), rowOf(*total, total->ns));
  }
  std::vector<std::pair<std::string, double>> opsNs;  // by device, in order of first appearance
  for (const auto& frame : m_calls) {
    const double ns = std::max(0.0, ownNs[frame.get()]);
    report::MetricMap row = rowOf(*frame, ns);
    if (largestNs > 0) {
      row.set(report::kPercent, report::Percent{std::min(100.0, ns / largestNs * 100)});
    }
    report.calls.push_back(std::move(row));
    const std::string device = textOf(frame->device);
    const auto known = std::ranges::find(opsNs, device, &std::pair<std::string, double>::first);
    known == opsNs.end() ? opsNs.emplace_back(device, ns) : (known->second += ns, *known);
  }
  report.configuration = m_setup.configuration;
  addOverlap(opsNs, largestNs, report.configuration);
  return report;
}

}  // namespace opscope::profile
