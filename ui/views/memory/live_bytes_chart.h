// SPDX-License-Identifier: GPL-3.0-or-later
// Live bytes over the time of a repeat: storages as an area, the tensors in them and the scratch memory of
// kernels as lines, the peak. GUI thread.
#pragma once

#include "ui/views/memory/time_chart.h"

namespace opscope::ui {

class LiveBytesChart : public TimeChart {
  Q_OBJECT
 public:
  LiveBytesChart(const Theme* theme, TimeAxis* axis, QWidget* around);
  void setMemory(std::shared_ptr<const MemoryData> shown) override;
  QSize sizeHint() const override { return {theme()->px(600), theme()->px(190)}; }
  /// The colours of the three series, as they are drawn: area, tensors, workspaces.
  static const Fill& areaFill(const Theme* theme);
  static const Fill& tensorsFill(const Theme* theme);
  static const Fill& workspacesFill(const Theme* theme);

 protected:
  double highest() const override;
  void paintData(QPainter* painter, const QRectF& plot) override;
  TipText tipAt(const QPointF& point) const override;
  void choose(const QPointF& point) override;

 private:
  QPolygonF stepsOf(std::span<const report::MemoryPoint> points, const QRectF& plot) const;
  void paintLine(QPainter* painter, const QPolygonF& steps, const Fill& fill) const;
  void paintPeak(QPainter* painter, const QRectF& plot) const;
};

}  // namespace opscope::ui
