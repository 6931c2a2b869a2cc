// SPDX-License-Identifier: GPL-3.0-or-later
// A chart drawn by QCustomPlot, with axes of the look. GUI thread.
#pragma once

#include <functional>

#include "ui/models/chart_data.h"
#include "ui/views/charts/chart.h"
#include "ui/views/charts/custom_plot.h"
#include "ui/views/charts/snapped_bars.h"

namespace opscope::ui {

/// Ticks at steps of 1, 2 and 5, told by the program's formatter.
class NumberTicker : public QCPAxisTicker {
 public:
  /// Not more than this many ticks, and whole numbers only when `whole`.
  explicit NumberTicker(int wanted, bool whole = false) : m_wanted(wanted), m_whole(whole) {}
  /// This step, whatever the range.
  void setStep(double step) { m_step = step; }

 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision) override;
  int getSubTickCount(double) override { return 0; }

 private:
  int m_wanted;
  bool m_whole;
  int m_decimals = 0;
  double m_step = 0;
};

class PlotChart : public Chart {
  Q_OBJECT
 public:
  explicit PlotChart(const ChartContext& context, QWidget* parent = nullptr);
  void paintPicture(QCPPainter* painter, const QSize& size) override;

 protected:
  QCustomPlot* plot() const { return m_plot; }
  /// Takes away all that is drawn and puts axes, grid and background in the theme's colours and fonts:
  /// `value` is the axis with the grid across it, `base` the one with the line at its zero.
  void clearPlot(QCPAxis* value, QCPAxis* base);
  void styleAxis(QCPAxis* axis) const;
  void replot() { m_plot->replot(QCustomPlot::rpQueuedReplot); }
  /// The drawing has this size now.
  virtual void fit(const QSize& size) { Q_UNUSED(size); }

  /// A line across the whole drawing at a value of the x axis, or of the y axis.
  QCPItemStraightLine* addMark(Qt::Orientation orientation, double value, Qt::PenStyle style,
                               double width = 1);
  /// A text of 11 px at a point of the plot, on the base colour.
  QCPItemText* addText(double x, double y, const QString& text, Qt::Alignment alignment);
  QPen edgePen() const { return QPen(theme()->colours().fillEdge, 1); }

  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QCustomPlot* m_plot;
};

}  // namespace opscope::ui
