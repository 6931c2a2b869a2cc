// SPDX-License-Identifier: Apache-2.0
// The time evaluator: calls something again and again and takes the time of many calls at once, without
// recording any. On the machine's thread. Behaviour: seed 004, WrapTimeEvaluator, with every loop bounded
// and a fresh `number` each time it is asked.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/profile/time_settings.h"

namespace opscope::profile {

struct TimeCallbacks {
  std::function<base::Result<>()> call;     ///< what is measured, once
  std::function<base::Result<>()> prepare;  ///< before each repeat, not in its time; may be empty
  std::function<bool()> stopRequested;      ///< asked between calls; may be empty
  /// Told after the call for warm-up and after each repeat. May be empty.
  std::function<void(std::int64_t done, double elapsedNs)> progress;
};

/// `error` says why there are fewer repeats than wanted: Cancelled after a stop, else the failure.
struct Timing {
  std::vector<RepeatTime> repeats;
  std::optional<base::Error> error;
};

/// One call that does not count, then the repeats. Times are those of Timer::start(device). Errors: those of
/// checkTimeSettings and of the callbacks; OutOfMemory for the flush; Unsupported for a flush on a device
/// without host memory.
Timing evaluateTime(DLDevice device, const TimeSettings& settings, const TimeCallbacks& callbacks);

/// The number of calls after one that took `durationNs` for `number` calls, which was too short.
std::int64_t grownNumber(std::int64_t number, double durationNs, double minRepeatNs);

}  // namespace opscope::profile
