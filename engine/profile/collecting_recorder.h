// SPDX-License-Identifier: Apache-2.0
// The recorder with metric collectors around it: the observer that is set instead when there are some, so
// that without any the recorder stays as quick as it is. Threads as Recorder; the collectors are the
// caller's. Behaviour: seed 004, Profiler::StartCall and StopCall: collectors begin before the clock and end
// after it, for calls with a tensor among their arguments, told with the device of the last one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/profile/metric_collector.h"
#include "engine/profile/recorder.h"
#include "engine/profile/run_builder.h"
#include "engine/report/run.h"
#include "engine/vm/call_observer.h"

namespace opscope::profile {

class CollectingRecorder final : public vm::CallObserver {
 public:
  /// `device` is what steps, the totals, are told with.
  CollectingRecorder(Recorder& recorder, std::vector<MetricCollector*> collectors, DLDevice device);
  ~CollectingRecorder() override;

  void beginCall(const vm::CallSite& site, const TVMFFIAny* args, std::int32_t count) override;
  void endCall(const vm::CallSite& site, const TVMFFIAny& result) override;

  /// Around each step of a repeat: before its first call, after its last.
  void beginStep();
  void endStep();

  /// Closes what failed calls left open, and forgets values of records from `from` on and of the repeat's
  /// totals. After a repeat that did not complete, and when warm-up is over.
  void truncate(std::size_t from);
  /// The repeat is complete: its totals are kept.
  void endRepeat();

  /// Makes the columns of `run` from what was collected; its calls and samples are there already.
  void addColumns(const std::vector<RepeatMarks>& repeats, const RunPlaces& places, report::Run& run) const;

  /// Nanoseconds that the collectors take to start and stop once, measured over a few hundred tries.
  double measureCostNs();

 private:
  using Values = std::vector<double>;  ///< by column; NaN: not told

  struct Frame {
    std::size_t record = 0;
    std::uint32_t instruction = 0;
    std::uint32_t depth = 0;
    std::vector<std::unique_ptr<StartedMetrics>> started;  ///< by collector, null where it tells nothing
    Values callees;                                        ///< sums of what they were told
  };
  struct Column {
    std::string name;  ///< as the collector names it
    std::string unit;
    report::CounterColumn::Kind kind = report::CounterColumn::Kind::Count;
    std::unordered_map<std::string, std::size_t> positions;  ///< of a Text: those that it told
  };
  struct Collected {
    std::size_t record = 0;
    std::uint32_t column = 0;
    double value = 0;
  };

  void start(Frame& frame, DLDevice device);
  /// What the collectors tell of the frame, callees included.
  Values stop(Frame& frame);
  void note(Values& values, const std::string& name, const report::Metric& metric,
            const MetricCollector& collector);
  std::optional<std::uint32_t> columnOf(const std::string& name, std::size_t kind,
                                        const MetricCollector& collector);
  /// Of a text in its column; NaN for one that is left out.
  double positionOf(const std::string& text, Column& column);
  void problem(std::string message, std::string hint);
  void closeFrames();

  Recorder& m_recorder;
  std::vector<MetricCollector*> m_collectors;
  DLDevice m_device;
  std::vector<Frame> m_frames;  ///< of open calls, innermost last
  std::optional<Frame> m_step;
  std::vector<Column> m_columns;
  std::vector<Collected> m_values;  ///< in order of records' ends
  std::vector<Values> m_repeats;    ///< totals of complete repeats
  std::vector<Values> m_steps;      ///< totals of the steps of the repeat that goes on
  std::vector<report::Warning> m_problems;
};

}  // namespace opscope::profile
