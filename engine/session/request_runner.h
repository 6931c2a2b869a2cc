// SPDX-License-Identifier: Apache-2.0
// Does what requests ask for, one after the other. Lives on the worker thread and owns every object of
// tvm-ffi of its session; `requestStop` of the StopControl alone comes from other threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/profile/profiler.h"
#include "engine/profile/time_evaluator.h"
#include "engine/session/events.h"
#include "engine/session/function_choice.h"
#include "engine/session/opened_executable.h"
#include "engine/session/progress_meter.h"
#include "engine/session/requests.h"
#include "engine/session/stop_control.h"

namespace opscope::runtime {
class RunContext;
}
namespace opscope::vm {
class StatefulMachine;
}

namespace opscope::session {

class CallRecording;
class CallSequence;
class IsolatedServer;
class RemoteProgram;
class SweepLane;
struct Captured;
struct Outputs;

class RequestRunner {
 public:
  using Emit = std::function<void(EventBody)>;

  RequestRunner(Emit emit, StopControl& stop, FunctionChoice choice);
  ~RequestRunner();
  RequestRunner(const RequestRunner&) = delete;
  RequestRunner& operator=(const RequestRunner&) = delete;

  /// Each ends with exactly one of ExecutableOpened (open), RunFinished, ProfileFinished, DivergeFinished,
  /// TimeFinished, RequestFailed, RequestCancelled, followed by the state it leads to.
  void handle(const OpenRequest& request);
  void handle(const RunRequest& request);
  void handle(const ProfileRequest& request);
  void handle(const DivergeRequest& request);
  void handle(const TimeRequest& request);
  void handle(const SweepRequest& request);

 private:
  /// What a machine was made with; another value needs another machine.
  struct MachineKey {
    std::string device;
    int threads = 0;
    bool pin = true;
    int spinUs = 0;
    runtime::AllocatorKind allocator = runtime::AllocatorKind::Pooled;
    std::size_t pluginCount = 0;
    bool operator==(const MachineKey&) const = default;
  };

  /// What a profile gave; `error` says why it ended early.
  struct MeasuredProfile {
    report::Document document;
    std::optional<base::Error> error;
  };

  void setState(State state);
  /// Runs the body of a request; its error becomes the event and state that end the request.
  template <class Body>
  void runRequest(Body&& body);
  void finishWithError(base::Error error);

  base::Result<> ensureOpen(const std::string& path);
  base::Result<> open(const std::string& path);
  base::Result<> loadPlugins(const RunSettings& settings);
  base::Result<> ensureMachine(const RunSettings& settings);
  base::Result<CallSequence> prepare(const std::string& path, const CallPlan& plan,
                                     const RunSettings& settings, const std::string& outputsFile);
  /// Of what is open already.
  base::Result<CallSequence> prepareOpened(const std::string& path, const CallPlan& plan,
                                           const RunSettings& settings);
  base::Result<> run(const RunRequest& request);
  base::Result<> runWatched(const RunRequest& request, CallSequence& sequence);
  base::Result<> finishRun(const RunRequest& request, RunFinished finished, Outputs outputs);
  base::Result<> profile(const ProfileRequest& request);
  base::Result<> sweep(const SweepRequest& request);
  base::Result<> checkSweep(const SweepRequest& request);
  bool mayTakeTurns(const SweepRequest& request) const;
  base::Result<std::unique_ptr<SweepLane>> beginLane(const SweepRequest& request, std::size_t point);
  std::size_t measureGroup(const SweepRequest& request, std::size_t first, std::vector<SweepPoint>& points);
  void measurePoint(const SweepRequest& request, SweepPoint& point);
  void tellSweepProgress(std::size_t point, profile::Stage stage, std::uint32_t done);
  base::Result<> diverge(const DivergeRequest& request);
  base::Result<> time(const TimeRequest& request);
  base::Result<> finishTime(const TimeRequest& request, const CallSequence& sequence, DLDevice device,
                            int threads, profile::Timing timing, std::vector<report::Warning> warnings = {});
  base::Result<CallPlan> planForBoth(const DivergeRequest& request);
  base::Result<Outputs> record(const std::string& path, const CallPlan& plan, const RunSettings& settings,
                               CallRecording& recording);
  base::Result<Outputs> recordSide(const DivergeRequest& request, bool isA, const CallPlan& plan,
                                   CallRecording& recording, Divergence& told);
  base::Result<MeasuredProfile> measure(const ProfileRequest& request);
  MeasuredProfile measuredProfile(const CallSequence& sequence, profile::Measurement measured) const;
  void tellProgress(State state, std::uint32_t done, double elapsedNs,
                    std::optional<std::uint64_t> kept = std::nullopt);

  // On a board (remote_requests.cpp).
  struct BoardSession;
  base::Result<std::unique_ptr<BoardSession>> openBoard(const RunSettings& settings,
                                                        bool recordTraffic = false);
  base::Result<CallSequence> prepareRemote(const std::string& path, const CallPlan& plan,
                                           const RunSettings& settings);
  std::function<void(std::uint64_t, std::uint64_t)> uploadProgress();
  base::Result<> runRemote(const RunRequest& request);
  base::Result<MeasuredProfile> measureRemote(const ProfileRequest& request);
  base::Result<Outputs> runPlainly(RemoteProgram& program, const CallSequence& sequence,
                                   RunFinished& finished);
  base::Result<Outputs> runWatchedRemote(const RunRequest& request, RemoteProgram& program,
                                         CallSequence& sequence, RunFinished& finished);
  base::Result<Captured> recordRemote(const std::string& path, const CallPlan& plan,
                                      const RunSettings& settings, CallRecording& recording);
  base::Result<> timeRemote(const TimeRequest& request);
  report::Document documentOf(report::Run run) const;
  base::Result<> checkStop() const;
  base::Result<> checkChoice(const CallPlan& plan);
  base::Error explained(base::Error error);
  void dropMachine();

  Emit m_emit;
  std::string m_faultyInput;  ///< of the request that is worked on, once it is known
  std::string m_kept;         // what a request that does not end well has written, in words
  StopControl& m_stop;
  const FunctionChoice m_choice;
  IsolatedServer* m_isolated = nullptr;     ///< of the request that is worked on, while there is one
  std::optional<base::Error> m_processEnd;  ///< how that process ended, once it is known
  State m_state = State::Idle;
  ProgressMeter m_progress;
  std::vector<std::uint32_t> m_sweepDone;  // repeats of each value
  std::int64_t m_sweepBeginNs = 0;         // of the turns, or of a value's warm-up before
  std::unique_ptr<OpenedExecutable> m_opened;
  bool m_bytesSpent = false;  ///< a machine took its constants out of the opened file's bytes
  std::set<std::string> m_plugins;
  std::optional<MachineKey> m_machineKey;
  // The machine uses the context and is destroyed before it.
  std::unique_ptr<runtime::RunContext> m_context;
  std::unique_ptr<vm::StatefulMachine> m_machine;
};

}  // namespace opscope::session
