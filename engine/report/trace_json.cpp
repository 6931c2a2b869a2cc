// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/report/json_text.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;

/// Each text once as JSON, since calls repeat them.
std::vector<std::string> jsonTexts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) {
    std::string json;
    appendJsonString(json, text);
    quoted.push_back(std::move(json));
  }
  return quoted;
}

class TraceWriter {
 public:
  explicit TraceWriter(const Run& run)
      : m_run(run),
        m_names(jsonTexts(run.names)),
        m_shapes(jsonTexts(run.shapes)),
        m_devices(jsonTexts(run.devices)) {}

  std::string write() {
    m_out = R"({"displayTimeUnit":"ns","traceEvents":[)";
    writeNames();
    for (const Span& span : m_run.spans) writeSpan(span);
    if (m_run.memory) {
      writeCounter("storage", m_run.memory->storage);
      writeCounter("tensors", m_run.memory->tensors);
      writeCounter("workspaces", m_run.memory->workspaces);
    }
    if (m_run.lanes) writeLanes(*m_run.lanes);
    m_out += "]}";
    return std::move(m_out);
  }

 private:
  void writeNames() {
    std::set<std::uint32_t> repeats;
    std::set<std::pair<std::uint32_t, std::uint32_t>> lanes;
    for (const Span& span : m_run.spans) {
      repeats.insert(span.repeat);
      lanes.emplace(span.repeat, m_run.calls[span.call].depth);
    }
    for (const std::uint32_t repeat : repeats) {
      writeName("process_name", repeat, 0, fmt::format("repeat {} of {}", repeat + 1, m_run.repeats));
      appendJsonComma(m_out);
      append(R"({{"ph":"M","pid":{0},"tid":0,"name":"process_sort_index","args":{{"sort_index":{0}}}}})",
             repeat + 1);
    }
    for (const auto& [repeat, depth] : lanes) {
      writeName("thread_name", repeat, depth + 1, fmt::format("calls, depth {}", depth));
    }
  }

  void writeName(std::string_view what, std::uint32_t repeat, std::uint32_t thread, std::string_view name) {
    appendJsonComma(m_out);
    append(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":"{}"}}}})", repeat + 1, thread, what,
           name);
  }

  void writeSpan(const Span& span) {
    const Call& call = m_run.calls[span.call];
    appendJsonComma(m_out);
    append(
        R"({{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":{},"cat":"{}","args":{{"call":{},"instruction":{})",
        span.repeat + 1, call.depth + 1, std::max(0.0, span.startNs) / 1e3,
        std::max(0.0, span.durationNs) / 1e3, m_names[call.name], call.kernel ? "kernel" : "vm", span.call,
        call.instruction);
    if (call.shapes != kNone) append(R"(,"shapes":{})", m_shapes[call.shapes]);
    if (call.device != kNone) append(R"(,"device":{})", m_devices[call.device]);
    if (m_run.steps.size() > 1) append(R"(,"step":{})", call.step);
    m_out += "}}";
  }

  /// One graph for each quantity in each repeat.
  void writeCounter(std::string_view name, const MemorySeries& series) {
    if (series.peakBytes == 0) return;
    for (const MemoryPoint& point : series.points) {
      appendJsonComma(m_out);
      append(R"({{"ph":"C","pid":{},"tid":0,"ts":{:.3f},"name":"{} bytes","args":{{"live":{}}}}})",
             point.repeat + 1, point.ns / 1e3, name, point.bytes);
    }
  }

  /// Threads of the pool below the calls; they are the same ones in each repeat.
  void writeLanes(const LaneTrack& lanes) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> named;
    for (const Launch& launch : lanes.launches) {
      for (std::uint32_t i = 0; i < launch.taskCount; ++i) {
        const LaneTask& task = lanes.tasks[launch.firstTask + i];
        if (named.emplace(launch.repeat, task.lane).second) {
          writeName("thread_name", launch.repeat, kFirstLane + task.lane,
                    task.lane == 0              ? std::string("calling thread")
                    : task.lane < lanes.threads ? fmt::format("worker {}", task.lane)
                                                : fmt::format("helper {}", task.lane));
        }
        writeTask(launch, task);
      }
    }
  }

  void writeTask(const Launch& launch, const LaneTask& task) {
    appendJsonComma(m_out);
    append(R"({{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":{},"cat":"task","args":{{)",
           launch.repeat + 1, kFirstLane + task.lane, task.startNs / 1e3, task.durationNs / 1e3,
           launch.call == kNone ? std::string("\"task\"") : m_names[m_run.calls[launch.call].name]);
    append(R"("task":{},"of":{},"launch":"{}","cpu_us":{:.3f}}}}})", task.task, launch.tasks,
           launchKindName(launch.kind), task.cpuNs / 1e3);
  }

  template <class... Args>
  void append(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(m_out), format, std::forward<Args>(args)...);
  }

  static constexpr std::uint32_t kFirstLane = 1'000'000;  ///< thread number of lane 0, above all depths

  const Run& m_run;
  std::vector<std::string> m_names;
  std::vector<std::string> m_shapes;
  std::vector<std::string> m_devices;
  std::string m_out;
};

}  // namespace

base::Result<std::string> toTraceJson(const Run& run) {
  if (!run.hasStartTimes) {
    return Error{ErrorCode::Unsupported, "This run has no start times, so there is no trace to write.",
                 "It comes from a TVM report, which holds durations only.",
                 "Profile the executable, or open a samples file."};
  }
  return TraceWriter(run).write();
}

}  // namespace opscope::report
