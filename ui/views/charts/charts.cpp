// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/charts.h"

#include "ui/views/charts/kind_chart.h"
#include "ui/views/charts/op_bars_chart.h"
#include "ui/views/charts/repeat_chart.h"
#include "ui/views/charts/spread_chart.h"
#include "ui/views/charts/treemap_chart.h"

namespace opscope::ui {
namespace {

template <class T>
Chart* make(const ChartContext& context) {
  return new T(context);
}

}  // namespace

const std::vector<ChartEntry>& charts() {
  static const std::vector<ChartEntry> entries = {
      {"time-by-op", ChartSegment::TimeByOp, 340, make<OpBarsChart>},
      {"treemap", ChartSegment::TimeByOp, 340, make<TreemapChart>},
      {"time-by-kind", ChartSegment::TimeByOp, 190, make<KindChart>},
      {"spread", ChartSegment::TimeByOp, 190, make<SpreadChart>},
      {"total-against-repeat", ChartSegment::AgainstRepeat, 260, make<TotalRepeatChart>},
      {"op-against-repeat", ChartSegment::AgainstRepeat, 260, make<OpRepeatChart>},
  };
  return entries;
}

}  // namespace opscope::ui
