// SPDX-License-Identifier: GPL-3.0-or-later
// A run limited to a range of one of its repeats, as a run of its own: what Ops and Charts show while a range
// is chosen. Any thread; pure.
#pragma once

#include <memory>

#include "ui/models/run_view.h"

namespace opscope::ui {

/// Names, shapes, devices and calls keep their indices, so that OpId and call numbers mean the same in both.
/// Calls that reach into the range are in the report when they are in the whole run's; of their own time
/// counts what lies within, and percent is of the length of the range. There is one repeat: the range's.
/// `range.repeat` is one of the run's, and the range has a length.
std::shared_ptr<const RunView> makeRangeView(const RunView& whole, const TimeRange& range);

/// "32.032 – 39.154 ms of repeat 3", without the repeat when there is just one.
QString rangeWords(const RunView& whole, const TimeRange& range);

}  // namespace opscope::ui
