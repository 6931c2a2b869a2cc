// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as a picture for files: PNG at twice the size, SVG and PDF, in the light palette, with the chart's
// title above and run and date below.
#pragma once

#include "ui/views/charts/charts.h"
#include "ui/views/widgets/picture.h"

namespace opscope::ui {

/// Draws what `shown` shows, at the chart's own picture size. GUI thread.
Picture drawPicture(const ChartEntry& entry, const Chart& shown, const std::shared_ptr<const RunView>& run,
                    Selection* selection, PictureFormat format);

}  // namespace opscope::ui
