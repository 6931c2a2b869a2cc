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
constexpr double kGap = 12;
constexpr double kTimeLeast = 64;
/// Of the width: names keep the rest at least.
constexpr double kTimeMost = 0.24, kGrowthMost = 0.26;

/// In µs with one decimal, so that points stand under each other.
QString cellText(const report::ScalingRow& row, std::size_t value) {
  return row.tooShort[value] ? QStringLiteral("too short") : format::microseconds(row.us[value]);
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
  const report::Scaling& scaling = m_sweep->scaling;
  const auto few = [](const report::ScalingRow& row) { return row.tooFewValues; };
  // The reason stands here once, and a dash in the rows.
  if (few(scaling.total) && std::ranges::all_of(scaling.rows, few))
    return QStringLiteral("from 3 measured values on the exponent is told");
  const QString fits = QStringLiteral("time grows as %1 to the power of its exponent").arg(m_sweep->over);
  return std::ranges::any_of(scaling.rows, few)
             ? fits + QStringLiteral(", %1 where fewer than 3 values were measured").arg(format::missing())
             : fits;
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

QRectF GrowthChart::headRect(const QSizeF& size) const {
  const double margin = theme()->px(12);
  return {margin, double(theme()->px(6)), std::max(0.0, size.width() - 2 * margin),
          double(theme()->px(kRowHeight))};
}

QRectF GrowthChart::rowRect(std::size_t index, const QSizeF& size) const {
  const QRectF head = headRect(size);
  return head.translated(0, head.height() * double(index + 1));
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
    if (isSameOp(opOf(i), op)) return rowRect(i, size());
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
  if (!index) return headHoverText(point);
  const report::ScalingRow& row = rowAt(*index);
  QStringList lines = format::brokenName(format::fromUtf8(row.name));
  for (std::size_t i = 0; i < row.us.size(); ++i) {
    lines << QStringLiteral("%1 = %2: %3")
                 .arg(m_sweep->over, format::integer(m_sweep->scaling.values[i]), sweptTimeText(row, i));
  }
  if (row.fit) lines << QStringLiteral("R² %1").arg(format::fixed(row.fit->rSquared, 3));
  if (!row.note.empty()) lines << format::fromUtf8(row.note);
  return lines.join(QLatin1Char('\n'));
}

QString GrowthChart::headHoverText(const QPointF& point) const {
  if (!emptyText().isEmpty() || !headRect(size()).contains(point)) return {};
  const Columns columns = columnsOf(headRect(size()), shownRows(size()));
  const auto& values = m_sweep->scaling.values;
  if (columns.first.contains(point)) return QStringLiteral("Median for ") + headText(0);
  if (columns.last.contains(point)) return QStringLiteral("Median for ") + headText(values.size() - 1);
  if (columns.growth.contains(point))
    return QStringLiteral("How the time grows with %1: the exponent that fits best").arg(m_sweep->over);
  return {};
}

QString GrowthChart::growthText(const report::ScalingRow& row) const {
  if (row.tooFewValues) return format::missing();
  if (!row.fit) return format::fromUtf8(row.note);
  const QString exponent = format::fixed(row.fit->exponent, 2);
  return row.note.empty() ? exponent : exponent + QStringLiteral(", ") + format::fromUtf8(row.note);
}

GrowthChart::Columns GrowthChart::columnsOf(const QRectF& row, std::size_t shown) const {
  const QFontMetricsF metrics(theme()->font(12, QFont::DemiBold));
  const DigitPainter digits(theme()->font(12));
  const std::size_t end = m_sweep->scaling.values.size() - 1;
  double growth = metrics.horizontalAdvance(growthHead());
  const DigitPainter head(theme()->font(12, QFont::DemiBold));
  double first = head.width(headText(0)), last = head.width(headText(end));
  for (std::size_t i = 0; i < std::min(shown, rowCount()); ++i) {
    growth = std::max(growth, metrics.horizontalAdvance(growthText(rowAt(i))));
    first = std::max(first, digits.width(cellText(rowAt(i), 0)));
    last = std::max(last, digits.width(cellText(rowAt(i), end)));
  }
  const double least = theme()->px(kTimeLeast), most = std::max(least, row.width() * kTimeMost);
  Columns columns{row, row, row, row};
  double right = row.right();
  const auto place = [&](QRectF& column, double width) {
    column.setRight(right);
    column.setLeft(right - width);
    right -= width + theme()->px(kGap);
  };
  place(columns.last, std::clamp(last + 1, least, most));
  place(columns.first, std::clamp(first + 1, least, most));
  // Names keep a part of the row.
  const double left = right - row.left() - theme()->px(kGap) - 0.15 * row.width();
  place(columns.growth,
        std::clamp(growth + 1, 0.0, std::max(0.0, std::min(left, row.width() * kGrowthMost))));
  columns.name.setRight(std::max(row.left(), right));
  return columns;
}

void GrowthChart::paintRow(QPainter* painter, std::size_t index, const QRectF& rect,
                           const Columns& columns) const {
  const Colours& c = theme()->colours();
  const report::ScalingRow& row = rowAt(index);
  const bool chosen = index > 0 && !selection()->op().isNull() && isSameOp(opOf(index), selection()->op());
  if (chosen || m_hovered == index)
    painter->fillRect(rect.adjusted(-theme()->px(6), 0, theme()->px(6), 0), chosen ? c.selection : c.hover);
  const auto cellOf = [&](const QRectF& column) {
    return QRectF(column.left(), rect.top(), column.width(), rect.height());
  };
  const QFont plain = theme()->font(12),
              font = theme()->font(12, index == 0 ? QFont::DemiBold : QFont::Normal);
  const DigitPainter digits(plain);
  const std::size_t end = row.us.size() - 1;
  painter->setPen(chosen ? c.onSelection : c.text);
  digits.drawRight(painter, cellOf(columns.last), cellText(row, end));
  digits.drawRight(painter, cellOf(columns.first), cellText(row, 0));
  painter->setFont(font);
  painter->drawText(
      cellOf(columns.name), Qt::AlignLeft | Qt::AlignVCenter,
      QFontMetricsF(font).elidedText(format::fromUtf8(row.name), Qt::ElideMiddle, columns.name.width()));
  painter->setFont(plain);
  painter->setPen(chosen ? c.onSelection : c.textSecondary);
  painter->drawText(cellOf(columns.growth), Qt::AlignRight | Qt::AlignVCenter,
                    QFontMetricsF(plain).elidedText(growthText(row), Qt::ElideRight, columns.growth.width()));
}

QString GrowthChart::growthHead() const {
  return QStringLiteral("Exponent of %1").arg(m_sweep->over);
}

QString GrowthChart::headText(std::size_t value) const {
  return QStringLiteral("%1 = %2 (µs)").arg(m_sweep->over, format::integer(m_sweep->scaling.values[value]));
}

void GrowthChart::paintHead(QPainter* painter, const Columns& columns) const {
  const QFont bold = theme()->font(12, QFont::DemiBold);
  const QFontMetricsF metrics(bold);
  const DigitPainter digits(bold);
  painter->setFont(bold);
  painter->setPen(theme()->colours().textSecondary);
  // The unit at the end stays where there is no room for all.
  const auto cut = [&](const QString& text, double width) {
    return metrics.elidedText(text, Qt::ElideMiddle, width);
  };
  digits.drawRight(painter, columns.last,
                   cut(headText(m_sweep->scaling.values.size() - 1), columns.last.width()));
  digits.drawRight(painter, columns.first, cut(headText(0), columns.first.width()));
  painter->setFont(bold);
  painter->drawText(columns.growth, Qt::AlignRight | Qt::AlignVCenter,
                    cut(growthHead(), columns.growth.width()));
  painter->drawText(columns.name, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("Op"));
}

void GrowthChart::paint(QPainter* painter, const QSizeF& size) const {
  if (!emptyText().isEmpty()) return;
  const Colours& c = theme()->colours();
  const QRectF head = headRect(size);
  std::size_t shown = shownRows(size);
  const Columns columns = columnsOf(head, shown);
  paintHead(painter, columns);
  painter->fillRect(QRectF(head.left(), head.bottom() - 1, head.width(), 1), c.line);
  const bool cut = shown < rowCount();
  if (cut && shown > 0) --shown;
  for (std::size_t i = 0; i < shown; ++i) paintRow(painter, i, rowRect(i, size), columns);
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
