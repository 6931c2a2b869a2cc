// SPDX-License-Identifier: GPL-3.0-or-later
// Every call of one op in the order in which they run: which of its calls take long. GUI thread.
#pragma once

#include "ui/views/charts/plot_chart.h"

namespace opscope::ui {

class OpCallsChart : public PlotChart {
  Q_OBJECT
 public:
  explicit OpCallsChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override;
  QString detail() const override;
  QString emptyText() const override;
  QSize pictureSize() const override { return {760, 300}; }
  /// Mean over repeats of each call, in us.
  const std::vector<double>& values() const { return m_values; }
  /// Where call `index` of the op is drawn.
  QPointF pointOf(std::size_t index) const;

 protected:
  void rebuild() override;
  void fit(const QSize& size) override;
  bool isOfOneOp() const override { return true; }
  void showHover(const std::optional<QPointF>& point) override;
  QString hoverText(const QPointF& point) const override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  void addValues();
  std::optional<std::size_t> callAt(const QPointF& point) const;

  std::shared_ptr<const OpDetails> m_details;
  std::vector<double> m_values;
  TimeUnit m_unit;
  QCPItemTracer* m_tracer = nullptr;
  std::vector<QCPItemText*> m_texts;
};

}  // namespace opscope::ui
