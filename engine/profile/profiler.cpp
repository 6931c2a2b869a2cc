// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <memory>
#include <new>

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
#include "engine/profile/recorder.h"
#include "engine/profile/run_builder.h"
#include "engine/profile/run_timeline.h"
#include "engine/profile/step_clocks.h"
#include "engine/report/sample_warnings.h"
#include "engine/runtime/lane_log.h"
#include "engine/runtime/memory_log.h"
#include "engine/runtime/run_context.h"
#include "opscope/version.h"

namespace opscope::profile {

namespace {

/// The machine's observer and logs are removed on every way out.
class ObserverScope {
 public:
  ObserverScope(vm::VirtualMachine& machine, vm::CallObserver* observer, const runtime::RuntimeLogs& logs)
      : m_machine(machine), m_observer(observer), m_logs(logs) {
    set();
  }
  void set() const {
    m_machine.setObserver(m_observer);
    m_machine.setLogs(m_logs);
  }
  /// Nothing is recorded but memory, whose story must have no gaps.
  void pause() const {
    m_machine.setObserver(nullptr);
    m_machine.setLogs({m_logs.memory, nullptr});
  }
  ~ObserverScope() {
    m_machine.setObserver(nullptr);
    m_machine.setLogs({});
  }
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  vm::VirtualMachine& m_machine;
  vm::CallObserver* m_observer;
  runtime::RuntimeLogs m_logs;
};

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

class Measuring {
 public:
  Measuring(vm::VirtualMachine& machine, const vm::ExecutableFile& file, const ProfileSettings& settings,
            const ProfileCallbacks& callbacks)
      : m_machine(machine),
        m_file(file),
        m_settings(settings),
        m_callbacks(callbacks),
        m_useCounter(base::tickCounterUsable()),
        m_recorder(file.data->instructions.size(), m_useCounter),
        m_collecting(settings.collectors.empty() ? nullptr
                                                 : std::make_unique<CollectingRecorder>(
                                                       m_recorder, settings.collectors, settings.device)),
        m_marks(m_recorder.records(), m_useCounter, m_collecting.get()),
        m_bare(settings.overhead, settings.repeats),
        m_reader(settings.systemRoot) {
    if (settings.recordMemory) {
      m_memoryLog = std::make_unique<runtime::MemoryLog>(m_useCounter);
    }
    if (settings.recordLanes) {
      m_laneLog = std::make_unique<runtime::LaneLog>(settings.threads, m_useCounter);
    }
  }

  Measurement measure() {
    base::measuredNsPerTick();  // measured now rather than at the end of a short run
    m_environment = readEnvironment();
    m_startedAt = utcNow();
    if (auto ready = prepareCollectors(); !ready) {
      return {std::nullopt, std::move(ready).error()};
    }
    {
      vm::CallObserver* const observer =
          m_collecting ? static_cast<vm::CallObserver*>(m_collecting.get()) : &m_recorder;
      const ObserverScope scope(m_machine, observer, {m_memoryLog.get(), m_laneLog.get()});
      const CompiledCalls compiled(m_machine, *observer);
      beginEvidence();
      if (auto done = warmUp(); !done) {
        return {std::nullopt, std::move(done).error()};
      }
      m_first = base::readClockPoint(m_useCounter);
      if (auto done = repeat(scope); !done) {
        m_error = std::move(done).error();
      }
      m_last = base::readClockPoint(m_useCounter);
      endEvidence();
      m_compiled = compiled.facts();
    }
    Measurement result;
    if (!m_repeats.empty()) {
      result.run = makeRun();
    }
    result.error = std::move(m_error);
    return result;
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

  void beginEvidence() {
    m_evidence.before = m_reader.read();
    m_evidence.threadBefore = readThreadUsage();
    m_evidence.processBefore = readProcessUsage();
    m_evidenceBeginNs = base::monotonicNs();
  }

  void endEvidence() {
    constexpr double kNsInS = 1e9;
    m_evidence.wallS = static_cast<double>(base::monotonicNs() - m_evidenceBeginNs) / kNsInS;
    m_evidence.processAfter = readProcessUsage();
    m_evidence.threadAfter = readThreadUsage();
    m_evidence.after = m_reader.read();
    m_evidence.repeats = &m_usages;
    m_evidence.threads = m_settings.threads;
  }

  void truncate(std::size_t firstRecord) {
    m_recorder.truncate(firstRecord);
    if (m_collecting) {
      m_collecting->truncate(firstRecord);
    }
  }

  /// Warm-up runs with the recorder too: it learns the shapes, and how many records a repeat makes.
  base::Result<> warmUp() {
    const std::int64_t begin = base::monotonicNs();
    for (std::uint32_t done = 0; done < m_settings.warmup; ++done) {
      tell(Stage::WarmUp, done, begin);
      OPSCOPE_TRY(checkStop());
      truncate(0);
      const LogSizes before = reserveLogs();
      OPSCOPE_TRY(m_callbacks.runRepeat(m_marks));
      m_marks.take();
      noteLogs(before);
    }
    m_recordsOfRepeat = m_recorder.records().size();
    truncate(0);
    return {};
  }

  base::Result<> repeat(const ObserverScope& scope) {
    const std::int64_t begin = base::monotonicNs();
    for (std::uint32_t done = 0; done < m_settings.repeats; ++done) {
      tell(Stage::Measure, done, begin);
      OPSCOPE_TRY(checkStop());
      // Known after the warm-up, or else after the first repeat.
      if (done == 0 ? m_settings.warmup > 0 : done == 1 && m_settings.warmup == 0) {
        OPSCOPE_TRY(checkMemoryNeed(m_settings.repeats, recordsOfRepeat(), availableBytes()));
      }
      if (m_bare.runsBefore(done)) {
        OPSCOPE_TRY(repeatBare(done, scope));
      }
      OPSCOPE_TRY(repeatOnce());
      if (done == 0) {
        m_bare.plan(timeOf(m_repeats.front()));
      }
      if (m_bare.runsAfter(done)) {
        OPSCOPE_TRY(repeatBare(done, scope));
      }
    }
    tell(Stage::Measure, m_settings.repeats, begin);
    return {};
  }

  /// Beside the recorded repeat `partner`. Thunks in compiled functions stay and pass calls on.
  base::Result<> repeatBare(std::uint32_t partner, const ObserverScope& scope) {
    const code::KernelTapScope unheard(nullptr);
    BareMarks marks(m_useCounter);
    scope.pause();
    const auto outcome = m_callbacks.runRepeat(marks);
    scope.set();
    if (outcome) {
      m_bare.add(partner, marks.ticks());
    }
    return outcome;
  }

  static double timeOf(const RepeatMarks& marks) {
    double ns = 0;
    for (const StepMark& mark : marks) {
      ns += static_cast<double>(mark.endTicks - mark.beginTicks) * base::measuredNsPerTick();
    }
    return ns;
  }

  /// What an incomplete repeat has recorded is forgotten.
  base::Result<> repeatOnce() {
    const std::size_t firstRecord = m_recorder.records().size();
    const std::size_t done = m_repeats.size();
    LogSizes before;
    base::Result<> outcome;
    try {
      m_recorder.forgetOpenCalls();
      m_recorder.reserve(m_recordsOfRepeat + m_recordsOfRepeat / 8);
      before = reserveLogs();
      m_repeats.emplace_back();
      m_usages.begin();
      outcome = m_callbacks.runRepeat(m_marks);
    } catch (const std::bad_alloc&) {
      outcome = base::Error{base::ErrorCode::OutOfMemory, "There is no memory for more records.",
                            fmt::format("{} repeats with {} records were measured.", done, firstRecord),
                            "Measure fewer repeats, or close other programs."};
    }
    RepeatMarks marks = m_marks.take();
    if (!outcome) {
      truncate(firstRecord);
      m_repeats.resize(done);
      return outcome;
    }
    m_usages.end();
    noteLogs(before);
    m_recordsOfRepeat = std::max(m_recordsOfRepeat, m_recorder.records().size() - firstRecord);
    m_repeats.back() = std::move(marks);
    if (m_collecting) {
      m_collecting->endRepeat();
    }
    return {};
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

  void tell(Stage stage, std::uint32_t done, std::int64_t beginNs) const {
    if (m_callbacks.progress) {
      m_callbacks.progress(stage, done, static_cast<double>(base::monotonicNs() - beginNs));
    }
  }

  base::Result<> checkStop() const {
    if (m_callbacks.stopRequested && m_callbacks.stopRequested()) {
      return base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""};
    }
    return {};
  }

  report::Run makeRun() {
    report::Run run;
    run.startedAt = m_startedAt;
    run.warmup = m_settings.warmup;
    run.repeatsWanted = m_settings.repeats;
    run.steps = m_settings.steps;
    if (m_error) {
      run.failure = m_error->code == base::ErrorCode::Cancelled ? "Stopped on request." : m_error->message;
    }
    const BuildInput input{m_recorder.records(),
                           m_recorder.shapes(),
                           m_repeats,
                           m_file,
                           base::TickScale(m_first, m_last, base::measuredNsPerTick()),
                           static_cast<std::uint32_t>(m_settings.steps.size()),
                           m_settings.devices,
                           &m_compiled.names};
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
    run.noise = gradeNoise(noiseReadings(m_evidence, run));
    run.configuration.set("Executor", std::string("VM"));
    run.configuration.set("Number of threads", report::Count{m_settings.threads});
    run.configuration.set("Repeats", report::Count{run.repeats});
    run.configuration.set("Warm-up", report::Count{run.warmup});
    if (m_compiled.hasCompiledFunctions) {
      run.configuration.set("Compiled functions", "kernels met by " + m_compiled.way);
    }
    run.environment = environmentFacts(m_environment);
    addRunFacts(run.timing->recordingNs, run.environment);
    addFindings(run);
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

  static void addFindings(report::Run& run) {
    if (run.noise) {
      run.environment.push_back({"Noise grade", report::noiseWords(*run.noise)});
    }
    if (const std::string words = report::overheadWords(run); !words.empty()) {
      run.environment.push_back({"Profiling", words});
    }
    if (const std::string words = report::vmShareWords(run); !words.empty()) {
      run.environment.push_back({"Outside of kernels", words});
    }
  }

  void addRunFacts(double recordingNs, std::vector<report::Fact>& facts) const {
    const runtime::RuntimeOptions& options = m_settings.runtime;
    facts.push_back({"Threads", std::to_string(m_settings.threads)});
    facts.push_back({"Threads pinned", options.pin ? "yes" : "no"});
    facts.push_back({"Threads spin", fmt::format("{} µs", options.spinUs)});
    facts.push_back({"Allocator", options.allocator == runtime::AllocatorKind::Pooled ? "pooled" : "naive"});
    facts.push_back({"Timer", fmt::format("{}, {:.2f} ns a tick", base::tickClockName(m_useCounter),
                                          base::measuredNsPerTick())});
    facts.push_back({"Recording", fmt::format("adds about {:.0f} ns to a call", recordingNs)});
    if (m_laneLog) {
      facts.push_back({"Recording of lanes", fmt::format("adds about {:.0f} ns to a task of a parallel part",
                                                         runtime::measureLaneCostNs(m_useCounter))});
    }
    if (m_collecting) {
      std::vector<std::string> names;
      for (const MetricCollector* collector : m_settings.collectors) {
        names.push_back(collector->name());
      }
      facts.push_back(
          {"Collectors", fmt::format("{}; about {:.0f} ns a call, in the time of what encloses it",
                                     fmt::join(names, ", "), m_collectingCostNs)});
    }
    facts.push_back({"Opscope", OPSCOPE_VERSION});
    if (!m_file.tvmVersion.empty()) {
      facts.push_back({"Compiled by TVM", m_file.tvmVersion});
    }
  }

  vm::VirtualMachine& m_machine;
  const vm::ExecutableFile& m_file;
  const ProfileSettings& m_settings;
  const ProfileCallbacks& m_callbacks;
  bool m_useCounter;
  Recorder m_recorder;
  std::unique_ptr<CollectingRecorder> m_collecting;  // null without collectors
  double m_collectingCostNs = 0;
  Marks m_marks;
  BareRepeats m_bare;
  MachineReader m_reader;
  RepeatUsages m_usages;
  NoiseEvidence m_evidence;
  std::int64_t m_evidenceBeginNs = 0;
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
};

}  // namespace

Measurement profile(vm::VirtualMachine& machine, const vm::ExecutableFile& file,
                    const ProfileSettings& settings, const ProfileCallbacks& callbacks) {
  return Measuring(machine, file, settings, callbacks).measure();
}

}  // namespace opscope::profile
