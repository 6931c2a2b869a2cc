// SPDX-License-Identifier: GPL-3.0-or-later
// Time against repeat: whether a run drifts. GUI thread.
#pragma once

#include "ui/views/charts/plot_chart.h"

namespace opscope::ui {

/// The values of the repeats as a line with their median.
class RepeatChart : public PlotChart {
  Q_OBJECT
 public:
  explicit RepeatChart(const ChartContext& context, QWidget* parent = nullptr);
  QString detail() const override;
  QString emptyText() const override;
  QSize pictureSize() const override { return {760, 300}; }
  /// In us, by repeat.
  const std::vector<double>& values() const { return m_values; }

 protected:
  virtual std::vector<double> wantedValues() const = 0;
  virtual QColor lineInk() const = 0;
  void rebuild() override;
  void showHover(const std::optional<QPointF>& point) override;
  QString hoverText(const QPointF& point) const override;

 private:
  void addLine();
  void setRanges();
  std::optional<std::size_t> repeatAt(const QPointF& point) const;

  std::vector<double> m_values;
  double m_medianUs = 0;
  TimeUnit m_unit;
  QCPItemTracer* m_tracer = nullptr;
};

class TotalRepeatChart : public RepeatChart {
  Q_OBJECT
 public:
  using RepeatChart::RepeatChart;
  QString title() const override { return QStringLiteral("Total against repeat"); }

 protected:
  std::vector<double> wantedValues() const override;
  QColor lineInk() const override { return theme()->colours().text; }
};

class OpRepeatChart : public RepeatChart {
  Q_OBJECT
 public:
  using RepeatChart::RepeatChart;
  QString title() const override;

 protected:
  std::vector<double> wantedValues() const override;
  QColor lineInk() const override;
  bool isOfOneOp() const override { return true; }
};

}  // namespace opscope::ui
