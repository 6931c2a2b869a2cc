// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/growth_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/views/charts/custom_plot.h"
#include "ui/views/look/digits.h"

namespace opscope::ui {
namespace {

constexpr double kRowHeight = 24;
constexpr double kTimeColumn = 96;

/// In the unit of the column, so that times stand under each other.
QString cellText(const report::ScalingRow& row, std::size_t value, const TimeUnit& unit) {
  if (row.tooShort[value]) return QStringLiteral("too short");
  return row.us[value] ? inUnit(*row.us[value], unit) : format::missing();
}

}  // namespace

GrowthChart::GrowthChart(const ChartContext& context, QWidget* parent) : Chart(context, parent) {}

void GrowthChart::setSweep(std::shared_ptr<const SweepView> sweep) {
  m_sweep = std::move(sweep);
  m_hovered.reset();
  rebuildAll();
}

void GrowthChart::rebuild() {
  m_ops = m_sweep ? opsOf(run().get(), m_sweep->scaling.rows) : std::vector<OpId>();
  update();
}

QString GrowthChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  return m_sweep->scaling.values.size() < 3
             ? QStringLiteral("from 3 values on the exponent is told")
             : QStringLiteral("the exponent of %1 that fits best").arg(m_sweep->over);
}

QString GrowthChart::emptyText() const {
  if (!m_sweep || m_sweep->scaling.rows.empty())
    return QStringLiteral("Growth is told when a sweep is shown.");
  return {};
}

QSize GrowthChart::pictureSize() const {
  return {560, int(kRowHeight * double(std::min<std::size_t>(rowCount(), 40) + 1)) + 16};
}

std::size_t GrowthChart::rowCount() const {
  return m_sweep ? m_sweep->scaling.rows.size() + 1 : 0;
}

const report::ScalingRow& GrowthChart::rowAt(std::size_t index) const {
  return index == 0 ? m_sweep->scaling.total : m_sweep->scaling.rows[index - 1];
}

OpId GrowthChart::opOf(std::size_t index) const {
  return index == 0 || index > m_ops.size() ? OpId() : m_ops[index - 1];
}

std::vector<OpId> GrowthChart::ops() const {
  std::vector<OpId> result;
  for (std::size_t i = 1; i < shownRows(size()); ++i) {
    const OpId op = opOf(i);
    if (!op.isNull()) result.push_back(op);
  }
  return result;
}

QRectF GrowthChart::rowRect(std::size_t index, const QSizeF& size) const {
  const double height = theme()->px(kRowHeight), margin = theme()->px(12);
  return QRectF(margin, theme()->px(6) + height * double(index + 1), std::max(0.0, size.width() - 2 * margin),
                height);
}

std::size_t GrowthChart::shownRows(const QSizeF& size) const {
  std::size_t shown = 0;
  while (shown < rowCount() && rowRect(shown, size).bottom() <= size.height()) ++shown;
  return shown;
}

std::optional<std::size_t> GrowthChart::indexAt(const QPointF& point) const {
  for (std::size_t i = 0; i < shownRows(size()); ++i) {
    if (rowRect(i, size()).contains(point)) return i;
  }
  return std::nullopt;
}

OpId GrowthChart::opAt(const QPointF& point) const {
  const auto index = indexAt(point);
  return index ? opOf(*index) : OpId();
}

std::optional<QRectF> GrowthChart::areaOf(const OpId& op) const {
  for (std::size_t i = 1; i < shownRows(size()); ++i) {
    if (!op.isNull() && opOf(i) == op) return rowRect(i, size());
  }
  return std::nullopt;
}

void GrowthChart::showHover(const std::optional<QPointF>& point) {
  const auto hovered = point ? indexAt(*point) : std::nullopt;
  if (hovered == m_hovered) return;
  m_hovered = hovered;
  update();
}

QString GrowthChart::hoverText(const QPointF& point) const {
  const auto index = indexAt(point);
  if (!index) return {};
  const report::ScalingRow& row = rowAt(*index);
  QStringList lines = format::brokenName(QString::fromStdString(row.name));
  for (std::size_t i = 0; i < row.us.size(); ++i) {
    lines << QStringLiteral("%1 = %2: %3")
                 .arg(m_sweep->over, format::integer(m_sweep->scaling.values[i]), sweptTimeText(row, i));
  }
  if (row.fit) lines << QStringLiteral("R² %1").arg(format::fixed(row.fit->rSquared, 3));
  if (!row.note.empty()) lines << QString::fromStdString(row.note);
  return lines.join(QLatin1Char('\n'));
}

void GrowthChart::paintRow(QPainter* painter, std::size_t index, const QSizeF& size) const {
  const Colours& c = theme()->colours();
  const report::ScalingRow& row = rowAt(index);
  const QRectF rect = rowRect(index, size);
  const bool chosen = index > 0 && !selection()->op().isNull() && opOf(index) == selection()->op();
  if (chosen || m_hovered == index)
    painter->fillRect(rect.adjusted(-theme()->px(6), 0, theme()->px(6), 0), chosen ? c.selection : c.hover);
  const QFont font = theme()->font(12, index == 0 ? QFont::DemiBold : QFont::Normal);
  const DigitPainter digits(theme()->font(12));
  const QString words = QString::fromStdString(report::growthWords(row, m_sweep->over.toStdString()));
  QRectF cell = rect;
  painter->setPen(chosen ? c.onSelection : c.text);
  digits.drawRight(painter, cell, cellText(row, row.us.size() - 1, unitOf(row.us.size() - 1)));
  cell.setRight(cell.right() - theme()->px(kTimeColumn));
  digits.drawRight(painter, cell, cellText(row, 0, unitOf(0)));
  cell.setRight(cell.right() - theme()->px(kTimeColumn));
  const QFontMetricsF metrics(theme()->font(12));
  const double growthWidth = std::min(metrics.horizontalAdvance(words), cell.width() * 0.5);
  painter->setFont(theme()->font(12));
  painter->setPen(chosen ? c.onSelection : c.textSecondary);
  painter->drawText(QRectF(cell.right() - growthWidth - 1, cell.top(), growthWidth + 1, cell.height()),
                    Qt::AlignRight | Qt::AlignVCenter,
                    metrics.elidedText(words, Qt::ElideRight, growthWidth));
  cell.setRight(cell.right() - growthWidth - theme()->px(10));
  painter->setFont(font);
  painter->setPen(chosen ? c.onSelection : c.text);
  painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                    QFontMetricsF(font).elidedText(QString::fromStdString(row.name), Qt::ElideMiddle,
                                                   std::max(0.0, cell.width())));
}

TimeUnit GrowthChart::unitOf(std::size_t value) const {
  return timeUnitFor(m_sweep->scaling.total.us[value].value_or(0));
}

QString GrowthChart::headText(std::size_t value) const {
  return QStringLiteral("%1 = %2 (%3)")
      .arg(m_sweep->over, format::integer(m_sweep->scaling.values[value]), unitOf(value).name);
}

void GrowthChart::paint(QPainter* painter, const QSizeF& size) const {
  if (!emptyText().isEmpty()) return;
  const Colours& c = theme()->colours();
  const QRectF head(theme()->px(12), theme()->px(6), size.width() - 2 * theme()->px(12),
                    theme()->px(kRowHeight));
  const auto& values = m_sweep->scaling.values;
  const DigitPainter digits(theme()->font(12));
  painter->setPen(c.textSecondary);
  QRectF cell = head;
  digits.drawRight(painter, cell, headText(values.size() - 1));
  cell.setRight(cell.right() - theme()->px(kTimeColumn));
  digits.drawRight(painter, cell, headText(0));
  cell.setRight(cell.right() - theme()->px(kTimeColumn));
  painter->setFont(theme()->font(12));
  painter->drawText(cell, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("Growth"));
  painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("Op"));
  painter->fillRect(QRectF(head.left(), head.bottom() - 1, head.width(), 1), c.line);
  std::size_t shown = shownRows(size);
  const bool cut = shown < rowCount();
  if (cut && shown > 0) --shown;
  for (std::size_t i = 0; i < shown; ++i) paintRow(painter, i, size);
  if (!cut) return;
  painter->setFont(theme()->font(12));
  painter->setPen(c.textSecondary);
  painter->drawText(
      rowRect(shown, size), Qt::AlignLeft | Qt::AlignVCenter,
      QStringLiteral("and %1").arg(format::counted(std::int64_t(rowCount() - shown), "more op", "more ops")));
}

void GrowthChart::paintPicture(QCPPainter* painter, const QSize& size) {
  paint(painter, size);
}

void GrowthChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme()->colours().base);
  paint(&painter, size());
  paintFocus(&painter);
}

}  // namespace opscope::ui
