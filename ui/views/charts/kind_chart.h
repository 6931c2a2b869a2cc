// SPDX-License-Identifier: GPL-3.0-or-later
// Time by kind of op: one stacked bar with a table as its legend. GUI thread; painted with QPainter.
#pragma once

#include "ui/models/chart_data.h"
#include "ui/views/charts/chart.h"

namespace opscope::ui {

class KindChart : public Chart {
  Q_OBJECT
 public:
  explicit KindChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override { return QStringLiteral("Time by kind"); }
  QString detail() const override;
  QString emptyText() const override;
  /// The largest op of each kind.
  std::vector<OpId> ops() const override;
  OpId opAt(const QPointF& point) const override;
  std::optional<QRectF> areaOf(const OpId& op) const override;
  QSize pictureSize() const override { return {760, 210}; }
  void paintPicture(QCPPainter* painter, const QSize& size) override;
  const KindShares& shares() const { return m_shares; }

 protected:
  void rebuild() override;
  void showHover(const std::optional<QPointF>& point) override;
  QString hoverText(const QPointF& point) const override;
  void paintEvent(QPaintEvent* event) override;

 private:
  /// Kinds, then the time between ops.
  std::size_t parts() const { return m_shares.kinds.size() + (m_shares.betweenUs > 0 ? 1 : 0); }
  bool isBetween(std::size_t part) const { return part == m_shares.kinds.size(); }
  QRectF barRect(const QSizeF& size) const;
  QRectF partRect(std::size_t part, const QSizeF& size) const;
  QRectF legendRect(std::size_t part, const QSizeF& size) const;
  std::optional<std::size_t> partAt(const QPointF& point) const;
  std::optional<std::size_t> partOfSelection() const;
  void paint(QPainter* painter, const QSizeF& size) const;
  void paintPart(QPainter* painter, std::size_t part, const QSizeF& size) const;
  void paintLegend(QPainter* painter, std::size_t part, const QSizeF& size) const;
  QString nameOf(std::size_t part) const;
  double timeUsOf(std::size_t part) const;
  double percentOf(std::size_t part) const;

  KindShares m_shares;
  std::optional<std::size_t> m_hovered;
};

}  // namespace opscope::ui
