// SPDX-License-Identifier: GPL-3.0-or-later
// How each op grows with the value that a sweep varied, in words and numbers. GUI thread; painted with
// QPainter.
#pragma once

#include "ui/models/chart_data.h"
#include "ui/views/charts/chart.h"

namespace opscope::ui {

class GrowthChart : public Chart {
  Q_OBJECT
 public:
  explicit GrowthChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override { return QStringLiteral("Growth"); }
  QString detail() const override;
  QString emptyText() const override;
  QString caption() const override { return m_sweep ? m_sweep->caption : QString(); }
  QSize pictureSize() const override;
  void paintPicture(QCPPainter* painter, const QSize& size) override;
  void setSweep(std::shared_ptr<const SweepView> sweep) override;
  std::shared_ptr<const SweepView> sweep() const override { return m_sweep; }
  std::vector<OpId> ops() const override;
  OpId opAt(const QPointF& point) const override;
  std::optional<QRectF> areaOf(const OpId& op) const override;
  /// "1.02", under its head "Exponent of n"; a dash where only the number of values keeps it from being told,
  /// which detail() says once.
  QString growthText(const report::ScalingRow& row) const;
  /// From left to right; each is wide enough for what it holds, as far as the names keep their part.
  struct Columns {
    QRectF name, growth, first, last;
  };
  Columns columnsOf(const QRectF& row, std::size_t shown) const;

 protected:
  bool hasData() const override { return true; }
  void rebuild() override;
  QString hoverText(const QPointF& point) const override;
  void showHover(const std::optional<QPointF>& point) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  /// The total, then ops.
  std::size_t rowCount() const;
  const report::ScalingRow& rowAt(std::size_t index) const;
  OpId opOf(std::size_t index) const;
  std::optional<std::size_t> indexAt(const QPointF& point) const;
  QRectF headRect(const QSizeF& size) const;
  QRectF rowRect(std::size_t index, const QSizeF& size) const;
  std::size_t shownRows(const QSizeF& size) const;
  QString headText(std::size_t value) const;
  QString growthHead() const;
  void paint(QPainter* painter, const QSizeF& size) const;
  void paintHead(QPainter* painter, const Columns& columns) const;
  void paintRow(QPainter* painter, std::size_t index, const QRectF& rect, const Columns& columns) const;
  QString headHoverText(const QPointF& point) const;

  std::shared_ptr<const SweepView> m_sweep;
  std::vector<OpId> m_ops;  ///< of the rows without the total; null where the run has none
  std::optional<std::size_t> m_hovered;
};

}  // namespace opscope::ui
