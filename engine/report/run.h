// SPDX-License-Identifier: Apache-2.0
// What one profiled run measured: every call with its samples over the repeats, the totals, the trace, and
// how it was measured. Built by engine/profile (or from a file), then immutable and shared as
// shared_ptr<const Run>.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/index.h"
#include "engine/report/lanes.h"
#include "engine/report/memory.h"
#include "engine/report/noise_grade.h"
#include "engine/report/overhead.h"
#include "engine/report/report_source.h"
#include "engine/report/traffic.h"

namespace opscope::report {

/// One call of one repeat, with its samples of all repeats. A call of the next repeat at the same position
/// with the same name is the same Call (decisions: Repeats).
struct Call {
  std::uint32_t name = 0;  ///< index into Run::names
  std::uint32_t shapes =
      kNone;  ///< index into Run::shapes (argument shapes as text), kNone: no tensor argument
  std::uint32_t device = kNone;   ///< index into Run::devices
  std::uint32_t instruction = 0;  ///< index of the instruction in the executable
  std::uint32_t depth = 0;        ///< VM frames around the call
  std::uint32_t step = 0;         ///< index into Run::steps
  std::uint64_t firstSample =
      0;  ///< samples are [firstSample, firstSample + sampleCount) of Run::ownNs and others
  std::uint32_t sampleCount = 0;  ///< repeats in which the call was made
  bool inReport = false;          ///< TVM's report lists it: a tensor stood among its arguments
  bool kernel = false;            ///< calls a kernel of the library (not vm.builtin.*, not a VM function)
  bool operator==(const Call&) const = default;
};

/// One call of one repeat on the time axis.
struct Span {
  double startNs = 0;      ///< since the start of its repeat
  double durationNs = 0;   ///< inclusive
  std::uint32_t call = 0;  ///< index into Run::calls
  std::uint32_t repeat = 0;
  bool operator==(const Span&) const = default;
};

/// Total time of each repeat on one device.
struct DeviceTotal {
  std::string device;           ///< "cpu0"
  std::vector<double> totalNs;  ///< one value a repeat
  bool operator==(const DeviceTotal&) const = default;
};

/// What a metric collector told of the calls, one number a sample: a column of the report.
struct CounterColumn {
  /// How it adds up over calls, and which kind of Metric the report makes of it. Count and Duration are own
  /// values as times are (without the callees'), Ratio, Percent and Text stay as the collector told them.
  enum class Kind { Count, Ratio, Duration, Percent, Text };
  std::string name;  ///< the column's title: "Cache misses"
  std::string unit;  ///< in words, may be empty; a Duration is in microseconds
  Kind kind = Kind::Count;
  /// Parallel to Run::ownNs; NaN where the collector told nothing. A Text's are positions in `texts`.
  std::vector<double> values;
  std::vector<double> totals;      ///< one value a repeat, of the first device; NaN as above; empty: not told
  std::vector<std::string> texts;  ///< that a Text has told, each once; of other kinds empty
  bool operator==(const CounterColumn& other) const;  ///< what is not told equals itself
};

/// What the clock and the recording of calls can resolve.
struct Timing {
  double tickNs = 0;       ///< of the clock
  double recordingNs = 0;  ///< what recording adds to a call
  bool operator==(const Timing&) const = default;
};

/// A fact of the machine or the run, told in Summary and in files: "CPU" = "AMD EPYC".
struct Fact {
  std::string name;
  std::string value;
  bool operator==(const Fact&) const = default;
};

/// Something the reader should know about these numbers, in words.
struct Warning {
  std::string message;
  std::string hint;
  bool operator==(const Warning&) const = default;
};

/// Of a run on another computer.
struct RemoteFacts {
  std::string way;          ///< "recorder", "probe", "probe-slots", "tvm-profiler", "kernels"
  std::string words;        ///< the same for people, one sentence
  std::vector<Fact> board;  ///< "Board" = "10.0.0.7:9090", "Server" = "TVM 0.22 or later"
  bool operator==(const RemoteFacts&) const = default;
};

struct Run {
  // What was run.
  std::string executablePath;
  std::string executableHash;  ///< XXH3-128 of the file, hexadecimal; empty for an imported report
  std::string function;        ///< entry function, or the scenario's file name
  std::string target = "local";
  std::string startedAt;  ///< ISO 8601 in UTC
  std::string inputs;     ///< in words: "x float32 [1, 3, 224, 224] random:0"
  std::uint32_t warmup = 0;
  std::uint32_t repeatsWanted = 0;
  std::uint32_t repeats = 0;  ///< complete ones; fewer than wanted when the run was stopped or failed
  bool hasStartTimes = true;  ///< false: imported from a report that holds durations only
  std::string failure;        ///< why the run ended early, in words; empty when complete

  // Interned texts that calls point to.
  std::vector<std::string> names;
  std::vector<std::string> shapes;
  std::vector<std::string> devices;
  std::vector<std::string> steps;  ///< at least one; a scenario's steps by name

  // What was measured.
  std::vector<Call> calls;                  ///< in order of execution
  std::vector<double> ownNs;                ///< own time: without the callees that are calls themselves
  std::vector<double> inclusiveNs;          ///< parallel to ownNs
  std::vector<std::uint32_t> sampleRepeat;  ///< parallel to ownNs: the repeat of each sample
  std::vector<Span> spans;                  ///< sorted by repeat, then start
  std::vector<DeviceTotal> totals;          ///< at least one when repeats > 0
  std::vector<std::vector<double>> stepNs;  ///< [step][repeat], empty with a single step
  std::vector<CounterColumn> counters;      ///< of metric collectors, names differ; empty without any
  std::optional<MemoryTrack> memory;        ///< when it was asked for
  std::optional<LaneTrack> lanes;           ///< when it was asked for
  std::optional<TrafficTrack> traffic;      ///< what went over the wire; not for local runs

  // How it was measured.
  MetricMap configuration;            ///< of the report: Executor, Number of threads, Repeats, Warm-up
  std::optional<Timing> timing;       ///< when it is known
  std::optional<Overhead> overhead;   ///< what profiling added; not for imported reports
  std::optional<NoiseGrade> noise;    ///< how far to trust the numbers; as above
  std::optional<RemoteFacts> remote;  ///< where and in which way; not for local runs
  std::vector<Fact> environment;
  std::vector<Warning> warnings;
  bool operator==(const Run&) const = default;
};

/// A run with the TVM report made from it, or a report read from a file with the run made from that.
struct Document {
  std::shared_ptr<const Run> run;
  ReportSource report;                     ///< == nullptr: none
  std::vector<std::uint32_t> reportCalls;  ///< reportCalls[i] is the index in run->calls of report->calls[i]
};

}  // namespace opscope::report
