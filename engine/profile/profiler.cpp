// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profiler.h"

#include "engine/base/rhythm.h"
#include "engine/profile/staged_profile.h"

namespace opscope::profile {

namespace {

constexpr std::int64_t kTellPauseNs = 250'000'000;
constexpr std::size_t kTellRecords = 30'000;  // takes a few milliseconds

/// Tells what was measured while more is. Its own work is no noise of the run.
class RepeatTeller {
 public:
  RepeatTeller(StagedProfile& staged, const ProfileCallbacks& callbacks)
      : m_staged(staged), m_callbacks(callbacks) {}

  void tell(const StagedProfile::Position& position) {
    if (!m_callbacks.measured || position.stage != Stage::Measure || !position.isMilestone ||
        position.done <= m_told || !m_rhythm.isDue()) {
      return;
    }
    m_staged.stepAside();
    m_told = m_rhythm.turn([&] {
      m_callbacks.measured(m_staged.timesSince(m_told, kTellRecords));
      return position.done;
    });
    m_staged.comeBack();
  }

 private:
  StagedProfile& m_staged;
  const ProfileCallbacks& m_callbacks;
  base::Rhythm m_rhythm{kTellPauseNs};
  std::uint32_t m_told = 0;
};

base::Result<> runAll(StagedProfile& staged, const ProfileCallbacks& callbacks) {
  RepeatTeller teller(staged, callbacks);
  for (;;) {
    const StagedProfile::Position position = staged.position();
    teller.tell(position);
    if (position.isMilestone && callbacks.progress) {
      callbacks.progress(position.stage, position.done, position.elapsedNs);
    }
    if (position.isMilestone && callbacks.stopRequested && callbacks.stopRequested()) {
      return base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""};
    }
    OPSCOPE_TRY_ASSIGN(const std::optional<RepeatKind> kind, staged.beginRepeat());
    if (!kind) {
      return {};
    }
    OPSCOPE_TRY(staged.runRepeat(callbacks.runRepeat));
  }
}

}  // namespace

Measurement profile(vm::VirtualMachine& machine, const vm::ExecutableFile& file,
                    const ProfileSettings& settings, const ProfileCallbacks& callbacks) {
  StagedProfile staged(machine, file, settings);
  if (auto begun = staged.begin(); !begun) {
    return {std::nullopt, std::move(begun).error()};
  }
  auto done = runAll(staged, callbacks);
  return staged.finish(done ? std::nullopt : std::optional(std::move(done).error()));
}

}  // namespace opscope::profile
