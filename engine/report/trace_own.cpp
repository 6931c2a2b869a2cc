// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_own.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "engine/report/head_json.h"
#include "engine/report/run_check.h"
#include "engine/report/run_report.h"
#include "engine/report/trace_format.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr std::string_view kMarker = "\"opscope.trace/";

/// The version in otherData.schema; nothing when there is none.
std::optional<int> versionOf(std::string_view otherData) {
  const std::size_t at = otherData.find(kMarker);
  if (at == std::string_view::npos) return std::nullopt;
  int version = 0;
  const std::string_view digits = otherData.substr(at + kMarker.size());
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  return parsed.ec == std::errc() ? std::optional(version) : std::nullopt;
}

/// What one event of the calls' track tells.
struct SpanRow {
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  std::int64_t ownNs = 0;
  std::uint32_t call = 0;
  std::uint32_t repeat = 0;
};

class OwnTraceReader : public TraceVisitor {
 public:
  OwnTraceReader(std::string_view file, std::size_t mostCalls) : m_file(file), m_mostCalls(mostCalls) {}

  Result<> readHead(std::string_view otherData) {
    OPSCOPE_TRY_ASSIGN(const JsonFile json, JsonFile::parse(otherData, m_file, "a trace of Opscope"));
    const JsonPlace top;
    OPSCOPE_TRY_ASSIGN(const simdjson::dom::object fields, json.object(json.root(), top));
    OPSCOPE_TRY_ASSIGN(const JsonElement element, json.member(fields, "run", top));
    const JsonPlace place = top.member("run");
    OPSCOPE_TRY_ASSIGN(const simdjson::dom::object head, json.object(element, place));
    OPSCOPE_TRY(report::readHead(json, head, m_file, m_run));
    JsonElement threads;
    if (fields.at_key("threads").get(threads) == simdjson::SUCCESS) {
      LaneTrack& lanes = m_run.lanes.emplace();
      OPSCOPE_TRY_ASSIGN(lanes.threads, json.index(threads, top.member("threads"), kMostThreads));
      OPSCOPE_TRY_ASSIGN(const JsonElement lost, json.member(fields, "lostRecords", top));
      OPSCOPE_TRY_ASSIGN(lanes.lostRecords, json.index(lost, top.member("lostRecords"), kNone));
    }
    JsonElement memory;
    if (fields.at_key("memory").get(memory) == simdjson::SUCCESS) m_run.memory.emplace();
    know(m_run.names, m_names);
    know(m_run.shapes, m_shapes);
    know(m_run.devices, m_devices);
    for (const CounterColumn& counter : m_run.counters) know(counter.texts, m_counterTexts.emplace_back());
    return {};
  }

  Result<> visit(const TraceEvent& event) override {
    ++m_events;
    if (event.phase == 'C') return readMemory(event);
    if (event.phase != 'X' || event.category == kDeviceCategory || event.category == kStepCategory ||
        event.category == kRpcCategory) {
      return {};
    }
    if (!event.startNs || !event.durationNs || *event.startNs < 0 || *event.durationNs < 0) {
      return wrong("its times are wrong");
    }
    if (event.category == kRepeatCategory) {
      m_repeatStarts.push_back(*event.startNs);
      return {};
    }
    if (event.category == kLaunchCategory) return readLaunch(event);
    if (event.category == kTaskCategory) return readTask(event);
    return readSpan(event);
  }

  Result<Document> finish(const TraceEnd& end) {
    placeCalls();
    OPSCOPE_TRY(placeSamples());
    placeLanes();
    if (end.isCutOff) {
      m_run.warnings.push_back({"The trace is cut off: calls at its end are missing.", "Write it again."});
    }
    if (const std::optional<BodyProblem> problem = findBodyProblem(m_run)) {
      return Error{ErrorCode::Format, fmt::format("{}: {} is wrong", m_file, problem->place), problem->detail,
                   ""};
    }
    return makeDocument(std::make_shared<const Run>(std::move(m_run)));
  }

 private:
  using Known = std::unordered_map<std::string_view, std::uint32_t>;

  static void know(const std::vector<std::string>& texts, Known& known) {
    for (std::uint32_t id = 0; id < texts.size(); ++id) known.emplace(texts[id], id);
  }

  Error wrong(std::string_view what) const {
    return {ErrorCode::Format,
            fmt::format("{} is not a trace of Opscope: event {} is wrong", m_file, m_events),
            fmt::format("In it {}.", what), "The file may be damaged or edited; write it again."};
  }

  static std::optional<std::uint32_t> below(const std::optional<std::int64_t>& value, std::size_t limit) {
    if (!value || *value < 0 || static_cast<std::uint64_t>(*value) >= limit) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
  }

  std::optional<std::uint32_t> repeatOf(const TraceEvent& event) const {
    auto repeat = event.args.repeat;
    if (repeat) --*repeat;
    return below(repeat, std::min<std::size_t>(m_run.repeats, m_repeatStarts.size()));
  }

  Result<> readSpan(const TraceEvent& event) {
    const auto index = below(event.args.call, m_mostCalls);
    const auto repeat = repeatOf(event);
    if (!index || !repeat) return wrong("the number of the call or of the repeat is wrong");
    if (*index >= m_calls.size()) {
      m_calls.resize(*index + 1);
      m_callIsThere.resize(*index + 1);
    }
    if (!m_callIsThere[*index]) OPSCOPE_TRY(readCall(event, m_calls[*index]));
    m_callIsThere[*index] = true;
    const std::int64_t start = *event.startNs - m_repeatStarts[*repeat];
    if (start < 0) return wrong("a call begins before its repeat");
    m_spans.push_back(
        {start, *event.durationNs, event.args.ownNs.value_or(*event.durationNs), *index, *repeat});
    for (std::size_t column = 0; column < m_run.counters.size(); ++column) {
      double value = std::numeric_limits<double>::quiet_NaN();
      for (const auto& [name, amount] : event.args.counters) {
        if (name == m_run.counters[column].name) value = amount;
      }
      for (const auto& [name, text] : event.args.counterTexts) {
        if (name != m_run.counters[column].name) continue;
        const auto known = m_counterTexts[column].find(text);
        if (known == m_counterTexts[column].end())
          return wrong("a text of a collector is none of the head's");
        value = known->second;
      }
      m_counterRows.push_back(value);
    }
    return {};
  }

  Result<> readCall(const TraceEvent& event, Call& call) const {
    const auto name = m_names.find(event.name);
    const auto instruction = below(event.args.instruction, kNone);
    const auto depth = below(event.args.depth, kMostDepth);
    const auto step = below(event.args.step.value_or(0), m_run.steps.size());
    if (name == m_names.end() || !instruction || !depth || !step) {
      return wrong("the name, instruction, depth or step of the call is wrong");
    }
    call.name = name->second;
    call.instruction = *instruction;
    call.depth = *depth;
    call.step = *step;
    OPSCOPE_TRY_ASSIGN(call.shapes, textOf(event.args.shapes, m_shapes));
    OPSCOPE_TRY_ASSIGN(call.device, textOf(event.args.device, m_devices));
    call.kernel = event.category.starts_with(kKernelCategory);
    call.inReport = event.category.ends_with(kListedSuffix);
    return {};
  }

  /// No text at all stands for none; an empty one has memory.
  Result<std::uint32_t> textOf(std::string_view text, const Known& known) const {
    if (text.data() == nullptr) return kNone;
    const auto found = known.find(text);
    if (found == known.end()) return wrong("the shapes or the device of the call are not listed");
    return found->second;
  }

  Result<> readLaunch(const TraceEvent& event) {
    if (!m_run.lanes) return wrong("there is a launch, but no threads are told");
    const auto index = below(event.args.launch, m_mostCalls);
    const auto repeat = repeatOf(event);
    const auto tasks = below(event.args.tasks, kNone);
    const auto kind = launchKindOf(event.args.kind);
    if (!index || !repeat || !tasks || !kind) return wrong("the launch is wrong");
    if (*index >= m_launches.size()) m_launches.resize(*index + 1);
    LaunchRow& row = m_launches[*index];
    row.launch.startNs = static_cast<double>(*event.startNs - m_repeatStarts[*repeat]);
    row.launch.durationNs = static_cast<double>(*event.durationNs);
    row.launch.repeat = *repeat;
    row.launch.tasks = *tasks;
    row.launch.kind = *kind;
    row.launch.failed = event.args.failed;
    if (event.args.call) {
      const auto call = below(event.args.call, m_mostCalls);
      if (!call) return wrong("the launch is wrong");
      row.launch.call = *call;
    }
    row.isThere = true;
    return {};
  }

  Result<> readTask(const TraceEvent& event) {
    if (!m_run.lanes) return wrong("there is a task, but no threads are told");
    const auto launch = below(event.args.launch, m_mostCalls);
    const auto task = below(event.args.task, kNone);
    const auto lane = below(event.args.lane, kMostThreads);
    if (!launch || !task || !lane) return wrong("the task is wrong");
    const double ns = static_cast<double>(*event.durationNs);
    const double cpuNs = static_cast<double>(event.args.cpuNs.value_or(*event.durationNs));
    m_tasks.push_back({*launch, *event.startNs, LaneTask{0, ns, std::clamp(cpuNs, 0.0, ns), *task, *lane}});
    return {};
  }

  Result<> readMemory(const TraceEvent& event) {
    if (!m_run.memory || !event.startNs || !event.args.bytes) return {};
    MemoryTrack& memory = *m_run.memory;
    MemorySeries* series = event.name == "storage"      ? &memory.storage
                           : event.name == "tensors"    ? &memory.tensors
                           : event.name == "workspaces" ? &memory.workspaces
                                                        : nullptr;
    if (series == nullptr) return {};
    const auto after = std::ranges::upper_bound(m_repeatStarts, *event.startNs);
    if (after == m_repeatStarts.begin() || *event.args.bytes < 0) return wrong("the counter is wrong");
    const auto repeat = static_cast<std::uint32_t>(after - m_repeatStarts.begin() - 1);
    const auto ns = static_cast<double>(*event.startNs - m_repeatStarts[repeat]);
    series->points.push_back({ns, *event.args.bytes, repeat});
    if (*event.args.bytes > series->peakBytes) {
      series->peakBytes = *event.args.bytes;
      series->peakNs = ns;
      series->peakRepeat = repeat;
    }
    return {};
  }

  /// Calls that the file lacks leave no hole.
  void placeCalls() {
    m_newIndex.assign(m_calls.size(), kNone);
    for (std::uint32_t call = 0; call < m_calls.size(); ++call) {
      if (!m_callIsThere[call]) continue;
      m_newIndex[call] = static_cast<std::uint32_t>(m_run.calls.size());
      m_run.calls.push_back(m_calls[call]);
    }
  }

  Result<> placeSamples() {
    for (SpanRow& row : m_spans) {
      row.call = m_newIndex[row.call];
      ++m_run.calls[row.call].sampleCount;
    }
    std::uint64_t next = 0;
    for (Call& call : m_run.calls) {
      call.firstSample = next;
      next += call.sampleCount;
    }
    std::vector<std::uint64_t> places(m_run.calls.size());
    for (std::size_t call = 0; call < places.size(); ++call) places[call] = m_run.calls[call].firstSample;
    m_run.ownNs.resize(next);
    m_run.inclusiveNs.resize(next);
    m_run.sampleRepeat.resize(next);
    for (CounterColumn& counter : m_run.counters) counter.values.resize(next);
    m_run.spans.reserve(m_spans.size());
    const std::size_t columns = m_run.counters.size();
    for (std::size_t row = 0; row < m_spans.size(); ++row) {
      const SpanRow& span = m_spans[row];
      const std::uint64_t sample = places[span.call]++;
      m_run.ownNs[sample] = static_cast<double>(span.ownNs);
      m_run.inclusiveNs[sample] = static_cast<double>(span.durationNs);
      m_run.sampleRepeat[sample] = span.repeat;
      for (std::size_t column = 0; column < columns; ++column) {
        m_run.counters[column].values[sample] = m_counterRows[row * columns + column];
      }
      m_run.spans.push_back(
          {static_cast<double>(span.startNs), static_cast<double>(span.durationNs), span.call, span.repeat});
    }
    return {};
  }

  /// Tasks stand behind one another by launch, as a LaneTrack has them. A cut file may lack launches.
  void placeLanes() {
    if (!m_run.lanes) return;
    LaneTrack& lanes = *m_run.lanes;
    std::ranges::stable_sort(m_tasks, [](const TaskRow& a, const TaskRow& b) {
      return a.launch != b.launch ? a.launch < b.launch : a.startNs < b.startNs;
    });
    auto task = m_tasks.begin();
    for (std::uint32_t index = 0; index < m_launches.size(); ++index) {
      LaunchRow& row = m_launches[index];
      if (!row.isThere) continue;
      while (task != m_tasks.end() && task->launch < index) ++task;
      row.launch.firstTask = lanes.tasks.size();
      for (; task != m_tasks.end() && task->launch == index; ++task) {
        task->task.startNs =
            static_cast<double>(std::max<std::int64_t>(task->startNs - m_repeatStarts[row.launch.repeat], 0));
        lanes.tasks.push_back(task->task);
        ++row.launch.taskCount;
      }
      if (row.launch.call != kNone) {
        row.launch.call = row.launch.call < m_newIndex.size() ? m_newIndex[row.launch.call] : kNone;
      }
      lanes.launches.push_back(row.launch);
    }
  }

  struct LaunchRow {
    Launch launch;
    bool isThere = false;
  };
  struct TaskRow {
    std::uint32_t launch = 0;
    std::int64_t startNs = 0;
    LaneTask task;
  };

  static constexpr std::size_t kMostThreads = 100'000;

  std::string_view m_file;
  std::size_t m_mostCalls;
  Run m_run;
  Known m_names, m_shapes, m_devices;
  std::vector<Known> m_counterTexts;  ///< by column
  std::size_t m_events = 0;
  std::vector<std::int64_t> m_repeatStarts;
  std::vector<Call> m_calls;
  std::vector<bool> m_callIsThere;
  std::vector<std::uint32_t> m_newIndex;
  std::vector<SpanRow> m_spans;
  std::vector<double> m_counterRows;  ///< a row of columns for each span
  std::vector<LaunchRow> m_launches;
  std::vector<TaskRow> m_tasks;
};

}  // namespace

bool isOwnTrace(std::string_view otherData) {
  return versionOf(otherData).has_value();
}

Result<Document> readOwnTrace(std::string_view text, const TraceOutline& outline,
                              std::string_view fileForMessages, const TraceLimits& limits) {
  if (const int version = versionOf(outline.otherData).value_or(0); version > kTraceVersion) {
    return Error{ErrorCode::Unsupported,
                 fmt::format("{}: the trace is of a newer version ({}) than this program reads ({})",
                             fileForMessages, version, kTraceVersion),
                 "", "Open it with the version of Opscope that wrote it, or a newer one."};
  }
  constexpr std::size_t kLeastEventBytes = 64;
  OwnTraceReader reader(fileForMessages, text.size() / kLeastEventBytes + 1);
  OPSCOPE_TRY(reader.readHead(outline.otherData));
  OPSCOPE_TRY_ASSIGN(const TraceEnd end, readTraceEvents(text, outline, fileForMessages, limits, reader));
  return reader.finish(end);
}

}  // namespace opscope::report
