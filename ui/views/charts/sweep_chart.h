// SPDX-License-Identifier: GPL-3.0-or-later
// Time against the value that a sweep varied: the total and the longest ops. GUI thread.
#pragma once

#include "ui/views/charts/plot_chart.h"

namespace opscope::ui {

class SweepChart : public PlotChart {
  Q_OBJECT
 public:
  explicit SweepChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override;
  QString detail() const override;
  QString emptyText() const override;
  QString caption() const override { return m_sweep ? m_sweep->caption : QString(); }
  QWidget* titleControl() override { return m_control; }
  void takeView(const Chart& other) override;
  QSize pictureSize() const override { return {760, 430}; }
  void setSweep(std::shared_ptr<const SweepView> sweep) override;
  std::shared_ptr<const SweepView> sweep() const override { return m_sweep; }

  /// Both axes by factors: a power law is a straight line.
  void setLogarithmic(bool logarithmic);
  bool isLogarithmic() const { return m_logarithmic; }
  struct Line {
    const report::ScalingRow* row = nullptr;
    OpId op;  ///< null: the total, or the run has none
    QColor ink;
    QCPGraph* graph = nullptr;
    QCPItemText* name = nullptr;
  };
  /// The total, then ops, longest first.
  const std::vector<Line>& lines() const { return m_lines; }
  QPointF pointOf(std::size_t line, std::size_t value) const;

 protected:
  bool hasData() const override { return true; }
  void rebuild() override;
  void showSelection() override;
  QString hoverText(const QPointF& point) const override;
  void mousePressEvent(QMouseEvent* event) override;
  void fit(const QSize& size) override;

 private:
  void buildControl();
  void addLines();
  void addLine(const report::ScalingRow& row, const OpId& op, const QColor& ink);
  void setRanges();
  const Fill& fillOfLine(const report::ScalingRow& row) const;
  QCPScatterStyle dotsOf(const QColor& ink) const;
  /// Whole where it fits, else without a leading fused_.
  QString shownName(const Line& line, const QFontMetrics& metrics) const;
  std::optional<std::size_t> valueAt(const QPointF& point) const;

  std::shared_ptr<const SweepView> m_sweep;
  QWidget* m_control = nullptr;
  QAbstractButton* m_linearButton = nullptr;
  QAbstractButton* m_logButton = nullptr;
  bool m_logarithmic = true;
  TimeUnit m_unit;
  std::vector<Line> m_lines;
};

}  // namespace opscope::ui
