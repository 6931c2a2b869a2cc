// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/kind_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/views/charts/custom_plot.h"
#include "ui/views/look/digits.h"

namespace opscope::ui {

KindChart::KindChart(const ChartContext& context, QWidget* parent) : Chart(context, parent) {}

QString KindChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  const bool many = run()->run().repeats > 1;
  return QStringLiteral("of %1, %2%3")
      .arg(run()->run().function.empty() ? QStringLiteral("the total")
                                         : format::fromUtf8(run()->run().function),
           many ? QStringLiteral("mean total ") : QString(), format::duration(m_shares.totalUs).text());
}

QString KindChart::emptyText() const {
  if (m_shares.kinds.empty()) return QStringLiteral("This report has no ops.");
  if (m_shares.totalUs <= 0) return QStringLiteral("All ops of this report took no time.");
  return {};
}

void KindChart::rebuild() {
  m_shares = kindShares(run()->byOp);
  m_hovered.reset();
  update();
}

std::vector<OpId> KindChart::ops() const {
  std::vector<OpId> ops;
  for (const KindShare& share : m_shares.kinds) ops.push_back(opOf(run()->byOp.rows[share.rows.front()]));
  return ops;
}

QRectF KindChart::barRect(const QSizeF& size) const {
  const double margin = theme()->px(12);
  return QRectF(margin, theme()->px(12), std::max(0.0, size.width() - 2 * margin), theme()->px(24));
}

QRectF KindChart::partRect(std::size_t part, const QSizeF& size) const {
  const QRectF bar = barRect(size);
  double before = 0;
  for (std::size_t i = 0; i < part; ++i) before += timeUsOf(i);
  const double scale = m_shares.totalUs > 0 ? bar.width() / m_shares.totalUs : 0;
  const double left = std::round(bar.left() + before * scale);
  const double right = std::round(bar.left() + (before + timeUsOf(part)) * scale);
  return QRectF(left, bar.top(), std::min(right, bar.right()) - left, bar.height());
}

QRectF KindChart::legendRect(std::size_t part, const QSizeF& size) const {
  const QRectF bar = barRect(size);
  const double top = bar.bottom() + theme()->px(8);
  const std::size_t columns = bar.width() >= theme()->px(560) ? 2 : 1;
  const std::size_t rows = (parts() + columns - 1) / columns;
  const double room = size.height() - top - theme()->px(6);
  const double height = std::clamp(room / double(std::max<std::size_t>(rows, 1)), double(theme()->px(14)),
                                   double(theme()->px(28)));
  const double gap = theme()->px(24);
  const double width = (bar.width() - gap * double(columns - 1)) / double(columns);
  return QRectF(bar.left() + (width + gap) * double(part / rows), top + height * double(part % rows), width,
                height);
}

std::optional<std::size_t> KindChart::partAt(const QPointF& point) const {
  for (std::size_t part = 0; part < parts(); ++part) {
    if (partRect(part, size()).contains(point) || legendRect(part, size()).contains(point)) return part;
  }
  return std::nullopt;
}

OpId KindChart::opAt(const QPointF& point) const {
  const auto part = partAt(point);
  if (!part || isBetween(*part)) return {};
  return opOf(run()->byOp.rows[m_shares.kinds[*part].rows.front()]);
}

std::optional<std::size_t> KindChart::partOfSelection() const {
  const report::OpRow* row = rowOf(selection()->op());
  for (std::size_t part = 0; row != nullptr && part < m_shares.kinds.size(); ++part) {
    if (m_shares.kinds[part].kind == row->kind) return part;
  }
  return std::nullopt;
}

std::optional<QRectF> KindChart::areaOf(const OpId& op) const {
  const report::OpRow* row = rowOf(op);
  for (std::size_t part = 0; row != nullptr && part < m_shares.kinds.size(); ++part) {
    if (m_shares.kinds[part].kind == row->kind) return legendRect(part, size());
  }
  return std::nullopt;
}

QString KindChart::nameOf(std::size_t part) const {
  return isBetween(part) ? QStringLiteral("Between ops") : kindText(m_shares.kinds[part].kind);
}

double KindChart::timeUsOf(std::size_t part) const {
  return isBetween(part) ? m_shares.betweenUs : m_shares.kinds[part].us;
}

double KindChart::percentOf(std::size_t part) const {
  return isBetween(part) ? m_shares.betweenPercent : m_shares.kinds[part].percent;
}

void KindChart::showHover(const std::optional<QPointF>& point) {
  const auto hovered = point ? partAt(*point) : std::nullopt;
  if (hovered == m_hovered) return;
  m_hovered = hovered;
  update();
}

QString KindChart::hoverText(const QPointF& point) const {
  const auto part = partAt(point);
  if (!part) return {};
  const QString numbers =
      QStringLiteral("%1\n%2 · %3 %")
          .arg(nameOf(*part), format::duration(timeUsOf(*part)).text(), format::percent(percentOf(*part)));
  if (isBetween(*part)) return numbers + QStringLiteral("\nThe total without the ops: the VM's own work");
  const KindShare& share = m_shares.kinds[*part];
  const QString largest =
      format::fromUtf8(report::nameOf(run()->run(), run()->byOp.rows[share.rows.front()]));
  return QStringLiteral("%1\n%2 of %3\nLargest: %4")
      .arg(numbers, format::counted(share.calls, "call", "calls"),
           format::counted(std::int64_t(share.rows.size()), "group", "groups"), largest);
}

void KindChart::paintPart(QPainter* painter, std::size_t part, const QSizeF& size) const {
  const QRectF box = partRect(part, size);
  const Colours& c = theme()->colours();
  if (box.width() < 1) return;
  if (isBetween(part)) {
    painter->setPen(dashedPen(c.controlBorder));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    return;
  }
  const Fill& fill = theme()->kindFill(m_shares.kinds[part].kind);
  painter->fillRect(box, fill.fill);
  painter->setBrush(Qt::NoBrush);
  if (box.width() >= 4) {
    painter->setPen(QPen(c.fillEdge, 1));
    painter->drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  const QFont font = theme()->font(12, QFont::DemiBold);
  const QString text = QStringLiteral("%1 %2 %").arg(nameOf(part), format::percent(percentOf(part), 1));
  if (QFontMetricsF(font).horizontalAdvance(text) + theme()->px(16) > box.width()) return;
  painter->setFont(font);
  painter->setPen(fill.ink);
  painter->drawText(box.adjusted(theme()->px(8), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void KindChart::paintLegend(QPainter* painter, std::size_t part, const QSizeF& size) const {
  const QRectF row = legendRect(part, size);
  const Colours& c = theme()->colours();
  const bool chosen = partOfSelection() == part, hovered = m_hovered == part;
  if (chosen || hovered) painter->fillRect(row.adjusted(-4, 0, 4, 0), chosen ? c.selection : c.hover);
  const double side = theme()->px(10);
  const QRectF swatch(row.left() + 0.5, std::round(row.center().y() - side / 2) + 0.5, side - 1, side - 1);
  painter->setPen(isBetween(part) ? dashedPen(c.controlBorder) : QPen(c.fillEdge, 1));
  painter->setBrush(isBetween(part) ? QBrush() : QBrush(theme()->kindFill(m_shares.kinds[part].kind).fill));
  painter->drawRect(swatch);
  const QFont font = theme()->font(12);
  const DigitPainter digits(font);
  const double timeUs = timeUsOf(part);
  const QString time =
      timeUs > 0 ? format::microseconds(timeUs) + QStringLiteral("\u00A0µs") : format::missing();
  const QString percent =
      timeUs > 0 ? format::percent(percentOf(part)) + QStringLiteral("\u00A0%") : format::missing();
  painter->setPen(chosen ? c.onSelection : c.text);
  QRectF cell = row;
  digits.drawRight(painter, cell, percent);
  cell.setRight(cell.right() - theme()->px(70));
  digits.drawRight(painter, cell, time);
  cell.setRight(cell.right() - theme()->px(88));
  if (!isBetween(part) && cell.width() > theme()->px(180)) {
    painter->setPen(chosen ? c.onSelection : c.textSecondary);
    const QString calls = format::counted(m_shares.kinds[part].calls, "call", "calls");
    digits.drawRight(painter, cell, calls);
    cell.setRight(cell.right() - digits.width(calls) - theme()->px(8));
  }
  cell.setLeft(row.left() + theme()->px(18));
  painter->setPen(chosen ? c.onSelection : c.text);
  painter->setFont(font);
  painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                    QFontMetricsF(font).elidedText(nameOf(part), Qt::ElideRight, cell.width()));
}

void KindChart::paint(QPainter* painter, const QSizeF& size) const {
  if (!emptyText().isEmpty()) return;
  for (std::size_t part = 0; part < parts(); ++part) {
    paintPart(painter, part, size);
    paintLegend(painter, part, size);
  }
  const auto chosen = partOfSelection();
  if (!chosen) return;
  const QRectF box = partRect(*chosen, size);
  painter->setPen(QPen(theme()->colours().text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(box.adjusted(1, 1, -1, -1).normalized());
}

void KindChart::paintPicture(QCPPainter* painter, const QSize& size) {
  paint(painter, size);
}

void KindChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme()->colours().base);
  if (run() != nullptr) paint(&painter, size());
  paintFocus(&painter);
}

}  // namespace opscope::ui
