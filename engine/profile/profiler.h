// SPDX-License-Identifier: Apache-2.0
// The profiler: runs something a few times for warm-up, then a number of times with the recorder set, and
// makes the run from what was recorded. Called on the machine's thread; the run is a plain value.
// Behaviour: seed 000, "profile" of VirtualMachineProfiler, and seed 004, Profiler; repeats as decided for
// Opscope: one row a call, with a sample for each repeat.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/profile/metric_collector.h"
#include "engine/profile/overhead_check.h"
#include "engine/report/repeat_times.h"
#include "engine/report/run.h"
#include "engine/runtime/options.h"
#include "engine/vm/executable_file.h"
#include "engine/vm/virtual_machine.h"

namespace opscope::runtime {
class RunContext;
}

namespace opscope::profile {

/// Handed to the callback that runs one repeat: marks where each step begins and ends. Only the time between
/// the two counts.
class StepMarks {
 public:
  virtual ~StepMarks() = default;
  virtual void beginStep(std::uint32_t step) = 0;
  virtual void endStep() = 0;
};

enum class Stage { WarmUp, Measure };

struct ProfileSettings {
  std::uint32_t warmup = 1;
  std::uint32_t repeats = 1;
  std::vector<std::string> steps = {"main"};     ///< names of the steps, at least one
  std::vector<std::string> devices = {"cpu0"};   ///< the machine's devices, the first one first
  int threads = 1;                               ///< of the kernel pool, the calling thread among them
  runtime::RuntimeOptions runtime;               ///< only told in the run's facts
  OverheadCheck overhead = OverheadCheck::Auto;  ///< how many repeats more run without the recorder
  bool recordMemory = false;                     ///< storages, tensors, workspaces: Run::memory
  bool recordLanes = false;                      ///< parallel parts of kernels: Run::lanes
  std::vector<MetricCollector*> collectors;      ///< Run::counters; they are the caller's
  std::string systemRoot = "/";                  ///< where /proc and /sys are read from for the noise grade
  DLDevice device{kDLCPU, 0};                    ///< the first of `devices`, for collectors
  /// Whose threads start anew once the collectors are ready. Null: none do.
  runtime::RunContext* context = nullptr;
};

struct ProfileCallbacks {
  /// Runs all steps once from the first. Frees results of the repeat before at its start, outside of steps.
  std::function<base::Result<>(StepMarks&)> runRepeat;
  /// True when the run should end after this repeat. May be empty.
  std::function<bool()> stopRequested;
  /// Told before the first repeat of a stage and after each one; elapsed is the stage's. May be empty.
  std::function<void(Stage, std::uint32_t done, double elapsedNs)> progress;
  /// What the repeats took that were not told yet, now and then between two of them: a few times a second,
  /// and at most one fortieth of the time goes into it. Of many short ones the ops are those of the newest.
  /// The last ones may be left to the run. May be empty.
  std::function<void(report::RepeatTimes)> measured;
};

/// `run` is set when at least one repeat was complete; `error` says why it ended early: Cancelled after a
/// stop, else the failure. Both are set when repeats were measured before that.
struct Measurement {
  std::optional<report::Run> run;
  std::optional<base::Error> error;
};

/// Measures. The observer of `machine` is set during the call and removed at its end. Beside some repeats one
/// more runs without it, which is none of `repeats` and tells what recording adds. Fills everything that the
/// profiler knows of the run: calls, samples, spans, totals, overhead, configuration, environment, warnings,
/// not the path, hash, function, inputs.
Measurement profile(vm::VirtualMachine& machine, const vm::ExecutableFile& file,
                    const ProfileSettings& settings, const ProfileCallbacks& callbacks);

}  // namespace opscope::profile
