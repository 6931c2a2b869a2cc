// SPDX-License-Identifier: GPL-3.0-or-later
// Time by op: horizontal bars, largest on top, with the running share of the ops’ sum. GUI thread.
#pragma once

#include "ui/views/charts/plot_chart.h"

namespace opscope::ui {

class OpBarsChart : public PlotChart {
  Q_OBJECT
 public:
  explicit OpBarsChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override { return QStringLiteral("Time by op"); }
  QString detail() const override;
  QString emptyText() const override;
  std::vector<OpId> ops() const override;
  std::optional<QRectF> areaOf(const OpId& op) const override;
  QSize pictureSize() const override { return {760, 430}; }
  const OpBars& bars() const { return m_bars; }

 protected:
  void rebuild() override;
  void showSelection() override;
  void showHover(const std::optional<QPointF>& point) override;
  QString hoverText(const QPointF& point) const override;
  void fit(const QSize& size) override;

 private:
  QString nameAt(std::size_t bar) const;
  /// The name beside a line, cut to `width`.
  QString labelOf(std::size_t line, double width) const;
  bool hasMore() const { return m_bars.moreGroups > 0; }
  /// Bars and, where there is one, the line of the rest.
  std::size_t lines() const { return m_bars.bars.size() + (hasMore() ? 1 : 0); }
  std::optional<std::size_t> lineAt(const QPointF& point) const;
  QRectF lineRect(std::size_t line) const;
  std::optional<std::size_t> lineOfSelection() const;
  QCPItemRect* addBand(const QColor& colour);
  /// Behind a line's name (`right` 0) or the whole line (1); nowhere without a line.
  void placeBand(QCPItemRect* band, std::optional<std::size_t> line, double right);
  void addBars(const TimeUnit& unit);
  void addRunningShare();
  void addNote();
  /// A line where neither bars nor the running share lie behind the note.
  double freeLine() const;
  /// How long a line's bar is drawn. The rest may be many times the longest op: it is broken, so that the
  /// bars of ops keep their lengths.
  double drawnUs(std::size_t line) const;
  bool isBroken(std::size_t line) const;

  OpBars m_bars;
  std::vector<QCPBars*> m_items;
  std::vector<QCPItemText*> m_names;
  QCPItemRect* m_selectedBand = nullptr;
  QCPItemRect* m_hoverBand = nullptr;
  bool m_namesWereFused = false;
  double m_largest = 1;  ///< that is drawn, in the unit of the axis
};

}  // namespace opscope::ui
