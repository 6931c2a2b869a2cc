// SPDX-License-Identifier: Apache-2.0
// One value of a sweep that is measured by turns with others: a machine of its own, and its profile as far as
// it has come. Made, used and destroyed on the worker.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/profile/staged_profile.h"
#include "engine/runtime/run_context.h"
#include "engine/session/call_sequence.h"
#include "engine/session/stop_control.h"
#include "engine/vm/stateful_machine.h"

namespace opscope::session {

class SweepLane {
 public:
  struct Machine {
    std::unique_ptr<runtime::RunContext> context;
    std::unique_ptr<vm::StatefulMachine> machine;  ///< uses the context
  };

  /// `file` and `stop` outlive it. `progress` is told of repeats that are about to begin.
  SweepLane(Machine machine, CallSequence sequence, const vm::ExecutableFile& file,
            const profile::ProfileSettings& settings, StopControl& stop,
            std::function<void(profile::Stage, std::uint32_t done)> progress);

  /// Warm-up. Errors: the machine's; Cancelled.
  base::Result<> begin();

  /// Goes on until `repeats` are there. `settle`: another lane has run since, and one repeat that does not
  /// count comes first. What goes wrong ends the lane and is told by finish().
  void runUntil(std::uint32_t repeats, bool settle);
  bool isOver() const { return m_error.has_value(); }
  bool isStopped() const { return m_error && m_error->code == base::ErrorCode::Cancelled; }

  /// The run with function and inputs; `stopped` when the sweep ends before the lane does. Once.
  profile::Measurement finish(bool stopped);

 private:
  base::Result<> advance(profile::Stage stage, std::uint32_t done);

  Machine m_machine;
  CallSequence m_sequence;
  profile::ProfileSettings m_settings;
  StopControl& m_stop;
  std::function<void(profile::Stage, std::uint32_t)> m_progress;
  std::optional<base::Error> m_error;
  profile::StagedProfile m_staged;  // uses machine and settings
};

}  // namespace opscope::session
