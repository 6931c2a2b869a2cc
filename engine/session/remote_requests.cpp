// SPDX-License-Identifier: Apache-2.0
// The part of RequestRunner that works on boards.
#include <fmt/format.h>

#include "engine/arrays/npz.h"
#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/profile/shape_table.h"
#include "engine/session/remote_capture.h"
#include "engine/session/remote_profile.h"
#include "engine/session/remote_stop.h"
#include "engine/session/remote_timing.h"
#include "engine/session/request_runner.h"
#include "engine/session/run_device.h"
#include "engine/session/secret_file.h"
#include "engine/session/targets.h"

namespace opscope::session {

namespace {

base::Error unsupported(std::string what, std::string hint) {
  return {base::ErrorCode::Unsupported, std::move(what), "", std::move(hint)};
}

}  // namespace

/// A session on a board for one request, and the stop that may end it. The stop is the last to be made and
/// the first to go.
struct RequestRunner::BoardSession {
  explicit BoardSession(StopControl& control) : stop(control) {}
  ~BoardSession() { stop.watch(nullptr); }
  RemoteStop stop;
  std::unique_ptr<RemoteBoard> board;
};

base::Result<std::unique_ptr<RequestRunner::BoardSession>> RequestRunner::openBoard(
    const RunSettings& settings) {
  OPSCOPE_TRY_ASSIGN(const Target target, parseTarget(settings.target));
  BoardOptions options;
  options.timeoutSeconds = settings.timeoutSeconds;
  OPSCOPE_TRY_ASSIGN(options.secret, readSecretFile(settings.secretFile));
  auto session = std::make_unique<BoardSession>(m_stop);
  options.stop = session->stop.token();
  options.waiting = [this](const std::string& words) { m_emit(BoardWaiting{words}); };
  OPSCOPE_TRY_ASSIGN(session->board, RemoteBoard::open(target, options));
  session->stop.watch(&session->board->client());
  base::log(base::LogLevel::Info,
            fmt::format("session: {} is {}", session->board->client().peer(), session->board->serverWords()));
  OPSCOPE_TRY(checkStop());
  return session;
}

base::Result<CallSequence> RequestRunner::prepareRemote(const std::string& path, const CallPlan& plan,
                                                        const RunSettings& settings) {
  OPSCOPE_TRY(ensureOpen(path));
  if (m_bytesSpent) {
    OPSCOPE_TRY(open(path));  // the board gets the file as it is on disk
  }
  setState(State::Preparing);
  if (!settings.plugins.empty()) {
    return unsupported("Plugins cannot be used on a board.",
                       "Give them to the program that serves the board, or run locally.");
  }
  OPSCOPE_TRY(remoteDeviceOf(settings));
  return CallSequence::prepare(plan, *m_opened->info, &m_faultyInput);
}

rpc::Progress RequestRunner::uploadProgress() {
  return [this, last = std::int64_t{0}](std::uint64_t done, std::uint64_t total) mutable {
    const std::int64_t now = base::monotonicNs();
    if (now - last >= ProgressMeter::kPauseNs || done == total) {
      last = now;
      m_emit(Progress{State::Preparing, done, total, -1});
    }
  };
}

base::Result<> RequestRunner::runRemote(const RunRequest& request) {
  if (!request.outputsFile.empty()) {
    OPSCOPE_TRY(base::checkWritable(request.outputsFile));
  }
  OPSCOPE_TRY_ASSIGN(const CallSequence sequence,
                     prepareRemote(request.path, request.plan, request.settings));
  if (!request.dumpFile.empty() || request.checkFinite) {
    return unsupported("Tensors of calls cannot be looked at on a board.",
                       "Leave out --dump and --check-finite, or run locally.");
  }
  OPSCOPE_TRY_ASSIGN(const auto session, openBoard(request.settings));
  RunFinished finished;
  Outputs outputs;
  {
    OPSCOPE_TRY_ASSIGN(const auto program, RemoteProgram::load(*session->board, *m_opened, request.settings,
                                                               RemoteMachine::kPlain, uploadProgress()));
    OPSCOPE_TRY_ASSIGN(const auto remote, RemoteSequence::prepare(*program, sequence));
    OPSCOPE_TRY(checkStop());
    setState(State::Measuring);
    PlainDriver driver(session->board->client());
    OPSCOPE_TRY(remote->runOnce(driver));
    finished.durationNs = driver.totalNs();
    setState(State::Finishing);
    OPSCOPE_TRY_ASSIGN(outputs, remote->outputs());
  }
  if (!request.outputsFile.empty()) {
    OPSCOPE_TRY(arrays::writeNpz(request.outputsFile, outputs.arrays));
  }
  finished.outputs = std::move(outputs.summaries);
  if (request.returnsArchive) {
    OPSCOPE_TRY_ASSIGN(finished.archive, arrays::npzContent(outputs.arrays));
  }
  m_emit(std::move(finished));
  setState(State::Ready);
  return {};
}

base::Result<RequestRunner::MeasuredProfile> RequestRunner::measureRemote(const ProfileRequest& request) {
  OPSCOPE_TRY_ASSIGN(const CallSequence sequence,
                     prepareRemote(request.path, request.plan, request.settings));
  OPSCOPE_TRY_ASSIGN(const auto session, openBoard(request.settings));
  m_progress.start(request.warmup, request.repeats);
  RemoteProfile remote{*session->board, *m_opened, sequence, request, {}, {}, uploadProgress()};
  remote.stopRequested = [this] { return m_stop.requested(); };
  remote.progress = [this](profile::Stage stage, std::uint32_t done, double elapsedNs) {
    tellProgress(stage == profile::Stage::WarmUp ? State::WarmingUp : State::Measuring, done, elapsedNs);
  };
  profile::Measurement measured = profileOnBoard(remote);
  if (!measured.run) {
    return measured.error ? std::move(*measured.error)
                          : base::Error{base::ErrorCode::Internal, "The board measured nothing.", "", ""};
  }
  measured.run->function = sequence.title();
  measured.run->inputs = sequence.inputsDescription();
  measured.run->target = request.settings.target;
  return MeasuredProfile{documentOf(std::move(*measured.run)), std::move(measured.error)};
}

base::Result<Outputs> RequestRunner::recordRemote(const std::string& path, const CallPlan& plan,
                                                  const RunSettings& settings, CallRecording& recording,
                                                  std::vector<std::string>& notes) {
  OPSCOPE_TRY_ASSIGN(const CallSequence sequence, prepareRemote(path, plan, settings));
  OPSCOPE_TRY(checkCapture(*m_opened, settings));
  OPSCOPE_TRY_ASSIGN(const auto session, openBoard(settings));
  OPSCOPE_TRY(checkCapture(*session->board));
  OPSCOPE_TRY_ASSIGN(const auto program, RemoteProgram::load(*session->board, *m_opened, settings,
                                                             RemoteMachine::kPlain, uploadProgress()));
  OPSCOPE_TRY(checkStop());
  setState(State::Measuring);
  return captureOnBoard({*program, *m_opened, sequence, [this] { return checkStop(); }}, recording, notes);
}

base::Result<> RequestRunner::timeRemote(const TimeRequest& request) {
  OPSCOPE_TRY_ASSIGN(const CallSequence sequence,
                     prepareRemote(request.path, request.plan, request.settings));
  OPSCOPE_TRY(profile::checkTimeSettings(request.timing));
  if (sequence.steps().size() != 1 || sequence.steps().front().isGlobal) {
    return unsupported("The time of a scenario cannot be taken on a board.",
                       "Profile it: its steps are timed there.");
  }
  OPSCOPE_TRY_ASSIGN(const auto session, openBoard(request.settings));
  OPSCOPE_TRY_ASSIGN(const auto program, RemoteProgram::load(*session->board, *m_opened, request.settings,
                                                             RemoteMachine::kPlain, uploadProgress()));
  OPSCOPE_TRY_ASSIGN(const auto remote, RemoteSequence::prepare(*program, sequence));
  rpc::Client& client = session->board->client();
  constexpr const char* kSaved = "opscope_timed";
  OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle save, program->function("save_function"));
  std::vector<rpc::Value> values = {sequence.steps().front().function, std::string(kSaved), std::int64_t{0}};
  values.insert(values.end(), remote->arguments(0).begin(), remote->arguments(0).end());
  OPSCOPE_TRY(client.call(save, values));
  m_progress.start(0, static_cast<std::uint32_t>(request.timing.repeat));
  setState(State::WarmingUp);
  TimeWatch watch;
  watch.stopRequested = [this] { return m_stop.requested(); };
  watch.progress = [this](std::int64_t done, double elapsedNs) {
    tellProgress(State::Measuring, static_cast<std::uint32_t>(done), elapsedNs);
  };
  const DLDevice device = program->device();
  BoardTiming timing = timeOnBoard(client, {program->machine(), kSaved, {}, device}, request.timing, watch);
  const bool isStopped = timing.error && timing.error->code == base::ErrorCode::Cancelled;
  if (timing.error && (!isStopped || timing.repeats.empty())) {
    return std::move(*timing.error);
  }
  if (isStopped) {
    setState(State::Stopping);
  }
  setState(State::Finishing);
  m_emit(TimeFinished{sequence.title(), sequence.inputsDescription(),
                      profile::deviceText(device.device_type, device.device_id), session->board->threads(),
                      std::move(timing.repeats), request.timing.repeat});
  setState(State::Ready);
  return {};
}

}  // namespace opscope::session
