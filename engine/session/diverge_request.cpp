// SPDX-License-Identifier: Apache-2.0
// The part of RequestRunner that compares two executables: one runs after the other, each where it is to.
#include <fmt/format.h>

#include "engine/runtime/run_context.h"
#include "engine/session/call_recording.h"
#include "engine/session/call_sequence.h"
#include "engine/session/divergence_finder.h"
#include "engine/session/remote_capture.h"
#include "engine/session/request_runner.h"
#include "engine/session/run_device.h"
#include "engine/session/targets.h"
#include "engine/vm/stateful_machine.h"

namespace opscope::session {

base::Result<Outputs> RequestRunner::record(const std::string& path, const CallPlan& plan,
                                            const RunSettings& settings, CallRecording& recording) {
  OPSCOPE_TRY_ASSIGN(CallSequence sequence, prepare(path, plan, settings, {}));
  setState(State::Measuring);
  base::Result<> ran;
  {
    const StopControl::Attachment attachment(m_stop, *m_machine);
    const profile::CallWatch watch(*m_machine, {&recording});
    ran = sequence.runOnce(*m_machine, nullptr);
    if (!ran && watch.error()) {
      ran = *watch.error();
    }
  }
  OPSCOPE_TRY(std::move(ran));
  return sequence.outputs();
}

base::Result<CallPlan> RequestRunner::planForBoth(const DivergeRequest& request) {
  OPSCOPE_TRY(ensureOpen(request.pathA));
  CallPlan plan = request.plan;
  if (!plan.scenarioFile.empty()) {
    return plan;
  }
  OPSCOPE_TRY(checkChoice(plan));
  plan.function = plan.function.empty() ? defaultFunction(*m_opened->info) : plan.function;
  OPSCOPE_TRY_ASSIGN(const FunctionInfo* functionA, findFunctionInfo(*m_opened->info, plan.function));
  // Only looked at: it is opened again when it runs, so that one file at a time is in memory for long.
  OPSCOPE_TRY_ASSIGN(const std::unique_ptr<OpenedExecutable> other, openExecutable(request.pathB));
  OPSCOPE_TRY_ASSIGN(const FunctionInfo* functionB, findFunctionInfo(*other->info, plan.function));
  OPSCOPE_TRY(checkSameParameters(functionA->signature, functionB->signature));
  return plan;
}

base::Result<Outputs> RequestRunner::recordSide(const DivergeRequest& request, bool isA, const CallPlan& plan,
                                                CallRecording& recording, Divergence& told) {
  RunSettings settings = request.settings;
  const std::string& own = isA ? request.targetA : request.targetB;
  settings.target = own.empty() ? settings.target : own;
  if (!isA && request.secretFileB) {
    settings.secretFile = *request.secretFileB;
  }
  const std::string& path = isA ? request.pathA : request.pathB;
  (isA ? told.targetA : told.targetB) = isRemote(settings) ? settings.target : "local";
  if (!isRemote(settings)) {
    return record(path, plan, settings, recording);
  }
  auto captured = recordRemote(path, plan, settings, recording);
  if (!captured) {
    base::Error error = std::move(captured).error();
    if (error.code != base::ErrorCode::Cancelled) {
      error.message = fmt::format("{}, on {}: {}", isA ? "A" : "B", settings.target, error.message);
    }
    return error;
  }
  for (const std::string& note : captured->notes) {
    told.notes.push_back(fmt::format("{}: {}", isA ? "A" : "B", note));
  }
  return std::move(captured->outputs);
}

base::Result<> RequestRunner::diverge(const DivergeRequest& request) {
  constexpr std::uint64_t kRuns = 2;
  for (const std::string* const target : {&request.settings.target, &request.targetA, &request.targetB}) {
    OPSCOPE_TRY(parseTarget(*target));
  }
  OPSCOPE_TRY_ASSIGN(const CallPlan plan, planForBoth(request));
  OPSCOPE_TRY_ASSIGN(TensorSpool spoolA, TensorSpool::create());
  OPSCOPE_TRY_ASSIGN(TensorSpool spoolB, TensorSpool::create());
  CallRecording callsA(std::move(spoolA));
  CallRecording callsB(std::move(spoolB));
  Divergence told;
  OPSCOPE_TRY_ASSIGN(const Outputs resultsA, recordSide(request, true, plan, callsA, told));
  m_emit(Progress{State::Measuring, 1, kRuns, -1});
  OPSCOPE_TRY_ASSIGN(const Outputs resultsB, recordSide(request, false, plan, callsB, told));
  m_emit(Progress{State::Measuring, kRuns, kRuns, -1});
  OPSCOPE_TRY_ASSIGN(Divergence found,
                     findDivergence({&callsA, &resultsA}, {&callsB, &resultsB}, {request.rtol, request.atol},
                                    [this] { return m_stop.requested(); }));
  found.function = plan.scenarioFile.empty() ? plan.function : plan.scenarioFile;
  found.targetA = std::move(told.targetA);
  found.targetB = std::move(told.targetB);
  found.notes = std::move(told.notes);
  setState(State::Finishing);
  m_emit(DivergeFinished{std::move(found)});
  setState(State::Ready);
  return {};
}

}  // namespace opscope::session
