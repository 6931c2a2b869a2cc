// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_lane.h"

#include <utility>

namespace opscope::session {

namespace {

base::Error stopped() {
  return {base::ErrorCode::Cancelled, "Stopped.", "", ""};
}

}  // namespace

SweepLane::SweepLane(Machine machine, CallSequence sequence, const vm::ExecutableFile& file,
                     const profile::ProfileSettings& settings, StopControl& stop,
                     std::function<void(profile::Stage, std::uint32_t done)> progress)
    : m_machine(std::move(machine)),
      m_sequence(std::move(sequence)),
      m_settings(settings),
      m_stop(stop),
      m_progress(std::move(progress)),
      m_staged(*m_machine.machine, file, m_settings) {}

base::Result<> SweepLane::begin() {
  const StopControl::Attachment attachment(m_stop, *m_machine.machine);
  OPSCOPE_TRY(m_staged.begin());
  OPSCOPE_TRY(advance(profile::Stage::Measure, 0));
  m_staged.stepAside();
  return {};
}

void SweepLane::runUntil(std::uint32_t repeats, bool settle) {
  const StopControl::Attachment attachment(m_stop, *m_machine.machine);
  base::Result<> done;
  if (settle) {
    done = m_sequence.runOnce(*m_machine.machine, nullptr);  // between two repeats: belongs to none
  }
  if (done) {
    m_staged.comeBack();
    done = advance(profile::Stage::Measure, repeats);
    m_staged.stepAside();
  }
  if (!done) {
    m_error = std::move(done).error();
  }
}

base::Result<> SweepLane::advance(profile::Stage stage, std::uint32_t done) {
  const auto body = [this](profile::StepMarks& marks) {
    return m_sequence.runOnce(*m_machine.machine, &marks);
  };
  while (true) {
    const profile::StagedProfile::Position position = m_staged.position();
    if (position.isMilestone) {
      m_progress(position.stage, position.done);
      if (position.stage == stage && position.done >= done) {
        return {};
      }
      if (m_stop.requested()) {
        return stopped();
      }
    }
    OPSCOPE_TRY_ASSIGN(const std::optional<profile::RepeatKind> kind, m_staged.beginRepeat());
    if (!kind) {
      return {};
    }
    OPSCOPE_TRY(m_staged.runRepeat(body));
  }
}

profile::Measurement SweepLane::finish(bool isStopped) {
  if (!m_error && isStopped && m_staged.position().done < m_settings.repeats) {
    m_error = stopped();
  }
  profile::Measurement measured = m_staged.finish(std::move(m_error));
  m_sequence.release();
  if (measured.run) m_sequence.describe(*measured.run);
  return measured;
}

}  // namespace opscope::session
