// SPDX-License-Identifier: Apache-2.0
// Runs as a machine records them: calls within calls, repeats that lack calls, threads, memory, whole
// nanoseconds, so that a trace holds them without loss.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "engine/report/run.h"
#include "tests/report/sample_run.h"

namespace opscope::report {

/// Draws calls within calls.
class TraceRunMaker {
 public:
  explicit TraceRunMaker(std::mt19937& random) : m_random(random) {}

  Run make() {
    m_run.repeatsWanted = m_run.repeats = 1 + below(4);
    m_run.executablePath = "net.so";
    m_run.function = "main";
    for (std::uint32_t i = 0; i < 5; ++i) m_run.names.push_back(nastyText(m_random) + std::to_string(i));
    m_run.shapes = {"float32[1, 3]", "int64[n], \"q\""};
    m_run.devices = {"cpu0", "cuda0"};
    m_run.steps = below(2) == 0 ? std::vector<std::string>{"main"} : std::vector<std::string>{"a", "b"};
    makeCalls(0, 1 + below(6));
    measure();
    if (below(2) == 0) addLanes();
    if (below(2) == 0) addMemory();
    return std::move(m_run);
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(m_random() % limit); }

  void makeCalls(std::uint32_t depth, std::uint32_t count) {
    for (; count > 0; --count) {
      Call call;
      call.name = below(5);
      call.shapes = below(3) == 0 ? kNone : below(2);
      call.device = below(8) == 0 ? kNone : below(2);
      call.instruction = below(1000);
      call.depth = depth;
      call.step =
          static_cast<std::uint32_t>(std::min<std::size_t>(m_run.calls.size() / 4, m_run.steps.size() - 1));
      call.inReport = call.shapes != kNone;
      call.kernel = below(2) == 0;
      m_run.calls.push_back(call);
      if (depth < 3 && below(2) == 0) makeCalls(depth + 1, below(4));
    }
  }

  /// Times of the calls from `first` on that are deeper than those around them; returns the end.
  double measureCalls(std::size_t& next, std::uint32_t depth, std::uint32_t repeat, double ns) {
    while (next < m_run.calls.size() && m_run.calls[next].depth >= depth) {
      const std::size_t call = next++;
      const std::size_t span = m_run.spans.size();
      m_run.spans.push_back({ns, 0, static_cast<std::uint32_t>(call), repeat});
      const double own = below(4) == 0 ? 0 : below(5000);
      double inner = 0;
      if (next < m_run.calls.size() && m_run.calls[next].depth > depth) {
        inner = measureCalls(next, depth + 1, repeat, ns) - ns;
      }
      m_run.spans[span].durationNs = own + inner;
      m_samples.push_back({static_cast<std::uint32_t>(call), repeat, own, own + inner});
      ns += own + inner + below(50);
    }
    return ns;
  }

  void measure() {
    m_run.totals = {{"cpu0", {}}};
    for (std::uint32_t repeat = 0; repeat < m_run.repeats; ++repeat) {
      std::size_t next = 0;
      const double end = measureCalls(next, 0, repeat, below(100));
      m_run.totals[0].totalNs.push_back(end + below(100));
    }
    if (m_run.steps.size() > 1) {
      m_run.stepNs.assign(2, std::vector<double>(m_run.repeats, 500));
    }
    std::ranges::stable_sort(m_samples, {}, &Sample::call);
    for (std::size_t call = 0; call < m_run.calls.size(); ++call) {
      m_run.calls[call].firstSample = m_run.ownNs.size();
      for (const Sample& sample : m_samples) {
        if (sample.call != call) continue;
        ++m_run.calls[call].sampleCount;
        m_run.ownNs.push_back(sample.ownNs);
        m_run.inclusiveNs.push_back(sample.inclusiveNs);
        m_run.sampleRepeat.push_back(sample.repeat);
      }
    }
  }

  void addLanes() {
    LaneTrack lanes;
    lanes.threads = 3;
    for (std::uint32_t repeat = 0; repeat < m_run.repeats; ++repeat) {
      double ns = 0;
      for (std::uint32_t count = below(4); count > 0; --count) {
        Launch launch{
            ns, 100, repeat, below(2) == 0 ? kNone : 0, 3, LaunchKind::Pool, false, lanes.tasks.size(), 3};
        for (std::uint32_t task = 0; task < 3; ++task) {
          lanes.tasks.push_back({ns + task, 50.0 + below(40), 20, task, task});
        }
        lanes.launches.push_back(launch);
        ns += 100 + below(100);
      }
    }
    m_run.lanes = lanes;
  }

  void addMemory() {
    MemoryTrack memory;
    for (MemorySeries* series : {&memory.storage, &memory.tensors}) {
      for (std::uint32_t repeat = 0; repeat < m_run.repeats; ++repeat) {
        double ns = 0;
        for (std::uint32_t count = below(5); count > 0; --count) {
          series->points.push_back({ns, below(100000), repeat});
          ns += below(1000);
        }
      }
      for (const MemoryPoint& point : series->points) {
        if (point.bytes <= series->peakBytes) continue;
        series->peakBytes = point.bytes;
        series->peakNs = point.ns;
        series->peakRepeat = point.repeat;
      }
    }
    m_run.memory = memory;
  }

  struct Sample {
    std::uint32_t call = 0;
    std::uint32_t repeat = 0;
    double ownNs = 0;
    double inclusiveNs = 0;
  };

  std::mt19937& m_random;
  Run m_run;
  std::vector<Sample> m_samples;
};

inline Run randomTraceRun(std::mt19937& random) {
  return TraceRunMaker(random).make();
}

}  // namespace opscope::report
