// SPDX-License-Identifier: GPL-3.0-or-later
// The total of each device against the repeat. GUI thread.
#pragma once

#include "ui/models/device_shares.h"
#include "ui/views/charts/plot_chart.h"

namespace opscope::ui {

class DeviceRepeatChart : public PlotChart {
  Q_OBJECT
 public:
  explicit DeviceRepeatChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override { return QStringLiteral("Devices against repeat"); }
  QString detail() const override;
  QString emptyText() const override;
  QSize pictureSize() const override { return {760, 300}; }
  const std::vector<DeviceTotals>& totals() const { return m_totals; }

 protected:
  void rebuild() override;
  QString hoverText(const QPointF& point) const override;

 private:
  /// In the colours of devices where those are chosen, else neutral and told apart by dashes.
  QPen penOf(std::size_t device) const;

  std::vector<DeviceTotals> m_totals;
  TimeUnit m_unit;
  std::size_t m_repeats = 0;
};

}  // namespace opscope::ui
