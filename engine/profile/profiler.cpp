// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profiler.h"

#include "engine/profile/staged_profile.h"

namespace opscope::profile {

namespace {

base::Result<> runAll(StagedProfile& staged, const ProfileCallbacks& callbacks) {
  for (;;) {
    const StagedProfile::Position position = staged.position();
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
