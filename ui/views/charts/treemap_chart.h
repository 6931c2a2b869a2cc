// SPDX-License-Identifier: GPL-3.0-or-later
// Treemap of the run: boxes of ops within boxes of kinds. A double click (or Return) goes into a kind,
// Backspace out of it. GUI thread; painted with QPainter.
#pragma once

#include "ui/models/chart_data.h"
#include "ui/views/charts/chart.h"

namespace opscope::ui {

class TreemapChart : public Chart {
  Q_OBJECT
 public:
  explicit TreemapChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override { return QStringLiteral("Treemap"); }
  QString detail() const override;
  QString emptyText() const override;
  void fillMenu(QMenu* menu) override;
  void takeView(const Chart& other) override;
  std::vector<OpId> ops() const override;
  OpId opAt(const QPointF& point) const override;
  std::optional<QRectF> areaOf(const OpId& op) const override;
  QSize pictureSize() const override { return {760, 520}; }
  void paintPicture(QCPPainter* painter, const QSize& size) override;

  /// The kind whose ops alone are drawn.
  std::optional<report::OpKind> inside() const { return m_inside; }
  void setInside(std::optional<report::OpKind> kind);

 protected:
  void rebuild() override;
  void showSelection() override;
  void showHover(const std::optional<QPointF>& point) override;
  QString hoverText(const QPointF& point) const override;
  void paintEvent(QPaintEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// An op, or the ops of a kind that are too small for boxes of their own.
  struct Cell {
    QRectF box;
    std::uint32_t row = report::kNone;
    std::size_t kind = 0;  ///< in the shares
    std::size_t rest = 0;  ///< number of ops when it is the rest
    double us = 0;
  };
  struct Block {
    QRectF box;
    QRectF header;  ///< empty when there is no room for it
    std::size_t kind = 0;
  };
  struct Layout {
    QSizeF size;
    std::vector<Block> blocks;
    std::vector<Cell> cells;
  };

  const Layout& layoutFor(const QSizeF& size) const;
  void layBlock(Layout* layout, std::size_t kind, const QRectF& box) const;
  const Cell* cellAt(const QPointF& point) const;
  std::optional<std::size_t> kindAt(const QPointF& point) const;
  void paint(QPainter* painter, const QSizeF& size) const;
  /// Whole where it fits, else without a leading fused_.
  QString shownName(const report::OpRow& row, double width) const;
  void paintCell(QPainter* painter, const Cell& cell) const;
  void paintRest(QPainter* painter, const Cell& cell, const QRectF& box) const;
  void paintHeader(QPainter* painter, const Block& block) const;

  KindShares m_shares;
  std::optional<report::OpKind> m_inside;
  std::uint32_t m_hoveredRow = report::kNone;
  mutable Layout m_layout;  // of the last size that was asked for; empty: to be made
};

}  // namespace opscope::ui
