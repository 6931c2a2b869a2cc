// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_foreign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "engine/report/interner.h"
#include "engine/report/run_check.h"
#include "engine/report/run_report.h"
#include "engine/report/trace_tracks.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

/// One event with a duration.
struct Slice {
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  std::int64_t innerNs = 0;  ///< of the events within it, on its own thread
  std::uint32_t name = 0;
  std::uint32_t shapes = kNone;
  std::uint32_t track = 0;
  std::uint32_t depth = 0;

  std::int64_t endNs() const { return startNs + durationNs; }
};

std::string_view phaseWords(char phase) {
  switch (phase) {
    case 'i':
    case 'I':
    case 'R':
      return "instants";
    case 'b':
    case 'n':
    case 'e':
    case 'S':
    case 'T':
    case 'p':
    case 'F':
      return "asynchronous events";
    case 's':
    case 't':
    case 'f':
      return "flows";
    case 'C':
      return "counters";
    case 'P':
      return "samples";
    default:
      return "events of unknown kinds";
  }
}

class ForeignTraceReader : public TraceVisitor {
 public:
  Result<> visit(const TraceEvent& event) override {
    switch (event.phase) {
      case 'X':
        addComplete(event);
        break;
      case 'B':
        begin(event);
        break;
      case 'E':
        end(event);
        break;
      case 'M':
        readMetadata(event);
        break;
      case 0:
        break;  // an empty object at the end, as TensorFlow writes
      default:
        ++m_left[phaseWords(event.phase)];
    }
    return {};
  }

  Result<Document> finish(std::string_view file, const TraceEnd& traceEnd) {
    closeOpen();
    if (m_slices.empty()) {
      return Error{ErrorCode::Format, fmt::format("{} holds no event with a duration", file),
                   "Expected complete events (X), or pairs of begin and end (B, E).", ""};
    }
    std::ranges::stable_sort(m_slices, [](const Slice& a, const Slice& b) {
      return a.startNs != b.startNs ? a.startNs < b.startNs : a.durationNs > b.durationNs;
    });
    const std::int64_t begin = m_slices.front().startNs;
    std::int64_t last = begin;
    for (const Slice& slice : m_slices) last = std::max(last, slice.endNs());
    constexpr double kLongest = kMostNs;
    if (static_cast<double>(last) - static_cast<double>(begin) > kLongest) {
      return Error{ErrorCode::Format, fmt::format("{}: its events lie more than 31 years apart", file),
                   "Their clocks do not agree.", ""};
    }
    nest();
    build(begin, last);
    warn(traceEnd);
    return makeDocument(std::make_shared<const Run>(std::move(m_run)));
  }

 private:
  struct Open {
    std::int64_t startNs = 0;
    std::uint32_t name = 0;
    std::uint32_t shapes = kNone;
  };

  std::uint32_t shapesOf(const TraceArguments& args) {
    if (!args.shapes.empty()) return m_shapes.idOf(args.shapes);
    if (args.inputDims.empty()) return kNone;
    const auto known = m_shapesOfDims.find(args.inputDims);
    if (known != m_shapesOfDims.end() && known->second.first == args.inputTypes) return known->second.second;
    const std::string text = tensorShapesText(args.inputDims, args.inputTypes);
    const std::uint32_t id = text.empty() ? kNone : m_shapes.idOf(text);
    m_shapesOfDims.insert_or_assign(std::string(args.inputDims), std::pair(std::string(args.inputTypes), id));
    return id;
  }

  void add(const TraceEvent& event, const Open& open, std::int64_t durationNs) {
    if (durationNs < 0) {
      ++m_wrongTimes;
      durationNs = 0;
    }
    m_slices.push_back(
        {open.startNs, durationNs, 0, open.name, open.shapes, m_tracks.idOf(event.process, event.thread), 0});
  }

  void addComplete(const TraceEvent& event) {
    if (!event.startNs) {
      ++m_wrongTimes;
      return;
    }
    add(event, {*event.startNs, m_names.idOf(event.name), shapesOf(event.args)},
        event.durationNs.value_or(0));
  }

  std::vector<Open>& openOf(const TraceEvent& event) {
    const std::uint32_t track = m_tracks.idOf(event.process, event.thread);
    if (track >= m_open.size()) m_open.resize(track + 1);
    if (track >= m_lastNs.size()) m_lastNs.resize(track + 1);
    if (event.startNs) m_lastNs[track] = std::max(m_lastNs[track], *event.startNs);
    return m_open[track];
  }

  void begin(const TraceEvent& event) {
    if (!event.startNs) {
      ++m_wrongTimes;
      return;
    }
    openOf(event).push_back({*event.startNs, m_names.idOf(event.name), shapesOf(event.args)});
  }

  void end(const TraceEvent& event) {
    std::vector<Open>& open = openOf(event);
    if (open.empty() || !event.startNs) {
      ++m_unpaired;
      return;
    }
    add(event, open.back(), *event.startNs - open.back().startNs);
    open.pop_back();
  }

  /// What had not ended when the trace did lasts until the last that its thread tells.
  void closeOpen() {
    for (std::uint32_t track = 0; track < m_open.size(); ++track) {
      for (const Open& open : m_open[track]) {
        ++m_unpaired;
        m_slices.push_back({open.startNs, std::max<std::int64_t>(m_lastNs[track] - open.startNs, 0), 0,
                            open.name, open.shapes, track, 0});
      }
    }
  }

  void readMetadata(const TraceEvent& event) {
    if (event.name == "process_name") m_tracks.nameProcess(event.process, event.args.name);
    if (event.name == "thread_name") m_tracks.nameThread(event.process, event.thread, event.args.name);
  }

  /// Finds what lies within what, thread by thread.
  void nest() {
    std::vector<std::vector<std::uint32_t>> around(m_tracks.size());
    for (std::uint32_t index = 0; index < m_slices.size(); ++index) {
      Slice& slice = m_slices[index];
      std::vector<std::uint32_t>& stack = around[slice.track];
      while (!stack.empty() && m_slices[stack.back()].endNs() <= slice.startNs) stack.pop_back();
      if (!stack.empty()) {
        Slice& parent = m_slices[stack.back()];
        if (slice.endNs() > parent.endNs()) ++m_overlaps;
        parent.innerNs += std::min(slice.endNs(), parent.endNs()) - slice.startNs;
        slice.depth = std::min<std::uint32_t>(parent.depth + 1, kMostDepth - 1);
      }
      stack.push_back(index);
    }
  }

  void build(std::int64_t begin, std::int64_t last) {
    m_run.repeats = m_run.repeatsWanted = 1;
    m_run.steps.emplace_back();
    m_run.devices = m_tracks.titles();
    m_run.calls.reserve(m_slices.size());
    m_run.spans.reserve(m_slices.size());
    for (const Slice& slice : m_slices) {
      Call call;
      call.name = slice.name;
      call.shapes = slice.shapes;
      call.device = slice.track;
      call.depth = slice.depth;
      call.firstSample = m_run.ownNs.size();
      call.sampleCount = 1;
      call.inReport = true;
      call.kernel = !m_run.names[slice.name].starts_with("vm.builtin.");
      const auto inclusive = static_cast<double>(slice.durationNs);
      m_run.spans.push_back({static_cast<double>(slice.startNs - begin), inclusive,
                             static_cast<std::uint32_t>(m_run.calls.size()), 0});
      m_run.ownNs.push_back(static_cast<double>(std::max<std::int64_t>(slice.durationNs - slice.innerNs, 0)));
      m_run.inclusiveNs.push_back(inclusive);
      m_run.calls.push_back(call);
    }
    m_run.sampleRepeat.assign(m_run.calls.size(), 0);
    m_run.totals = {
        {m_tracks.size() > 1 ? "all threads" : m_run.devices.front(), {static_cast<double>(last - begin)}}};
  }

  void warn(const TraceEnd& traceEnd) {
    const auto say = [this](std::string message, std::string hint) {
      m_run.warnings.push_back({std::move(message), std::move(hint)});
    };
    say("This is a trace of another program: each event with a duration counts as a call, each thread as a "
        "device, the time from the first event to the last as the total.",
        "It tells neither repeats nor warm-up nor the machine, so nothing is known of noise.");
    if (traceEnd.isCutOff) say("The trace is cut off: what comes after the cut is missing.", "");
    std::vector<std::string> left;
    for (const auto& [words, count] : m_left) left.push_back(fmt::format("{} {}", count, words));
    if (!left.empty()) say(fmt::format("Not shown: {}.", fmt::join(left, ", ")), "They have no duration.");
    if (m_unpaired > 0) {
      say(fmt::format("{} events begin without an end, or end without a beginning.", m_unpaired),
          "The former count until the last time that their thread tells, the latter not at all.");
    }
    if (m_overlaps > 0) {
      say(fmt::format("{} events end after the event of their thread in which they began.", m_overlaps),
          "Own times are too small there.");
    }
    if (m_wrongTimes > 0) {
      say(fmt::format("{} events have no start time, or a negative duration.", m_wrongTimes),
          "The former are left out, the latter count as 0.");
    }
  }

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  Run m_run;
  Interner m_names{m_run.names};
  Interner m_shapes{m_run.shapes};
  std::unordered_map<std::string, std::pair<std::string, std::uint32_t>, Hash, std::equal_to<>>
      m_shapesOfDims;
  TraceTracks m_tracks;
  std::vector<Slice> m_slices;
  std::vector<std::vector<Open>> m_open;  ///< by thread
  std::vector<std::int64_t> m_lastNs;     ///< by thread
  std::map<std::string_view, std::size_t> m_left;
  std::size_t m_unpaired = 0;
  std::size_t m_overlaps = 0;
  std::size_t m_wrongTimes = 0;
};

}  // namespace

Result<Document> readForeignTrace(std::string_view text, const TraceOutline& outline,
                                  std::string_view fileForMessages, const TraceLimits& limits) {
  ForeignTraceReader reader;
  OPSCOPE_TRY_ASSIGN(const TraceEnd end, readTraceEvents(text, outline, fileForMessages, limits, reader));
  return reader.finish(fileForMessages, end);
}

}  // namespace opscope::report
