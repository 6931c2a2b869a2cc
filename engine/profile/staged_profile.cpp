// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/staged_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "engine/base/clock.h"
#include "engine/code/kernel_tap.h"
#include "engine/profile/bare_repeats.h"
#include "engine/profile/collecting_recorder.h"
#include "engine/profile/compiled_calls.h"
#include "engine/profile/environment.h"
#include "engine/profile/lane_builder.h"
#include "engine/profile/memory_builder.h"
#include "engine/profile/memory_need.h"
#include "engine/profile/noise_rules.h"
#include "engine/profile/noise_watch.h"
#include "engine/profile/observer_scope.h"
#include "engine/profile/recorder.h"
#include "engine/profile/run_builder.h"
#include "engine/profile/run_facts.h"
#include "engine/profile/run_timeline.h"
#include "engine/profile/step_clocks.h"
#include "engine/report/sample_warnings.h"
#include "engine/runtime/lane_log.h"
#include "engine/runtime/memory_log.h"
#include "engine/runtime/run_context.h"

namespace opscope::profile {

class StagedProfile::Measuring {
 public:
  Measuring(vm::VirtualMachine& machine, const vm::ExecutableFile& file, const ProfileSettings& settings)
      : m_machine(machine),
        m_file(file),
        m_settings(settings),
        m_useCounter(base::tickCounterUsable()),
        m_recorder(file.data->instructions.size(), m_useCounter),
        m_collecting(settings.collectors.empty() ? nullptr
                                                 : std::make_unique<CollectingRecorder>(
                                                       m_recorder, settings.collectors, settings.device)),
        m_marks(m_recorder.records(), m_useCounter, m_collecting.get()),
        m_bare(settings.overhead, settings.repeats),
        m_noise(settings.systemRoot) {
    if (settings.recordMemory) {
      m_memoryLog = std::make_unique<runtime::MemoryLog>(m_useCounter);
    }
    if (settings.recordLanes) {
      m_laneLog = std::make_unique<runtime::LaneLog>(settings.threads, m_useCounter);
    }
  }

  base::Result<> begin() {
    base::measuredNsPerTick();  // measured now rather than at the end of a short run
    m_environment = readEnvironment();
    m_startedAt = utcNow();
    OPSCOPE_TRY(prepareCollectors());
    vm::CallObserver* const observer =
        m_collecting ? static_cast<vm::CallObserver*>(m_collecting.get()) : &m_recorder;
    m_scope.emplace(m_machine, observer, runtime::RuntimeLogs{m_memoryLog.get(), m_laneLog.get()});
    m_compiledCalls.emplace(m_machine, *observer);
    m_noise.begin();
    m_stageBeginNs = base::monotonicNs();
    return {};
  }

  Position position() const {
    const bool warming = m_warmupDone < m_settings.warmup;
    return {warming ? Stage::WarmUp : Stage::Measure, warming ? m_warmupDone : done(),
            m_isMeasuring || warming ? static_cast<double>(base::monotonicNs() - m_stageBeginNs) : 0,
            !m_barePartner && !m_bareBeforeRan};
  }

  base::Result<std::optional<RepeatKind>> beginRepeat() {
    if (m_warmupDone < m_settings.warmup) {
      if (m_warmupDone == 1) {  // what a repeat records is known: the rest of the warm-up may be for nothing
        m_recordsOfRepeat = m_recorder.records().size();
        OPSCOPE_TRY(checkMemoryNeed(m_settings.repeats, recordsOfRepeat(), availableBytes()));
      }
      beginWarmUp();
      return RepeatKind::WarmUp;
    }
    if (!m_isMeasuring) {
      beginMeasuring();
    }
    if (m_barePartner) {
      beginBare();
      return RepeatKind::Bare;
    }
    if (done() == m_settings.repeats) {
      return std::nullopt;
    }
    // Known after a warm-up, or else after the first repeat; what is available may have become less.
    if (done() == 0 ? m_settings.warmup > 0 : done() == 1 && m_settings.warmup == 0) {
      OPSCOPE_TRY(checkMemoryNeed(m_settings.repeats, recordsOfRepeat(), availableBytes()));
    }
    if (!m_bareBeforeRan && m_bare.runsBefore(done())) {
      m_barePartner = done();
      beginBare();
      return RepeatKind::Bare;
    }
    OPSCOPE_TRY(beginRecorded());
    return RepeatKind::Recorded;
  }

  StepMarks& marks() { return m_bareMarks ? static_cast<StepMarks&>(*m_bareMarks) : m_marks; }

  base::Result<> endRepeat(base::Result<> outcome) {
    if (m_bareMarks) {
      endBare(outcome.has_value());
    } else if (m_isMeasuring) {
      endRecorded(outcome.has_value());
    } else {
      m_marks.take();
      noteLogs(m_before);
      ++m_warmupDone;
    }
    return outcome;
  }

  Measurement finish(std::optional<base::Error> error) {
    m_error = std::move(error);
    Measurement result;
    result.run = snapshot();
    stopListening();
    result.error = std::move(m_error);
    return result;
  }

  std::optional<report::Run> snapshot() {
    if (m_isMeasuring) {
      m_last = base::readClockPoint(m_useCounter);
    }
    m_noise.end();
    m_compiled = m_compiledCalls->facts();
    return m_repeats.empty() ? std::nullopt : std::optional(makeRun());
  }

  void stepAside() { m_noise.stepAside(); }
  void comeBack() { m_noise.comeBack(); }

  /// Calls and times alone of the repeats from number `first` on.
  std::optional<report::Run> since(std::uint32_t first) {
    if (first >= done()) {
      return std::nullopt;
    }
    m_last = base::readClockPoint(m_useCounter);
    m_compiled = m_compiledCalls->facts();
    const std::vector<RepeatMarks> repeats(m_repeats.begin() + first, m_repeats.end());
    report::Run run = emptyRun();
    RunPlaces places;
    buildCalls(inputOf(repeats), run, places);
    return run;
  }

  report::RepeatTimes timesSince(std::uint32_t first, std::size_t mostRecords) {
    report::RepeatTimes times;
    if (first < done()) {
      const std::size_t most =
          std::max<std::size_t>(mostRecords / std::max<std::size_t>(m_recordsOfRepeat, 1), 1);
      const std::uint32_t opsFirst =
          done() - static_cast<std::uint32_t>(std::min<std::size_t>(most, done() - first));
      if (const std::optional<report::Run> run = since(opsFirst)) {
        times = report::repeatTimes(*run, 0, opsFirst);
      }
    }
    times.first = first;
    times.totalNs.clear();
    for (std::uint32_t repeat = first; repeat < done(); ++repeat) {
      times.totalNs.push_back(timeOf(m_repeats[repeat]));
    }
    return times;
  }

  base::Error noMemory() const {
    return {base::ErrorCode::OutOfMemory, "There is no memory for more records.",
            fmt::format("{} repeats with {} records were measured.", done(), m_firstRecord),
            "Measure fewer repeats, or close other programs."};
  }

 private:
  base::Result<> prepareCollectors() {
    for (MetricCollector* collector : m_settings.collectors) {
      OPSCOPE_TRY(collector->init({&m_settings.device, 1}));
    }
    if (m_collecting) {
      if (m_settings.context != nullptr) {
        m_settings.context->restartThreads();
      }
      m_collectingCostNs = m_collecting->measureCostNs();
    }
    return {};
  }

  void truncate(std::size_t firstRecord) {
    m_recorder.truncate(firstRecord);
    if (m_collecting) {
      m_collecting->truncate(firstRecord);
    }
  }

  std::uint32_t done() const { return static_cast<std::uint32_t>(m_repeats.size()); }

  void stopListening() {
    m_unheard.reset();
    m_compiledCalls.reset();
    m_scope.reset();
  }

  /// Warm-up runs with the recorder too: it learns the shapes, and how many records a repeat makes.
  void beginWarmUp() {
    truncate(0);
    m_before = reserveLogs();
  }

  void beginMeasuring() {
    m_recordsOfRepeat = m_recorder.records().size();
    truncate(0);
    m_first = base::readClockPoint(m_useCounter);
    m_stageBeginNs = base::monotonicNs();
    m_isMeasuring = true;
  }

  /// Beside a recorded repeat. Thunks in compiled functions stay and pass calls on.
  void beginBare() {
    m_unheard.emplace(nullptr);
    m_bareMarks.emplace(m_useCounter);
    m_scope->pause();
  }

  void endBare(bool complete) {
    m_scope->set();
    m_unheard.reset();
    const std::uint32_t partner = *std::exchange(m_barePartner, std::nullopt);
    m_bareBeforeRan = partner == done();
    if (complete) {
      m_bare.add(partner, m_bareMarks->ticks());
    }
    m_bareMarks.reset();
  }

  static double timeOf(const RepeatMarks& marks) {
    double ns = 0;
    for (const StepMark& mark : marks) {
      ns += static_cast<double>(mark.endTicks - mark.beginTicks) * base::measuredNsPerTick();
    }
    return ns;
  }

  base::Result<> beginRecorded() {
    m_firstRecord = m_recorder.records().size();
    try {
      m_recorder.forgetOpenCalls();
      m_recorder.reserve(m_recordsOfRepeat + m_recordsOfRepeat / 8);
      m_before = reserveLogs();
      m_repeats.reserve(m_repeats.size() + 1);
    } catch (const std::bad_alloc&) {
      return noMemory();
    }
    m_noise.beginRepeat();
    return {};
  }

  /// What an incomplete repeat has recorded is forgotten.
  void endRecorded(bool complete) {
    RepeatMarks marks = m_marks.take();
    if (!complete) {
      truncate(m_firstRecord);
      return;
    }
    m_noise.endRepeat();
    noteLogs(m_before);
    m_recordsOfRepeat = std::max(m_recordsOfRepeat, m_recorder.records().size() - m_firstRecord);
    m_repeats.push_back(std::move(marks));
    if (m_collecting) {
      m_collecting->endRepeat();
    }
    m_bareBeforeRan = false;
    const std::uint32_t index = done() - 1;
    if (index == 0) {
      m_bare.plan(timeOf(m_repeats.front()));
    }
    if (m_bare.runsAfter(index)) {
      m_barePartner = index;
    }
  }

  /// What the logs hold counts double: it is larger, and more of it is kept.
  std::uint64_t recordsOfRepeat() const {
    const std::size_t tasks =
        m_logsOfRepeat.lanes * static_cast<std::size_t>(std::max(m_settings.threads, 1));
    return m_recordsOfRepeat + 2 * (m_logsOfRepeat.memory + tasks);
  }

  struct LogSizes {
    std::size_t memory = 0;
    std::size_t lanes = 0;
  };

  LogSizes logSizes() const {
    return {m_memoryLog ? m_memoryLog->size() : 0, m_laneLog ? m_laneLog->mostTasks() : 0};
  }

  /// Room for as much as the largest repeat until now has written.
  LogSizes reserveLogs() {
    if (m_memoryLog) {
      m_memoryLog->reserve(m_logsOfRepeat.memory + m_logsOfRepeat.memory / 8);
    }
    if (m_laneLog) {
      m_laneLog->reserve(m_logsOfRepeat.lanes + m_logsOfRepeat.lanes / 8);
    }
    return logSizes();
  }

  void noteLogs(const LogSizes& before) {
    const LogSizes now = logSizes();
    m_logsOfRepeat.memory = std::max(m_logsOfRepeat.memory, now.memory - before.memory);
    m_logsOfRepeat.lanes = std::max(m_logsOfRepeat.lanes, now.lanes - before.lanes);
  }

  report::Run emptyRun() const {
    report::Run run;
    run.startedAt = m_startedAt;
    run.warmup = m_settings.warmup;
    run.repeatsWanted = m_settings.repeats;
    run.steps = m_settings.steps;
    return run;
  }

  BuildInput inputOf(const std::vector<RepeatMarks>& repeats) const {
    return {m_recorder.records(),
            m_recorder.shapes(),
            repeats,
            m_file,
            base::TickScale(m_first, m_last, base::measuredNsPerTick()),
            static_cast<std::uint32_t>(m_settings.steps.size()),
            m_settings.devices,
            &m_compiled.names};
  }

  report::Run makeRun() {
    report::Run run = emptyRun();
    if (m_error) {
      run.failure = m_error->code == base::ErrorCode::Cancelled ? "Stopped on request." : m_error->message;
    }
    const BuildInput input = inputOf(m_repeats);
    RunPlaces places;
    RunFindings findings;
    findings.tooShortSamples = buildCalls(input, run, places);
    addLogs(input, places, run);
    if (m_collecting) {
      m_collecting->addColumns(m_repeats, places, run);
    }
    findings.compiledMode = m_compiled.hasCompiledFunctions;
    findings.unmetCalls = m_compiled.unmet;
    run.timing = report::Timing{base::measuredNsPerTick(), measureRecordingCostNs(m_useCounter)};
    findings.callCostNs = run.timing->recordingNs;
    addOverhead(input.scale, run);
    run.noise = m_noise.grade(m_settings.threads, run);
    run.configuration.set("Executor", std::string("VM"));
    run.configuration.set("Number of threads", report::Count{m_settings.threads});
    run.configuration.set("Repeats", report::Count{run.repeats});
    run.configuration.set("Warm-up", report::Count{run.warmup});
    if (m_compiled.hasCompiledFunctions) {
      run.configuration.set("Compiled functions", "kernels met by " + m_compiled.way);
    }
    m_environment.governor = fmt::format("{}", fmt::join(m_noise.governors(), " and "));
    run.environment = environmentFacts(m_environment);
    std::ranges::move(
        runFacts(m_settings, {m_useCounter, run.timing->recordingNs, m_collectingCostNs, m_file.tvmVersion}),
        std::back_inserter(run.environment));
    std::ranges::move(findingFacts(run), std::back_inserter(run.environment));
    addWarnings(runWarnings(run, findings), run);
    addWarnings(report::sampleWarnings(run), run);
    addWarnings(environmentWarnings(m_environment, m_settings.threads), run);
    addWarnings(noiseWarnings(*run.noise), run);
    return run;
  }

  void addOverhead(const base::TickScale& scale, report::Run& run) const {
    report::Overhead& overhead = run.overhead.emplace();
    m_bare.fill(overhead, run.repeats, scale.nsPerTick());
    overhead.calls = static_cast<double>(run.ownNs.size()) / std::max(run.repeats, 1U);
  }

  void addLogs(const BuildInput& input, const RunPlaces& places, report::Run& run) const {
    if (!m_memoryLog && !m_laneLog) {
      return;
    }
    const RunTimeline timeline(input, places);
    if (m_memoryLog) {
      run.memory = buildMemory(*m_memoryLog, timeline, run);
    }
    if (m_laneLog) {
      run.lanes = buildLanes(*m_laneLog, timeline);
    }
  }

  static void addWarnings(std::vector<report::Warning> warnings, report::Run& run) {
    std::ranges::move(warnings, std::back_inserter(run.warnings));
  }

  vm::VirtualMachine& m_machine;
  const vm::ExecutableFile& m_file;
  const ProfileSettings& m_settings;
  bool m_useCounter;
  Recorder m_recorder;
  std::unique_ptr<CollectingRecorder> m_collecting;  // null without collectors
  double m_collectingCostNs = 0;
  Marks m_marks;
  BareRepeats m_bare;
  NoiseWatch m_noise;
  std::unique_ptr<runtime::MemoryLog> m_memoryLog;
  std::unique_ptr<runtime::LaneLog> m_laneLog;
  Environment m_environment;
  std::string m_startedAt;
  std::size_t m_recordsOfRepeat = 0;
  LogSizes m_logsOfRepeat;
  std::vector<RepeatMarks> m_repeats;
  base::ClockPoint m_first;
  base::ClockPoint m_last;
  CompiledFacts m_compiled;
  std::optional<base::Error> m_error;
  // The repeat at hand.
  bool m_isMeasuring = false;  // warm-up is over
  std::uint32_t m_warmupDone = 0;
  std::int64_t m_stageBeginNs = 0;
  LogSizes m_before;  // when it began
  std::size_t m_firstRecord = 0;
  std::optional<std::uint32_t> m_barePartner;  // the next repeat, or this one, is bare, beside this one
  bool m_bareBeforeRan = false;                // the bare one before the recorded one to come
  std::optional<BareMarks> m_bareMarks;
  // Removed in the order from last to first.
  std::optional<ObserverScope> m_scope;
  std::optional<CompiledCalls> m_compiledCalls;
  std::optional<code::KernelTapScope> m_unheard;
};

StagedProfile::StagedProfile(vm::VirtualMachine& machine, const vm::ExecutableFile& file,
                             const ProfileSettings& settings)
    : m_measuring(std::make_unique<Measuring>(machine, file, settings)) {}

StagedProfile::~StagedProfile() = default;

base::Result<> StagedProfile::begin() {
  return m_measuring->begin();
}
StagedProfile::Position StagedProfile::position() const {
  return m_measuring->position();
}
base::Result<std::optional<RepeatKind>> StagedProfile::beginRepeat() {
  return m_measuring->beginRepeat();
}
StepMarks& StagedProfile::marks() {
  return m_measuring->marks();
}
base::Result<> StagedProfile::endRepeat(base::Result<> outcome) {
  return m_measuring->endRepeat(std::move(outcome));
}
base::Result<> StagedProfile::runRepeat(const std::function<base::Result<>(StepMarks&)>& body) {
  base::Result<> outcome;
  try {
    outcome = body(marks());
  } catch (const std::bad_alloc&) {
    outcome = m_measuring->noMemory();
  }
  return endRepeat(std::move(outcome));
}
void StagedProfile::stepAside() {
  m_measuring->stepAside();
}
void StagedProfile::comeBack() {
  m_measuring->comeBack();
}
std::optional<report::Run> StagedProfile::snapshot() {
  return m_measuring->snapshot();
}
std::optional<report::Run> StagedProfile::since(std::uint32_t first) {
  return m_measuring->since(first);
}
report::RepeatTimes StagedProfile::timesSince(std::uint32_t first, std::size_t mostRecords) {
  return m_measuring->timesSince(first, mostRecords);
}
Measurement StagedProfile::finish(std::optional<base::Error> error) {
  return m_measuring->finish(std::move(error));
}

}  // namespace opscope::profile
