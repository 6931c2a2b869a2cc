// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_json.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/report/file_names.h"
#include "engine/report/head_json.h"
#include "engine/report/json_text.h"
#include "engine/report/trace_format.h"
#include "engine/report/trace_lanes.h"
#include "engine/report/trace_layout.h"
#include "engine/report/trace_traffic.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;

constexpr std::int64_t kNsPerUs = 1000;

std::string jsonText(std::string_view text) {
  std::string json;
  appendJsonString(json, text);
  return json;
}

/// Each text once as JSON, since calls repeat them.
std::vector<std::string> jsonTexts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) quoted.push_back(jsonText(text));
  return quoted;
}

class TraceWriter {
 public:
  TraceWriter(const Run& run, const TextSink& sink)
      : m_run(run),
        m_places(placeRepeats(run)),
        m_requests(trafficEvents(run, m_places)),
        m_names(jsonTexts(run.names)),
        m_shapes(jsonTexts(run.shapes)),
        m_devices(jsonTexts(run.devices)),
        m_steps(jsonTexts(run.steps)),
        m_counters(counterKeys(run)),
        m_out(sink) {}

  base::Result<> write() {
    writeHead();
    writeTracks();
    writeRepeats();
    for (const Span& span : m_run.spans) writeSpan(span);
    if (m_run.memory) {
      writeCounter("storage", m_run.memory->storage);
      writeCounter("tensors", m_run.memory->tensors);
      writeCounter("workspaces", m_run.memory->workspaces);
    }
    if (m_run.lanes) writeLanes();
    for (const TrafficTraceEvent& event : m_requests) writeRequest(event);
    m_out.append("\n]}\n");
    return m_out.finish();
  }

 private:
  static std::vector<std::string> counterKeys(const Run& run) {
    std::vector<std::string> keys;
    for (const CounterColumn& counter : run.counters) keys.push_back(jsonText(counter.name));
    return keys;
  }

  void writeHead() {
    std::string head = "{";
    appendHead(head, m_run, HeadPath::NameOnly);
    m_out.format(R"({{"displayTimeUnit":"ns","otherData":{{"schema":"{}{}")", kTraceSchema, kTraceVersion);
    if (m_run.lanes) {
      m_out.format(R"(,"threads":{},"lostRecords":{})", m_run.lanes->threads, m_run.lanes->lostRecords);
    }
    if (m_run.memory) m_out.format(R"(,"memory":{{"lostEvents":{}}})", m_run.memory->lostEvents);
    m_out.format(",\"run\":{}}}}},\n\"traceEvents\":[", head);
  }

  /// Every record stands on a line of its own.
  void beginEvent() {
    m_out.append(m_isFirst ? "\n" : ",\n");
    m_isFirst = false;
    m_out.passOn();
  }

  void writeTrack(std::string_view what, std::uint32_t process, std::uint32_t thread,
                  const std::string& quotedName) {
    beginEvent();
    m_out.format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}_name","args":{{"name":{}}}}})", process, thread,
                 what, quotedName);
    beginEvent();
    m_out.format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}_sort_index","args":{{"sort_index":{}}}}})",
                 process, thread, what, what == "process" ? process : thread);
  }

  void writeTracks() {
    const std::string file = fileNameOf(m_run.executablePath);
    const std::string function = withoutFolders(m_run.function);
    const std::string title = function + (file.empty() || function.empty() ? "" : " of ") + file;
    writeTrack("process", kVmProcess, kRepeatsThread, jsonText(title.empty() ? "run" : title));
    writeTrack("thread", kVmProcess, kRepeatsThread, jsonText("repeats"));
    writeTrack("thread", kVmProcess, kCallsThread, jsonText("calls"));
    std::vector<bool> used(m_run.devices.size());
    for (const Call& call : m_run.calls) {
      if (call.kernel && call.device != kNone) used[call.device] = true;
    }
    for (std::uint32_t device = 0; device < used.size(); ++device) {
      if (!used[device]) continue;
      writeTrack("process", kFirstDevice + device, kFirstDevice + device, m_devices[device]);
      writeTrack("thread", kFirstDevice + device, kFirstDevice + device, jsonText("kernels"));
    }
    if (m_run.memory) writeTrack("process", kMemoryProcess, kMemoryProcess, jsonText("memory"));
    writeTrafficTracks();
    if (!m_run.lanes) return;
    std::uint32_t lanes = 0;
    for (const LaneTask& task : m_run.lanes->tasks) lanes = std::max(lanes, task.lane + 1);
    if (!m_run.lanes->launches.empty()) lanes = std::max(lanes, 1u);
    if (lanes > 0) writeTrack("process", kPoolProcess, kPoolProcess, jsonText("pool threads"));
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      writeTrack("thread", kPoolProcess, kPoolProcess + lane,
                 jsonText(laneTitle(lane, m_run.lanes->threads)));
    }
  }

  void writeTrafficTracks() {
    if (m_requests.empty()) return;
    const bool placed = isPlacedByTraffic(m_run);
    writeTrack("process", kRpcProcess, kRpcProcess,
               jsonText(placed ? "RPC" : "RPC (its own clock, not set beside the calls)"));
    std::uint32_t tracks = 1;
    for (const TrafficTraceEvent& event : m_requests) tracks = std::max(tracks, event.track + 1);
    for (std::uint32_t track = 0; track < tracks; ++track) {
      writeTrack("thread", kRpcProcess, kRpcProcess + track,
                 jsonText(track == 0 ? "requests" : "at the same time"));
    }
  }

  void writeRequest(const TrafficTraceEvent& event) {
    const TrafficEvent& request = m_run.traffic->events[event.event];
    beginComplete(kRpcProcess, kRpcProcess + event.track, event.startNs, event.endNs,
                  jsonText(trafficLabel(*m_run.traffic, request)));
    m_out.format(
        R"(,"cat":"{}","args":{{"kind":"{}","phase":"{}","bytes_out":{},"bytes_in":{},"requests":{})",
        kRpcCategory, trafficKindName(request.kind), trafficPhaseName(request.phase), request.bytesOut,
        request.bytesIn, request.requests);
    if (request.failed) m_out.append(R"(,"failed":true)");
    m_out.append("}}");
  }

  /// "ts" and "dur" with three decimals.
  void appendUs(std::int64_t ns) {
    const std::int64_t part = ns % kNsPerUs;
    m_out.appendInteger(ns / kNsPerUs);
    const std::array<char, 4> digits = {'.', static_cast<char>('0' + part / 100),
                                        static_cast<char>('0' + part / 10 % 10),
                                        static_cast<char>('0' + part % 10)};
    m_out.append(std::string_view(digits.data(), digits.size()));
  }

  void beginComplete(std::uint32_t process, std::uint32_t thread, std::int64_t startNs, std::int64_t endNs,
                     std::string_view quotedName) {
    beginEvent();
    m_out.append(R"({"ph":"X","pid":)");
    m_out.appendInteger(process);
    m_out.append(R"(,"tid":)");
    m_out.appendInteger(thread);
    m_out.append(R"(,"ts":)");
    appendUs(startNs);
    m_out.append(R"(,"dur":)");
    appendUs(std::max<std::int64_t>(endNs - startNs, 0));
    m_out.append(R"(,"name":)");
    m_out.append(quotedName);
  }

  void appendMember(std::string_view key, std::int64_t value) {
    m_out.append(key);
    m_out.appendInteger(value);
  }

  void writeRepeats() {
    if (m_run.repeats == 0) return;
    const std::vector<std::vector<std::int64_t>> starts = stepStarts();
    for (std::uint32_t repeat = 0; repeat < m_run.repeats; ++repeat) {
      const RepeatPlace& place = m_places[repeat];
      beginComplete(kVmProcess, kRepeatsThread, place.startNs, place.startNs + place.lengthNs,
                    fmt::format("\"repeat {} of {}\"", repeat + 1, m_run.repeats));
      m_out.format(R"(,"cat":"{}","args":{{"repeat":{}}}}})", kRepeatCategory, repeat + 1);
      if (!starts.empty()) writeSteps(repeat, starts[repeat]);
    }
  }

  /// When the first call of each step began, -1 for those without calls: [repeat][step].
  std::vector<std::vector<std::int64_t>> stepStarts() const {
    if (m_run.stepNs.empty()) return {};
    std::vector<std::vector<std::int64_t>> starts(m_run.repeats,
                                                  std::vector<std::int64_t>(m_run.steps.size(), -1));
    for (const Span& span : m_run.spans) {
      std::int64_t& start = starts[span.repeat][m_run.calls[span.call].step];
      if (start < 0) start = wholeNs(span.startNs);
    }
    return starts;
  }

  void writeSteps(std::uint32_t repeat, const std::vector<std::int64_t>& starts) {
    const RepeatPlace& place = m_places[repeat];
    std::int64_t end = 0;
    for (std::size_t step = 0; step < m_run.stepNs.size(); ++step) {
      const std::int64_t start = std::max(starts[step], end);
      end = std::max(start, std::min(start + wholeNs(m_run.stepNs[step][repeat]), place.lengthNs));
      if (start > place.lengthNs) break;
      beginComplete(kVmProcess, kRepeatsThread, place.startNs + start, place.startNs + end, m_steps[step]);
      m_out.format(R"(,"cat":"{}","args":{{"step":{},"repeat":{}}}}})", kStepCategory, step, repeat + 1);
    }
  }

  std::uint64_t sampleOf(const Span& span) const {
    const Call& call = m_run.calls[span.call];
    if (call.sampleCount == m_run.repeats) return call.firstSample + span.repeat;
    const auto begin = m_run.sampleRepeat.begin() + static_cast<std::ptrdiff_t>(call.firstSample);
    return static_cast<std::uint64_t>(std::lower_bound(begin, begin + call.sampleCount, span.repeat) -
                                      m_run.sampleRepeat.begin());
  }

  void writeSpan(const Span& span) {
    const Call& call = m_run.calls[span.call];
    const std::int64_t offset = m_places[span.repeat].startNs;
    const std::int64_t start = offset + wholeNs(span.startNs);
    // Ends are rounded, not durations: so calls stay within the calls around them.
    const std::int64_t end = offset + wholeNs(span.startNs + span.durationNs);
    beginComplete(kVmProcess, kCallsThread, start, end, m_names[call.name]);
    m_out.append(R"(,"cat":")");
    m_out.append(call.kernel ? kKernelCategory : kVmCategory);
    if (call.inReport) m_out.append(kListedSuffix);
    m_out.append(R"(","args":{)");
    appendMember(R"("call":)", span.call);
    appendMember(R"(,"repeat":)", span.repeat + 1);
    appendMember(R"(,"instruction":)", call.instruction);
    appendMember(R"(,"depth":)", call.depth);
    if (m_run.steps.size() > 1) appendMember(R"(,"step":)", call.step);
    if (call.shapes != kNone) appendText(R"(,"shapes":)", m_shapes[call.shapes]);
    if (call.device != kNone) appendText(R"(,"device":)", m_devices[call.device]);
    if (const std::uint64_t sample = sampleOf(span); sample < call.firstSample + call.sampleCount) {
      appendSample(sample, end - start);
    }
    m_out.append("}}");
    if (call.kernel && call.device != kNone) writeOnDevice(span, call, start, end);
  }

  void writeOnDevice(const Span& span, const Call& call, std::int64_t start, std::int64_t end) {
    beginComplete(kFirstDevice + call.device, kFirstDevice + call.device, start, end, m_names[call.name]);
    m_out.append(R"(,"cat":"device","args":{)");
    appendMember(R"("call":)", span.call);
    m_out.append("}}");
  }

  void appendText(std::string_view key, std::string_view quoted) {
    m_out.append(key);
    m_out.append(quoted);
  }

  /// Own time where it is not the whole, and what collectors told.
  void appendSample(std::uint64_t sample, std::int64_t inclusiveNs) {
    if (const std::int64_t ownNs = wholeNs(m_run.ownNs[sample]); ownNs != inclusiveNs) {
      m_out.append(R"(,"own_us":)");
      appendUs(ownNs);
    }
    bool isFirst = true;
    for (std::size_t column = 0; column < m_counters.size(); ++column) {
      const double value = m_run.counters[column].values[sample];
      if (!std::isfinite(value)) continue;
      m_out.append(isFirst ? R"(,"counters":{)" : ",");
      m_out.append(m_counters[column]);
      m_out.append(':');
      if (m_run.counters[column].kind == CounterColumn::Kind::Text) {
        m_out.append(jsonText(m_run.counters[column].texts[static_cast<std::size_t>(value)]));
      } else {
        m_out.format("{}", value);
      }
      isFirst = false;
    }
    if (!isFirst) m_out.append('}');
  }

  void writeCounter(std::string_view name, const MemorySeries& series) {
    if (series.peakBytes == 0) return;  // a flat line at 0 tells nothing
    for (const MemoryPoint& point : series.points) {
      beginEvent();
      m_out.format(R"({{"ph":"C","pid":{},"tid":{},"ts":)", kMemoryProcess, kMemoryProcess);
      appendUs(m_places[point.repeat].startNs + wholeNs(point.ns));
      m_out.format(R"(,"name":"{}","args":{{"bytes":{}}}}})", name, point.bytes);
    }
  }

  void writeLanes() {
    for (const LaneEvent& event : laneEvents(*m_run.lanes, m_places)) {
      const Launch& launch = m_run.lanes->launches[event.launch];
      const std::string_view name =
          launch.call == kNone ? std::string_view("\"launch\"") : m_names[m_run.calls[launch.call].name];
      beginComplete(kPoolProcess, kPoolProcess + event.lane, event.startNs, event.endNs, name);
      if (event.task != nullptr) {
        m_out.format(R"(,"cat":"{}","args":{{"launch":{},"task":{},"lane":{},"cpu_us":)", kTaskCategory,
                     event.launch, event.task->task, event.task->lane);
        appendUs(wholeNs(event.task->cpuNs));
      } else {
        m_out.format(R"(,"cat":"{}","args":{{"launch":{},"repeat":{},"tasks":{},"kind":"{}")",
                     kLaunchCategory, event.launch, launch.repeat + 1, launch.tasks,
                     launchKindName(launch.kind));
        if (launch.call != kNone) appendMember(R"(,"call":)", launch.call);
        if (launch.failed) m_out.append(R"(,"failed":true)");
      }
      m_out.append("}}");
    }
  }

  const Run& m_run;
  std::vector<RepeatPlace> m_places;
  std::vector<TrafficTraceEvent> m_requests;
  std::vector<std::string> m_names;
  std::vector<std::string> m_shapes;
  std::vector<std::string> m_devices;
  std::vector<std::string> m_steps;
  std::vector<std::string> m_counters;
  ChunkedText m_out;
  bool m_isFirst = true;
};

}  // namespace

base::Result<> writeTraceJson(const Run& run, const TextSink& sink) {
  if (!run.hasStartTimes) {
    return Error{ErrorCode::Unsupported, "This run has no start times, so there is no trace to write.",
                 "It comes from a TVM report, which holds durations only.",
                 "Profile the executable, or open a samples file."};
  }
  return TraceWriter(run, sink).write();
}

base::Result<std::string> toTraceJson(const Run& run) {
  std::string text;
  OPSCOPE_TRY(writeTraceJson(run, [&text](std::string_view piece) {
    text += piece;
    return base::Result<>();
  }));
  return text;
}

}  // namespace opscope::report
