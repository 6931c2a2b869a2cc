// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/op_bars_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr double kBarThickness = 0.68;
/// The rest is drawn whole up to this many lengths of the longest op.
constexpr double kRestAtMost = 2;
constexpr double kFewestLines = 8;  // fewer bars do not grow thicker

}  // namespace

OpBarsChart::OpBarsChart(const ChartContext& context, QWidget* parent) : PlotChart(context, parent) {
  plot()->xAxis2->setVisible(true);
}

QString OpBarsChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  return QStringLiteral("%1, largest first · line: running share")
      .arg(format::counted(std::int64_t(m_bars.groups), "group", "groups"));
}

QString OpBarsChart::emptyText() const {
  if (m_bars.groups == 0) return QStringLiteral("This report has no ops.");
  if (m_bars.opsUs <= 0) return QStringLiteral("All ops of this report took no time.");
  return {};
}

QString OpBarsChart::nameAt(std::size_t bar) const {
  const report::OpRow& row = run()->byOp.rows[m_bars.bars[bar].row];
  return format::fromUtf8(report::nameOf(run()->run(), row));
}

std::vector<OpId> OpBarsChart::ops() const {
  std::vector<OpId> ops;
  for (const OpBar& bar : m_bars.bars) ops.push_back(opOf(run()->byOp.rows[bar.row]));
  return ops;
}

void OpBarsChart::rebuild() {
  m_bars = opBars(run()->byOp);
  m_items.clear();
  m_names.clear();
  clearPlot(plot()->xAxis, plot()->yAxis);
  m_selectedBand = addBand(theme()->colours().selection);
  m_hoverBand = addBand(theme()->colours().hover);
  double largest = 0;
  for (std::size_t line = 0; line < lines(); ++line) largest = std::max(largest, drawnUs(line));
  const TimeUnit unit = timeUnitFor(largest);
  m_largest = largest > 0 ? unit.from(largest) : 1;
  plot()->yAxis->setRange(-0.6, std::max(double(lines()), kFewestLines) - 0.4);
  plot()->yAxis->setRangeReversed(true);
  // Names are items of their own: a chosen one has its own colour.
  plot()->yAxis->setTickLabels(false);
  plot()->xAxis2->setTickLabelColor(theme()->colours().textSecondary);
  plot()->xAxis2->setLabel(QStringLiteral("Running share of the ops’ sum"));
  m_namesWereFused = false;
  for (std::size_t i = 0; i < m_bars.bars.size(); ++i)
    m_namesWereFused = m_namesWereFused || shortName(nameAt(i)) != nameAt(i);
  plot()->xAxis->setLabel(
      QStringLiteral("Duration (%1)").arg(unit.name) +
      (m_namesWereFused ? QStringLiteral(" · names without a leading fused_") : QString()));
  addBars(unit);
  addRunningShare();
  addNote();
  fit(plot()->size());
}

QCPItemRect* OpBarsChart::addBand(const QColor& colour) {
  auto* band = new QCPItemRect(plot());
  band->setLayer(QStringLiteral("background"));
  band->setClipToAxisRect(false);
  band->setPen(Qt::NoPen);
  band->setBrush(colour);
  band->setVisible(false);
  for (QCPItemPosition* position : {band->topLeft, band->bottomRight}) {
    position->setTypeY(QCPItemPosition::ptPlotCoords);
    position->setAxes(plot()->xAxis, plot()->yAxis);
  }
  band->topLeft->setTypeX(QCPItemPosition::ptViewportRatio);
  band->bottomRight->setTypeX(QCPItemPosition::ptAxisRectRatio);
  return band;
}

void OpBarsChart::placeBand(QCPItemRect* band, std::optional<std::size_t> line, double right) {
  band->setVisible(line.has_value());
  if (!line) return;
  band->topLeft->setCoords(0, double(*line) - 0.46);
  band->bottomRight->setCoords(right, double(*line) + 0.46);
}

void OpBarsChart::addBars(const TimeUnit& unit) {
  const Colours& c = theme()->colours();
  for (std::size_t i = 0; i < lines(); ++i) {
    const bool rest = i == m_bars.bars.size();
    const double us = rest ? m_bars.moreUs : m_bars.bars[i].us;
    auto* bar = new SnappedBars(plot()->yAxis, plot()->xAxis);
    bar->setWidth(kBarThickness);
    bar->setAntialiased(false);
    bar->setData({double(i)}, {unit.from(drawnUs(i))}, true);
    bar->setBrush(Qt::NoBrush);
    if (!rest) {
      bar->setBrush(fillOf(run()->byOp.rows[m_bars.bars[i].row]).fill);
    }
    bar->setPen(rest ? dashedPen(c.controlBorder) : edgePen());
    m_items.push_back(bar);
    auto* value =
        addText(unit.from(drawnUs(i)), double(i), inColumn(us, unit), Qt::AlignLeft | Qt::AlignVCenter);
    value->setBrush(c.base);  // the running share may lie behind it
    if (isBroken(i)) {
      auto* gap = addText(unit.from(drawnUs(i)) * 0.94, double(i), QStringLiteral("//"), Qt::AlignCenter);
      gap->setBrush(c.base);
      gap->setColor(c.textSecondary);
    }
    auto* name = addText(0, double(i), {}, Qt::AlignRight | Qt::AlignVCenter);
    name->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    name->position->setCoords(0, double(i));
    name->setFont(theme()->font(12));
    name->setPadding(QMargins(0, 0, theme()->px(6), 0));
    m_names.push_back(name);
  }
}

void OpBarsChart::addRunningShare() {
  QVector<double> lines, percents;
  for (std::size_t i = 0; i < m_bars.bars.size(); ++i) {
    lines << double(i);
    percents << m_bars.bars[i].runningPercent;
  }
  if (hasMore()) {
    lines << double(m_bars.bars.size());
    percents << 100;
  }
  const Colours& c = theme()->colours();
  // The halo parts the line from the bars that it crosses.
  for (const QPen& pen : {QPen(c.base, 4), QPen(c.text, 1.5)}) {
    auto* line = new QCPCurve(plot()->xAxis2, plot()->yAxis);
    line->setLayer(QStringLiteral("lines"));
    line->setData(percents, lines);
    line->setPen(pen);
    line->setAntialiased(true);
    if (pen.width() < 3) {
      line->setScatterStyle(
          QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(c.text, 1.5), c.base, theme()->px(6)));
    }
  }
}

void OpBarsChart::addNote() {
  if (m_bars.groupsFor80 == 0) return;
  auto* mark = addMark(Qt::Vertical, 80, Qt::DashLine);
  for (QCPItemPosition* point : {mark->point1, mark->point2}) point->setAxes(plot()->xAxis2, plot()->yAxis);
  mark->point1->setCoords(80, 0);
  mark->point2->setCoords(80, 1);
  const QString text = QStringLiteral("%1 of %2 %3 80 %")
                           .arg(format::integer(std::int64_t(m_bars.groupsFor80)),
                                format::counted(std::int64_t(m_bars.groups), "group", "groups"),
                                m_bars.groupsFor80 == 1 ? QStringLiteral("makes") : QStringLiteral("make"));
  auto* note = addText(0, 0, text, Qt::AlignRight | Qt::AlignVCenter);
  note->position->setAxes(plot()->xAxis2, plot()->yAxis);
  note->position->setCoords(79, freeLine());
  note->setPadding(QMargins(theme()->px(8), theme()->px(3), theme()->px(8), theme()->px(3)));
  note->setBrush(theme()->colours().base);
  note->setPen(QPen(theme()->colours().line, 1));
}

bool OpBarsChart::isBroken(std::size_t line) const {
  return line == m_bars.bars.size() && !m_bars.bars.empty() &&
         m_bars.moreUs > kRestAtMost * m_bars.bars.front().us;
}

double OpBarsChart::drawnUs(std::size_t line) const {
  if (line < m_bars.bars.size()) return m_bars.bars[line].us;
  return isBroken(line) ? m_bars.bars.front().us : m_bars.moreUs;
}

double OpBarsChart::freeLine() const {
  if (double(lines()) + 1 < kFewestLines) return kFewestLines - 1;
  double longest = 0;
  for (std::size_t line = 0; line < lines(); ++line) longest = std::max(longest, drawnUs(line));
  const auto percentAt = [&](std::size_t line) {
    return line < m_bars.bars.size() ? m_bars.bars[line].runningPercent : 100.0;
  };
  for (std::size_t line = lines(); line-- > 0;) {
    const double us = drawnUs(line);
    const double above = percentAt(line == 0 ? 0 : line - 1), below = percentAt(line + 1);
    const bool right = above > 80, left = below < 40;
    if (us < longest * 0.4 && (right || left)) return double(line);
  }
  return double(lines()) - 1;
}

QString OpBarsChart::labelOf(std::size_t line, double width) const {
  if (line == m_bars.bars.size()) {
    return format::counted(std::int64_t(m_bars.moreGroups), "more group", "more groups");
  }
  const std::int64_t count = run()->byOp.rows[m_bars.bars[line].row].count;
  const QString calls = count > 1 ? QStringLiteral(" ×%1").arg(format::integer(count)) : QString();
  const QString name = shortName(nameAt(line));
  const QFontMetricsF metrics(theme()->font(12));
  return metrics.elidedText(name, Qt::ElideMiddle, width - metrics.horizontalAdvance(calls)) + calls;
}

void OpBarsChart::fit(const QSize& size) {
  const QFontMetricsF metrics(theme()->font(12));
  const double room = std::clamp(size.width() * 0.3, double(theme()->px(60)), double(theme()->px(230)));
  double widest = 0;
  for (std::size_t i = 0; i < m_names.size(); ++i) {
    const QString label = labelOf(i, room);
    m_names[i]->setText(label);
    widest = std::max(widest, metrics.horizontalAdvance(label));
  }
  // QCustomPlot leaves out a label that would be cut: the last percent needs room on its right, and so does
  // the value at the end of the longest bar.
  const int value = QFontMetrics(theme()->font(11)).horizontalAdvance(format::fixed(m_largest, 2));
  plot()->axisRect()->setMinimumMargins(
      QMargins(int(widest) + theme()->px(14), 0, std::max(theme()->px(24), value + theme()->px(8)), 0));
  const bool narrow = size.width() < theme()->px(420);
  // The whole share stands at a tick of the time, so that the two scales have their lines in common.
  const double step = tickStep(m_largest, narrow ? 3 : 5), top = std::ceil(m_largest / step - 1e-9) * step;
  constexpr double kLastPoint = 1.015;  // room for the last point
  plot()->xAxis->setRange(0, top * kLastPoint);
  plot()->xAxis2->setRange(0, 100 * kLastPoint);
  auto* times = new NumberTicker(6);
  times->setStep(step);
  plot()->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(times));
  QSharedPointer<QCPAxisTickerText> percents(new QCPAxisTickerText);
  for (int percent = 0; percent <= 100; percent += narrow ? 50 : 20)
    percents->addTick(percent, QStringLiteral("%1 %").arg(percent));
  plot()->xAxis2->setTicker(percents);
  replot();
}

QRectF OpBarsChart::lineRect(std::size_t line) const {
  const double top = plot()->yAxis->coordToPixel(double(line) - 0.5);
  const double bottom = plot()->yAxis->coordToPixel(double(line) + 0.5);
  return QRectF(plot()->x(), plot()->y() + top, plot()->width(), bottom - top);
}

std::optional<std::size_t> OpBarsChart::lineAt(const QPointF& point) const {
  for (std::size_t line = 0; line < lines(); ++line) {
    if (lineRect(line).contains(point)) return line;
  }
  return std::nullopt;
}

std::optional<QRectF> OpBarsChart::areaOf(const OpId& op) const {
  for (std::size_t i = 0; i < m_bars.bars.size(); ++i) {
    if (opOf(run()->byOp.rows[m_bars.bars[i].row]) == op) return lineRect(i);
  }
  return std::nullopt;
}

std::optional<std::size_t> OpBarsChart::lineOfSelection() const {
  const report::OpRow* row = rowOf(selection()->op());
  if (row == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < m_bars.bars.size(); ++i) {
    if (&run()->byOp.rows[m_bars.bars[i].row] == row) return i;
  }
  return hasMore() ? std::optional(m_bars.bars.size()) : std::nullopt;
}

void OpBarsChart::showSelection() {
  const auto chosen = lineOfSelection();
  placeBand(m_selectedBand, chosen, 0);
  const Colours& c = theme()->colours();
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    const bool rest = i == m_bars.bars.size();
    const QPen usual = rest ? dashedPen(c.controlBorder) : edgePen();
    m_names[i]->setColor(chosen == i ? c.onSelection : rest ? c.textSecondary : c.text);
    m_items[i]->setPen(chosen == i ? (rest ? dashedPen(c.text, 2) : QPen(c.text, 2)) : usual);
  }
  replot();
}

void OpBarsChart::showHover(const std::optional<QPointF>& point) {
  const auto line = point ? lineAt(*point) : std::nullopt;
  placeBand(m_hoverBand, line == lineOfSelection() ? std::nullopt : line, 1);
  replot();
}

QString OpBarsChart::hoverText(const QPointF& point) const {
  const auto line = lineAt(point);
  if (!line) return {};
  if (*line < m_bars.bars.size()) {
    const OpBar& bar = m_bars.bars[*line];
    return QStringLiteral("%1\nUp to here: %2 % of the ops’ sum")
        .arg(describe(run()->byOp.rows[bar.row]), format::percent(bar.runningPercent, 1));
  }
  const auto more = std::int64_t(m_bars.moreGroups);
  const QString text =
      QStringLiteral("%1, together %2")
          .arg(format::counted(more, "more group", "more groups"), format::duration(m_bars.moreUs).text());
  return isBroken(*line) ? text + QStringLiteral("\nThe bar is broken: it would be many times as long")
                         : text;
}

}  // namespace opscope::ui
