// SPDX-License-Identifier: GPL-3.0-or-later
// The list of charts. A further one is a file in this folder and a line in charts.cpp. GUI thread.
#pragma once

#include <vector>

#include "ui/views/charts/chart.h"

namespace opscope::ui {

/// The parts of the Charts page, each shown alone.
enum class ChartSegment { TimeByOp, ByDevice, OneOp, AgainstRepeat, Sweep };

struct ChartEntry {
  const char* id;  ///< of files: "time-by-op"
  ChartSegment segment;
  /// Least height of the drawing and its part of a column's height, in pixels of the design.
  int height;
  Chart* (*make)(const ChartContext& context);
};

/// In the order on the page: left, right, left, ...
const std::vector<ChartEntry>& charts();

}  // namespace opscope::ui
