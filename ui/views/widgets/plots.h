// SPDX-License-Identifier: GPL-3.0-or-later
// Small plots: the histogram of an op, the total of each repeat. GUI thread; painted with QPainter.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/views/look/theme.h"

namespace opscope::ui {

/// Steps of 1, 2 or 5 times a power of ten, 3 to 6 of them within [low, high].
std::vector<double> axisTicks(double low, double high, int wanted = 5);

/// Freedman-Diaconis bins with median and p95; a dot strip below 8 values.
class HistogramPlot : public QWidget {
  Q_OBJECT
 public:
  explicit HistogramPlot(const Theme* theme, QWidget* parent = nullptr);
  void setSamples(std::vector<double> samplesUs, const Fill& fill);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintDots(QPainter* painter, const QRectF& plot, double low, double high) const;
  void paintBins(QPainter* painter, const QRectF& plot, double low, double high) const;
  void paintMarks(QPainter* painter, const QRectF& plot, double low, double high) const;

  const Theme* m_theme;
  std::vector<double> m_samples;  ///< ascending
  QColor m_fill;
};

/// A line through the totals of the repeats, with their median.
class RepeatPlot : public QWidget {
  Q_OBJECT
 public:
  explicit RepeatPlot(const Theme* theme, QWidget* parent = nullptr);
  /// `wanted` repeats at least have room on the axis.
  void setTotals(std::vector<double> totalsUs, std::size_t wanted);
  /// The number of the first one; 1 unless set.
  void setFirst(std::size_t first) { m_first = first; }
  /// More are to come: their place is marked, and the median is called that of those until now.
  void setGoing(bool going) { m_going = going; }
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  /// Values in the axis' unit to pixels.
  struct Scale {
    QRectF plot;
    double unitUs = 1;
    double low = 0;
    double high = 1;
    double y(double value) const { return plot.bottom() - (value - low) / (high - low) * plot.height(); }
  };
  Scale makeScale(int lineHeight) const;
  /// `repeat` counts from 1 at the first that is shown.
  double xOf(const Scale& scale, double repeat) const;
  /// Up to where the axis goes.
  double shownRepeats() const;
  void paintAxes(QPainter* painter, const Scale& scale) const;
  void paintMedian(QPainter* painter, const Scale& scale, const QPolygonF& points) const;
  /// The place of the repeats that are to come, with its words where there is room.
  void paintToCome(QPainter* painter, const Scale& scale) const;
  /// One point a repeat; of many that share a column of pixels the first, the least, the most and the last.
  QPolygonF linePoints(const Scale& scale) const;

  const Theme* m_theme;
  std::vector<double> m_totals;
  double m_medianUs = 0;
  std::size_t m_wanted = 0;
  std::size_t m_first = 1;
  bool m_going = false;
};

}  // namespace opscope::ui
