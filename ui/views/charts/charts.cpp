// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/charts.h"

#include "ui/views/charts/device_chart.h"
#include "ui/views/charts/device_repeat_chart.h"
#include "ui/views/charts/growth_chart.h"
#include "ui/views/charts/kind_chart.h"
#include "ui/views/charts/op_bars_chart.h"
#include "ui/views/charts/op_calls_chart.h"
#include "ui/views/charts/repeat_chart.h"
#include "ui/views/charts/spread_chart.h"
#include "ui/views/charts/sweep_chart.h"
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
      {"time-by-device", ChartSegment::ByDevice, 200, make<DeviceChart>},
      {"devices-against-repeat", ChartSegment::ByDevice, 260, make<DeviceRepeatChart>},
      {"op-histogram", ChartSegment::OneOp, 260, make<HistogramChart>},
      {"op-ecdf", ChartSegment::OneOp, 260, make<EcdfChart>},
      {"op-calls", ChartSegment::OneOp, 240, make<OpCallsChart>},
      {"op-repeats", ChartSegment::OneOp, 240, make<OpRepeatChart>},
      {"total-against-repeat", ChartSegment::AgainstRepeat, 260, make<TotalRepeatChart>},
      {"op-against-repeat", ChartSegment::AgainstRepeat, 260, make<OpRepeatChart>},
      {"sweep", ChartSegment::Sweep, 420, make<SweepChart>},
      {"growth", ChartSegment::Sweep, 420, make<GrowthChart>},
  };
  return entries;
}

}  // namespace opscope::ui
