// SPDX-License-Identifier: Apache-2.0
// The part of RequestRunner that takes the time of all calls together.
#include "engine/profile/shape_table.h"
#include "engine/profile/time_evaluator.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/thread_pool.h"
#include "engine/session/call_sequence.h"
#include "engine/session/request_runner.h"
#include "engine/session/run_device.h"
#include "engine/vm/stateful_machine.h"

namespace opscope::session {

base::Result<> RequestRunner::time(const TimeRequest& request) {
  if (isRemote(request.settings)) {
    return timeRemote(request);
  }
  OPSCOPE_TRY(profile::checkTimeSettings(request.timing));
  OPSCOPE_TRY_ASSIGN(CallSequence sequence, prepare(request.path, request.plan, request.settings, {}));
  OPSCOPE_TRY_ASSIGN(const DLDevice device, deviceOf(request.settings));
  profile::TimeCallbacks callbacks;
  callbacks.call = [&] { return sequence.runOnce(*m_machine, nullptr); };
  callbacks.stopRequested = [this] { return m_stop.requested(); };
  callbacks.progress = [this](std::int64_t done, double elapsedNs) {
    tellProgress(State::Measuring, static_cast<std::uint32_t>(done), elapsedNs);
  };
  m_progress.start(0, static_cast<std::uint32_t>(request.timing.repeat));
  setState(State::WarmingUp);
  profile::Timing timing;
  {
    const StopControl::Attachment attachment(m_stop, *m_machine);
    timing = profile::evaluateTime(device, request.timing, callbacks);
  }
  sequence.release();
  return finishTime(request, sequence, device, m_context->threadPool().threadCount(), std::move(timing));
}

base::Result<> RequestRunner::finishTime(const TimeRequest& request, const CallSequence& sequence,
                                         DLDevice device, int threads, profile::Timing timing,
                                         std::vector<report::Warning> warnings) {
  if (timing.repeats.empty()) {
    return timing.error ? std::move(*timing.error)
                        : base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""};
  }
  TimeFinished finished{sequence.title(),
                        sequence.inputsDescription(),
                        profile::deviceText(device.device_type, device.device_id),
                        threads,
                        std::move(timing.repeats),
                        request.timing.repeat,
                        std::move(warnings)};
  if (timing.error && timing.error->code != base::ErrorCode::Cancelled) {
    m_emit(RequestFailed{explained(std::move(*timing.error)), {}, {}, std::move(finished)});
    setState(State::Failed);
    return {};
  }
  if (timing.error) {
    setState(State::Stopping);
  }
  setState(State::Finishing);
  m_emit(std::move(finished));
  setState(State::Ready);
  return {};
}

}  // namespace opscope::session
