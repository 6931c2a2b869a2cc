// SPDX-License-Identifier: Apache-2.0
// A profile whose repeats somebody else runs, one after the other: what profile() is made of, and what a
// client on another machine drives through remote_recorder.h. On the machine's thread; machine, file and
// settings outlive it.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/base/result.h"
#include "engine/profile/profiler.h"

namespace opscope::profile {

/// Warm-up and recorded repeats are heard by the recorder; bare ones run beside a recorded one without it.
enum class RepeatKind { WarmUp, Recorded, Bare };

class StagedProfile {
 public:
  StagedProfile(vm::VirtualMachine& machine, const vm::ExecutableFile& file, const ProfileSettings& settings);
  /// The machine's observer and logs are removed.
  ~StagedProfile();
  StagedProfile(const StagedProfile&) = delete;
  StagedProfile& operator=(const StagedProfile&) = delete;

  /// Once, before all else. Errors: those of the collectors.
  base::Result<> begin();

  struct Position {
    Stage stage = Stage::WarmUp;
    std::uint32_t done = 0;  ///< complete repeats of the stage
    double elapsedNs = 0;    ///< since the stage began
    /// The next repeat is no bare one behind or before another: progress is told here, and Stop takes effect.
    bool isMilestone = true;
  };
  Position position() const;

  /// Makes ready for the next repeat; nothing when all are done. Errors: those of checkMemoryNeed,
  /// OutOfMemory.
  base::Result<std::optional<RepeatKind>> beginRepeat();
  /// Where steps of the repeat that was begun are marked.
  StepMarks& marks();
  /// The repeat is over; `outcome` says how, and is given back. After an error only finish() may follow.
  base::Result<> endRepeat(base::Result<> outcome);

  /// Runs the repeat that was begun and ends it. Errors: those of `body`; OutOfMemory.
  base::Result<> runRepeat(const std::function<base::Result<>(StepMarks&)>& body);

  /// Between repeats: the thread does something else, such as another profile, until comeBack(). What happens
  /// to the thread meanwhile is no noise of this run. finish() and snapshot() come back by themselves.
  void stepAside();
  void comeBack();

  /// The run as it would be if it ended now, between repeats; nothing before the first recorded one.
  std::optional<report::Run> snapshot();

  /// What repeats from number `first` on have measured, calls and times alone; nothing when there are none.
  std::optional<report::Run> since(std::uint32_t first);

  /// The same, told briefly: totals of all of them, ops of the newest, of as many as have `mostRecords`
  /// together, and of one at least.
  report::RepeatTimes timesSince(std::uint32_t first, std::size_t mostRecords);

  /// Ends the profile, early where `error` says so. Once.
  Measurement finish(std::optional<base::Error> error);

 private:
  class Measuring;
  std::unique_ptr<Measuring> m_measuring;
};

}  // namespace opscope::profile
