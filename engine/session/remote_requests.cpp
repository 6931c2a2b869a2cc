// SPDX-License-Identifier: Apache-2.0
// The part of RequestRunner that works on boards.
#include <fmt/format.h>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/profile/shape_table.h"
#include "engine/session/isolated_server.h"
#include "engine/session/remote_capture.h"
#include "engine/session/remote_profile.h"
#include "engine/session/remote_stop.h"
#include "engine/session/remote_timing.h"
#include "engine/session/remote_traffic.h"
#include "engine/session/request_runner.h"
#include "engine/session/run_device.h"
#include "engine/session/run_watch.h"
#include "engine/session/secret_file.h"
#include "engine/session/targets.h"

namespace opscope::session {

namespace {

base::Error unsupported(std::string what, std::string hint) {
  return {base::ErrorCode::Unsupported, std::move(what), "", std::move(hint)};
}

/// Where the run says why it ended early.
void tellInstead(report::Run& run, const std::string& before, const std::string& now) {
  if (run.failure == before) {
    run.failure = now;
  }
  for (report::Warning& warning : run.warnings) {
    if (warning.hint == before) {
      warning.hint = now;
    }
  }
}

}  // namespace

/// A session on a board for one request, and the stop that may end it. The stop is the last to be made and
/// the first to go.
struct RequestRunner::BoardSession {
  explicit BoardSession(RequestRunner& owner) : runner(owner), stop(owner.m_stop) {}
  ~BoardSession() {
    stop.watch(nullptr);
    if (process && board && board->client().failure()) {
      runner.explained(*board->client().failure());  // before the process is ended by us
    }
    runner.m_isolated = nullptr;
  }
  RequestRunner& runner;
  RemoteStop stop;
  std::unique_ptr<IsolatedServer> process;  ///< of an isolated run: ends after the session
  std::unique_ptr<RemoteBoard> board;
};

base::Result<std::unique_ptr<RequestRunner::BoardSession>> RequestRunner::openBoard(
    const RunSettings& settings, bool recordTraffic) {
  OPSCOPE_TRY_ASSIGN(Target target, parseTarget(settings.target));
  BoardOptions options;
  options.timeoutSeconds = settings.timeoutSeconds;
  options.recordTraffic = recordTraffic;
  auto session = std::make_unique<BoardSession>(*this);
  if (target.kind == Target::Kind::Isolated) {
    OPSCOPE_TRY_ASSIGN(session->process, IsolatedServer::start());
    target = session->process->target();
    options.secret = session->process->secret();
    m_isolated = session->process.get();
  } else {
    OPSCOPE_TRY_ASSIGN(options.secret, readSecretFile(settings.secretFile));
  }
  options.stop = session->stop.token();
  options.waiting = [this](const std::string& words) { m_emit(BoardWaiting{words}); };
  auto opened = RemoteBoard::open(target, options);
  if (!opened) {
    return explained(std::move(opened).error());
  }
  session->board = *std::move(opened);
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
                       "Give them to opscope-server on the board (--plugin), or run locally.");
  }
  OPSCOPE_TRY(checkChoice(plan));
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

base::Result<Outputs> RequestRunner::runPlainly(RemoteProgram& program, const CallSequence& sequence,
                                                RunFinished& finished) {
  OPSCOPE_TRY_ASSIGN(const auto remote, RemoteSequence::prepare(program, sequence));
  OPSCOPE_TRY(checkStop());
  setState(State::Measuring);
  PlainDriver driver(program.board().client());
  OPSCOPE_TRY(remote->runOnce(driver));
  finished.durationNs = driver.totalNs();
  setState(State::Finishing);
  return remote->outputs();
}

/// The board's calls are copied by our probe and looked at here, when all of them have run.
base::Result<Outputs> RequestRunner::runWatchedRemote(const RunRequest& request, RemoteProgram& program,
                                                      CallSequence& sequence, RunFinished& finished) {
  OPSCOPE_TRY_ASSIGN(const std::unique_ptr<RunWatch> watch, RunWatch::create(request, sequence));
  OPSCOPE_TRY_ASSIGN(TensorSpool spool, TensorSpool::create());
  CallRecording recording(std::move(spool));
  OPSCOPE_TRY(checkStop());
  setState(State::Measuring);
  auto ran = captureOnBoard(
      {program, *m_opened, sequence, [this] { return checkStop(); }, RemoteCapture::Wanted::All}, recording);
  Captured captured = ran ? *std::move(ran) : Captured();
  base::Result<> shown = watch->show(recording, captured.lostCalls, captured.outputs);
  if (shown && !ran) {  // what came over before stays
    shown = std::move(ran).error();
  }
  OPSCOPE_TRY(watch->conclude(std::move(shown), finished, m_kept));
  return std::move(captured.outputs);
}

base::Result<> RequestRunner::runRemote(const RunRequest& request) {
  for (const std::string* const file : {&request.outputsFile, &request.dumpFile}) {
    if (!file->empty()) {
      OPSCOPE_TRY(base::checkWritable(*file));
    }
  }
  OPSCOPE_TRY_ASSIGN(CallSequence sequence, prepareRemote(request.path, request.plan, request.settings));
  const bool isWatched = !request.dumpFile.empty() || request.checkFinite;
  if (isWatched) {
    OPSCOPE_TRY(checkCapture(*m_opened, request.settings));
  }
  OPSCOPE_TRY_ASSIGN(auto session, openBoard(request.settings));
  if (isWatched) {
    OPSCOPE_TRY(checkCapture(*session->board));
  }
  RunFinished finished;
  Outputs outputs;
  {
    OPSCOPE_TRY_ASSIGN(const auto program, RemoteProgram::load(*session->board, *m_opened, request.settings,
                                                               RemoteMachine::kPlain, uploadProgress()));
    OPSCOPE_TRY_ASSIGN(outputs, isWatched ? runWatchedRemote(request, *program, sequence, finished)
                                          : runPlainly(*program, sequence, finished));
  }
  finished.warnings = session->board->warnings();
  session.reset();
  return finishRun(request, std::move(finished), std::move(outputs));
}

base::Result<RequestRunner::MeasuredProfile> RequestRunner::measureRemote(const ProfileRequest& request) {
  OPSCOPE_TRY_ASSIGN(const CallSequence sequence,
                     prepareRemote(request.path, request.plan, request.settings));
  OPSCOPE_TRY_ASSIGN(const auto session, openBoard(request.settings, true));
  m_progress.start(request.warmup, request.repeats);
  RemoteProfile remote{*session->board, *m_opened, sequence, request, {}, {}, uploadProgress()};
  remote.stopRequested = [this] { return m_stop.requested(); };
  std::optional<std::uint64_t> received;
  remote.received = [&received](std::uint32_t repeats) { received = repeats; };
  if (request.tellsRepeats) {
    remote.measured = [this](report::RepeatTimes times) { m_emit(RepeatsMeasured{std::move(times)}); };
  }
  remote.progress = [&](profile::Stage stage, std::uint32_t done, double elapsedNs) {
    tellProgress(stage == profile::Stage::WarmUp ? State::WarmingUp : State::Measuring, done, elapsedNs,
                 received);
  };
  profile::Measurement measured = profileOnBoard(remote);
  if (measured.error) {
    base::Error told = explained(*measured.error);
    if (measured.run) {
      tellInstead(*measured.run, measured.error->message, told.message);
    }
    measured.error = std::move(told);
  }
  if (!measured.run) {
    return measured.error ? std::move(*measured.error)
                          : base::Error{base::ErrorCode::Internal, "The board measured nothing.", "", ""};
  }
  measured.run->target = request.settings.target;
  addTraffic(*session->board, *measured.run);
  return measuredProfile(sequence, std::move(measured));
}

base::Result<Captured> RequestRunner::recordRemote(const std::string& path, const CallPlan& plan,
                                                   const RunSettings& settings, CallRecording& recording) {
  OPSCOPE_TRY_ASSIGN(const CallSequence sequence, prepareRemote(path, plan, settings));
  OPSCOPE_TRY(checkCapture(*m_opened, settings));
  OPSCOPE_TRY_ASSIGN(const auto session, openBoard(settings));
  OPSCOPE_TRY(checkCapture(*session->board));
  OPSCOPE_TRY_ASSIGN(const auto program, RemoteProgram::load(*session->board, *m_opened, settings,
                                                             RemoteMachine::kPlain, uploadProgress()));
  OPSCOPE_TRY(checkStop());
  setState(State::Measuring);
  OPSCOPE_TRY_ASSIGN(
      Captured captured,
      captureOnBoard({*program, *m_opened, sequence, [this] { return checkStop(); }}, recording));
  for (const report::Warning& warning : session->board->warnings()) {
    captured.notes.push_back(warning.message);
  }
  return captured;
}

base::Result<> RequestRunner::timeRemote(const TimeRequest& request) {
  OPSCOPE_TRY_ASSIGN(const CallSequence sequence,
                     prepareRemote(request.path, request.plan, request.settings));
  OPSCOPE_TRY(profile::checkTimeSettings(request.timing));
  OPSCOPE_TRY_ASSIGN(const auto session, openBoard(request.settings));
  OPSCOPE_TRY_ASSIGN(const auto program, RemoteProgram::load(*session->board, *m_opened, request.settings,
                                                             RemoteMachine::kPlain, uploadProgress()));
  OPSCOPE_TRY_ASSIGN(const auto remote, RemoteSequence::prepare(*program, sequence));
  const bool isOneFunction = sequence.steps().size() == 1 && !sequence.steps().front().isGlobal;
  m_progress.start(0, static_cast<std::uint32_t>(request.timing.repeat));
  setState(State::WarmingUp);
  OPSCOPE_TRY_ASSIGN(const auto stopwatch, isOneFunction
                                               ? timeFunction(*program, *remote, request.timing)
                                               : timeSteps(*program, *remote, *m_opened, request.timing,
                                                           [this] { return checkStop(); }));
  TimeWatch watch;
  watch.stopRequested = [this] { return m_stop.requested(); };
  watch.progress = [this](std::int64_t done, double elapsedNs) {
    tellProgress(State::Measuring, static_cast<std::uint32_t>(done), elapsedNs);
  };
  const DLDevice device = program->device();
  profile::Timing timing = timeOnBoard(*stopwatch, request.timing, watch);
  return finishTime(request, sequence, device, session->board->threads(), std::move(timing),
                    session->board->warnings());
}

}  // namespace opscope::session
