// SPDX-License-Identifier: Apache-2.0
#include "engine/session/request_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

#include "engine/arrays/npz.h"
#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/profile/collectors.h"
#include "engine/profile/profiler.h"
#include "engine/report/run_report.h"
#include "engine/runtime/device_providers.h"
#include "engine/runtime/elf_image.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/library.h"
#include "engine/runtime/run_context.h"
#include "engine/session/call_sequence.h"
#include "engine/session/device_modules.h"
#include "engine/session/isolated_server.h"
#include "engine/session/outputs.h"
#include "engine/session/profile_preparation.h"
#include "engine/session/run_device.h"
#include "engine/session/run_watch.h"
#include "engine/session/states.h"
#include "engine/vm/stateful_machine.h"

namespace opscope::session {

namespace {

base::Error stopped() {
  return {base::ErrorCode::Cancelled, "Stopped.", "", ""};
}

/// Sums the time of the steps.
class StepStopwatch final : public profile::StepMarks {
 public:
  void beginStep(std::uint32_t /*step*/) override { m_begin = base::monotonicNs(); }
  void endStep() override { m_totalNs += static_cast<double>(base::monotonicNs() - m_begin); }
  double totalNs() const { return m_totalNs; }

 private:
  std::int64_t m_begin = 0;
  double m_totalNs = 0;
};

}  // namespace

RequestRunner::RequestRunner(Emit emit, StopControl& stop, FunctionChoice choice)
    : m_emit(std::move(emit)), m_stop(stop), m_choice(choice) {}

RequestRunner::~RequestRunner() {
  dropMachine();
}

void RequestRunner::setState(State state) {
  if (state == m_state) {
    return;
  }
  if (!mayFollow(m_state, state)) {
    base::log(base::LogLevel::Error,
              fmt::format("session: {} does not follow {}", stateName(state), stateName(m_state)));
  }
  m_state = state;
  base::log(base::LogLevel::Info, fmt::format("session: {}", stateName(state)));
  m_emit(StateChanged{state});
}

template <class Body>
void RequestRunner::runRequest(Body&& body) {
  m_faultyInput.clear();
  m_kept.clear();
  m_processEnd.reset();
  auto done = runtime::guarded(base::ErrorCode::Internal, "The session", std::forward<Body>(body));
  if (!done) {
    finishWithError(std::move(done).error());
  }
}

void RequestRunner::finishWithError(base::Error error) {
  if (error.code == base::ErrorCode::Cancelled) {
    setState(State::Stopping);
    m_emit(RequestCancelled{std::move(m_kept)});
    setState(m_opened ? State::Ready : State::Idle);
    return;
  }
  if (!m_kept.empty()) {
    error.detail += (error.detail.empty() ? "" : "\n") + m_kept;
  }
  m_emit(RequestFailed{explained(std::move(error)), {}, std::move(m_faultyInput)});
  setState(State::Failed);
}

/// Words of the process that an isolated request runs in, where that is what failed.
base::Error RequestRunner::explained(base::Error error) {
  if (error.code != base::ErrorCode::ConnectionLost && error.code != base::ErrorCode::Timeout) {
    return error;
  }
  if (!m_processEnd && m_isolated != nullptr) {
    m_processEnd = m_isolated->explain(error);
  }
  return m_processEnd ? *m_processEnd : error;
}

base::Result<> RequestRunner::checkChoice(const CallPlan& plan) {
  if (m_choice == FunctionChoice::FirstPublic || !plan.function.empty() || !plan.scenarioFile.empty()) {
    return {};
  }
  auto checked = checkHasDefault(*m_opened->info);
  m_faultyInput = checked ? "" : kFunctionInput;
  return checked;
}

base::Result<> RequestRunner::checkStop() const {
  return m_stop.requested() ? base::Result<>(stopped()) : base::Result<>();
}

void RequestRunner::dropMachine() {
  m_machine.reset();
  m_context.reset();
  m_machineKey.reset();
}

void RequestRunner::handle(const OpenRequest& request) {
  runRequest([&]() -> base::Result<> {
    OPSCOPE_TRY(open(request.path));
    setState(State::Ready);
    return {};
  });
}

void RequestRunner::handle(const RunRequest& request) {
  runRequest([&] { return run(request); });
}

void RequestRunner::handle(const ProfileRequest& request) {
  runRequest([&] { return profile(request); });
}

void RequestRunner::handle(const DivergeRequest& request) {
  runRequest([&] { return diverge(request); });
}

void RequestRunner::handle(const SweepRequest& request) {
  runRequest([&] { return sweep(request); });
}

void RequestRunner::handle(const TimeRequest& request) {
  runRequest([&] { return time(request); });
}

base::Result<> RequestRunner::open(const std::string& path) {
  setState(State::Opening);
  // What was open before goes first: a failed open must not leave another file's machine behind.
  dropMachine();
  m_opened.reset();
  m_bytesSpent = false;
  OPSCOPE_TRY_ASSIGN(m_opened, openExecutable(path));
  m_emit(ExecutableOpened{m_opened->info});
  return checkStop();
}

base::Result<> RequestRunner::ensureOpen(const std::string& path) {
  if (m_opened && m_opened->path == path && fileStateOf(*m_opened) != FileState::Changed) {
    return {};  // a file that is gone is run from the copy in memory; its run says so
  }
  return open(path);
}

base::Result<> RequestRunner::loadPlugins(const RunSettings& settings) {
  for (const std::string& path : settings.plugins) {
    if (!m_plugins.contains(path)) {
      OPSCOPE_TRY_ASSIGN(const runtime::Plugin plugin, runtime::loadPlugin(path));
      base::log(base::LogLevel::Info, fmt::format("{} brings {} functions", path, plugin.functions.size()));
      m_plugins.insert(path);
    }
  }
  return {};
}

base::Result<> RequestRunner::ensureMachine(const RunSettings& settings) {
  const runtime::RuntimeOptions& options = settings.runtime;
  const MachineKey key{settings.device, options.threads,   options.pin,
                       options.spinUs,  options.allocator, m_plugins.size()};
  if (m_machine && m_machineKey == key) {
    return {};
  }
  dropMachine();
  OPSCOPE_TRY_ASSIGN(const DLDevice device, deviceOf(settings));
  vm::VirtualMachine::Options machineOptions;
  machineOptions.devices = {device};
  machineOptions.allocator = options.allocator;
  m_context = std::make_unique<runtime::RunContext>(options);
  m_bytesSpent = true;
  OPSCOPE_TRY_ASSIGN(m_machine, vm::StatefulMachine::create(m_opened->file, machineOptions, *m_context));
  m_machineKey = key;
  return {};
}

base::Result<CallSequence> RequestRunner::prepare(const std::string& path, const CallPlan& plan,
                                                  const RunSettings& settings,
                                                  const std::string& outputsFile) {
  OPSCOPE_TRY(ensureOpen(path));
  setState(State::Preparing);
  if (!outputsFile.empty()) {
    OPSCOPE_TRY(base::checkWritable(outputsFile));
  }
  return prepareOpened(path, plan, settings);
}

base::Result<CallSequence> RequestRunner::prepareOpened(const std::string& path, const CallPlan& plan,
                                                        const RunSettings& settings) {
  setState(State::Preparing);
  OPSCOPE_TRY(checkChoice(plan));
  OPSCOPE_TRY(runtime::checkRunsHere(path, m_opened->info->architecture));
  OPSCOPE_TRY(deviceOf(settings));
  OPSCOPE_TRY(loadPlugins(settings));
  OPSCOPE_TRY(checkDevicesOf(path, *m_opened->info));  // a plugin may bring what loads such kernels
  OPSCOPE_TRY(checkStop());
  OPSCOPE_TRY_ASSIGN(CallSequence sequence, CallSequence::prepare(plan, *m_opened->info, &m_faultyInput));
  OPSCOPE_TRY(checkStop());
  OPSCOPE_TRY(ensureMachine(settings));
  OPSCOPE_TRY(checkStop());
  return sequence;
}

base::Result<> RequestRunner::run(const RunRequest& request) {
  if (isRemote(request.settings)) {
    return runRemote(request);
  }
  OPSCOPE_TRY_ASSIGN(CallSequence sequence,
                     prepare(request.path, request.plan, request.settings, request.outputsFile));
  if (!request.dumpFile.empty()) {
    OPSCOPE_TRY(base::checkWritable(request.dumpFile));
  }
  setState(State::Measuring);
  if (!request.dumpFile.empty() || request.checkFinite) {
    return runWatched(request, sequence);
  }
  StepStopwatch stopwatch;
  {
    const StopControl::Attachment attachment(m_stop, *m_machine);
    OPSCOPE_TRY(sequence.runOnce(*m_machine, &stopwatch));
  }
  RunFinished finished;
  finished.durationNs = stopwatch.totalNs();
  OPSCOPE_TRY_ASSIGN(Outputs outputs, sequence.outputs());
  sequence.release();
  return finishRun(request, std::move(finished), std::move(outputs));
}

base::Result<> RequestRunner::runWatched(const RunRequest& request, CallSequence& sequence) {
  OPSCOPE_TRY_ASSIGN(const std::unique_ptr<RunWatch> watch, RunWatch::create(request, sequence));
  base::Result<> ran;
  {
    const StopControl::Attachment attachment(m_stop, *m_machine);
    ran = watch->run(*m_machine);
  }
  RunFinished finished;
  const bool hasOutputs = ran.has_value();
  OPSCOPE_TRY(watch->conclude(std::move(ran), finished, m_kept));
  Outputs outputs;
  if (hasOutputs) {
    OPSCOPE_TRY_ASSIGN(outputs, sequence.outputs());
    sequence.release();
  }
  return finishRun(request, std::move(finished), std::move(outputs));
}

/// A run that the check found something in has no results.
base::Result<> RequestRunner::finishRun(const RunRequest& request, RunFinished finished, Outputs outputs) {
  setState(State::Finishing);
  if (!finished.finite || finished.finite->holds()) {
    if (!request.outputsFile.empty()) {
      OPSCOPE_TRY(arrays::writeNpz(request.outputsFile, outputs.arrays));
    }
    finished.outputs = std::move(outputs.summaries);
    if (request.returnsArchive) {
      OPSCOPE_TRY_ASSIGN(finished.archive, arrays::npzContent(outputs.arrays));
    }
  }
  m_emit(std::move(finished));
  setState(State::Ready);
  return {};
}

void RequestRunner::tellProgress(State state, std::uint32_t done, double elapsedNs,
                                 std::optional<std::uint64_t> kept) {
  setState(state);
  if (auto progress = m_progress.update(state, done, elapsedNs, base::monotonicNs())) {
    base::log(base::LogLevel::Debug,
              fmt::format("session: {}, {} of {}", stateName(state), progress->done, progress->total));
    progress->kept = kept;
    m_emit(*progress);
  }
}

base::Result<RequestRunner::MeasuredProfile> RequestRunner::measure(const ProfileRequest& request) {
  if (isRemote(request.settings)) {
    return measureRemote(request);
  }
  OPSCOPE_TRY_ASSIGN(CallSequence sequence, prepare(request.path, request.plan, request.settings, {}));
  OPSCOPE_TRY_ASSIGN(const DLDevice device, deviceOf(request.settings));
  profile::ProfileSettings settings = profileSettings(request, sequence, device, *m_context);
  std::vector<std::unique_ptr<profile::MetricCollector>> collectors;
  for (const std::string& text : request.collectors) {
    OPSCOPE_TRY_ASSIGN(collectors.emplace_back(), profile::makeCollector(text));
    settings.collectors.push_back(collectors.back().get());
  }

  profile::ProfileCallbacks callbacks;
  callbacks.runRepeat = [&](profile::StepMarks& marks) { return sequence.runOnce(*m_machine, &marks); };
  callbacks.stopRequested = [this] { return m_stop.requested(); };
  callbacks.progress = [this](profile::Stage stage, std::uint32_t done, double elapsedNs) {
    tellProgress(stage == profile::Stage::WarmUp ? State::WarmingUp : State::Measuring, done, elapsedNs);
  };
  if (request.tellsRepeats) {
    callbacks.measured = [this](report::RepeatTimes times) { m_emit(RepeatsMeasured{std::move(times)}); };
  }
  m_progress.start(request.warmup, request.repeats);
  profile::Measurement measured;
  {
    const StopControl::Attachment attachment(m_stop, *m_machine);
    measured = profile::profile(*m_machine, m_opened->file, settings, callbacks);
  }
  sequence.release();
  if (!measured.run) {
    return measured.error ? std::move(*measured.error) : stopped();
  }
  if (!request.settings.plugins.empty()) {
    measured.run->environment.push_back(
        {"Plugins", fmt::format("{}", fmt::join(request.settings.plugins, ", "))});
  }
  return measuredProfile(sequence, std::move(measured));
}

RequestRunner::MeasuredProfile RequestRunner::measuredProfile(const CallSequence& sequence,
                                                              profile::Measurement measured) const {
  sequence.describe(*measured.run);
  return {documentOf(std::move(*measured.run)), std::move(measured.error)};
}

report::Document RequestRunner::documentOf(report::Run run) const {
  run.executablePath = m_opened->path;
  run.executableHash = m_opened->info->hash;
  if (fileStateOf(*m_opened) == FileState::Gone) {
    run.warnings.push_back({fmt::format("{} is no longer there.", m_opened->path),
                            "What was measured is the copy that was opened."});
  }
  return report::makeDocument(std::make_shared<const report::Run>(std::move(run)));
}

base::Result<> RequestRunner::profile(const ProfileRequest& request) {
  OPSCOPE_TRY_ASSIGN(MeasuredProfile measured, measure(request));
  if (measured.error && measured.error->code != base::ErrorCode::Cancelled) {
    m_emit(RequestFailed{std::move(*measured.error), std::move(measured.document), {}});
    setState(State::Failed);
    return {};
  }
  if (measured.error) {
    setState(State::Stopping);
  }
  setState(State::Finishing);
  m_emit(ProfileFinished{std::move(measured.document)});
  setState(State::Ready);
  return {};
}

}  // namespace opscope::session
