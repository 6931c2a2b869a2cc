// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory/live_bytes_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {

LiveBytesChart::LiveBytesChart(const Theme* theme, TimeAxis* axis, QWidget* around)
    : TimeChart(theme, axis, around) {
  setMinimumHeight(theme->px(80));
}

const Fill& LiveBytesChart::areaFill(const Theme* theme) {
  return theme->kindFill(report::OpKind::Memory);
}

const Fill& LiveBytesChart::tensorsFill(const Theme* theme) {
  return theme->kindFill(report::OpKind::Convolution);
}

const Fill& LiveBytesChart::workspacesFill(const Theme* theme) {
  return theme->kindFill(report::OpKind::DataMovement);
}

void LiveBytesChart::setMemory(std::shared_ptr<const MemoryData> shown) {
  TimeChart::setMemory(std::move(shown));
  if (memory() == nullptr) return;
  setAccessibleName(QStringLiteral("Live bytes over time, peak %1 at %2")
                        .arg(format::bytes(double(memory()->track().storage.peakBytes)),
                             format::duration(memory()->peakNs() / 1000).text()));
}

double LiveBytesChart::highest() const {
  if (!memory()) return 0;
  double top = double(memory()->track().storage.peakBytes);
  for (const auto& series : {memory()->tensors, memory()->workspaces}) {
    for (const report::MemoryPoint& point : series) top = std::max(top, double(point.bytes));
  }
  return top;
}

/// Steps with at most a few corners for each column of pixels, so that no peak between them is lost.
QPolygonF LiveBytesChart::stepsOf(std::span<const report::MemoryPoint> points, const QRectF& plot) const {
  QPolygonF steps;
  const double from = axis()->fromNs(), until = axis()->untilNs();
  auto point = std::upper_bound(points.begin(), points.end(), from,
                                [](double time, const report::MemoryPoint& p) { return time < p.ns; });
  double level = point == points.begin() ? 0 : double(std::prev(point)->bytes);
  steps << QPointF(plot.left(), yOf(level));
  while (point != points.end() && point->ns <= until) {
    const double x = std::round(xOf(point->ns));
    double low = level, high = level;
    for (; point != points.end() && point->ns <= until && std::round(xOf(point->ns)) == x; ++point) {
      low = std::min(low, double(point->bytes));
      high = std::max(high, double(point->bytes));
      level = double(point->bytes);
    }
    steps << QPointF(x, steps.back().y());
    if (low != level) steps << QPointF(x, yOf(low));
    if (high != level) steps << QPointF(x, yOf(high));
    steps << QPointF(x, yOf(level));
  }
  steps << QPointF(plot.right(), yOf(level));
  return steps;
}

void LiveBytesChart::paintLine(QPainter* painter, const QPolygonF& steps, const Fill& fill) const {
  painter->setPen(QPen(theme()->isDark() ? fill.lineOnDark : fill.lineOnLight, 1.5));
  painter->drawPolyline(steps);
}

void LiveBytesChart::paintPeak(QPainter* painter, const QRectF& plot) const {
  const double ns = memory()->peakNs();
  if (ns < axis()->fromNs() || ns > axis()->untilNs()) return;
  const Colours& c = theme()->colours();
  const QPointF point(std::round(xOf(ns)) + 0.5, yOf(double(memory()->track().storage.peakBytes)));
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(c.text, 1.5));
  painter->setBrush(c.base);
  painter->drawEllipse(point, theme()->px(4), theme()->px(4));
  painter->restore();
  QFont bold = theme()->font(11, QFont::DemiBold);
  painter->setFont(bold);
  const QString words = QStringLiteral("peak %1 at %2")
                            .arg(format::bytes(double(memory()->track().storage.peakBytes)),
                                 ns > 0 ? format::duration(ns / 1000).text() : QStringLiteral("the start"));
  const QFontMetrics metrics(bold);
  const double room = metrics.horizontalAdvance(words) + 2.0, gap = theme()->px(8);
  const double left = point.x() + gap + room <= plot.right() ? point.x() + gap : point.x() - gap - room;
  const double top = std::max(plot.top() - metrics.height(), point.y() - metrics.height() - 2);
  const QRectF place(left, top, room, metrics.height());
  painter->fillRect(place.adjusted(-2, 0, 2, 0), QColor(c.base.red(), c.base.green(), c.base.blue(), 215));
  painter->setPen(c.text);
  painter->drawText(place, Qt::AlignVCenter | Qt::AlignLeft, words);
  painter->setFont(theme()->font(11));
}

void LiveBytesChart::paintData(QPainter* painter, const QRectF& plot) {
  const QPolygonF storage = stepsOf(memory()->storage, plot);
  QPolygonF area = storage;
  area << plot.bottomRight() << plot.bottomLeft();
  const Fill& fill = areaFill(theme());
  QColor soft = fill.fill;
  soft.setAlpha(70);
  painter->setPen(Qt::NoPen);
  painter->setBrush(soft);
  painter->drawPolygon(area);
  painter->setBrush(Qt::NoBrush);
  paintLine(painter, storage, fill);
  if (memory()->track().tensors.peakBytes > 0)
    paintLine(painter, stepsOf(memory()->tensors, plot), tensorsFill(theme()));
  if (memory()->track().workspaces.peakBytes > 0)
    paintLine(painter, stepsOf(memory()->workspaces, plot), workspacesFill(theme()));
  if (memory()->track().storage.peakBytes > 0) paintPeak(painter, plot);
}

TipText LiveBytesChart::tipAt(const QPointF& point) const {
  const double ns = nsAt(point.x());
  TipText tip;
  tip.name = QStringList{QStringLiteral("At %1").arg(format::duration(ns / 1000).text())};
  tip.time = format::bytes(double(bytesAt(memory()->storage, ns)));
  tip.about = QStringLiteral("live in storages");
  tip.rows.emplace_back(QStringLiteral("In tensors"), format::bytes(double(bytesAt(memory()->tensors, ns))));
  if (memory()->track().workspaces.peakBytes > 0)
    tip.rows.emplace_back(QStringLiteral("Workspaces"),
                          format::bytes(double(bytesAt(memory()->workspaces, ns))));
  tip.rows.emplace_back(QStringLiteral("Storages"), format::integer(qint64(memory()->aliveAt(ns).size())));
  return tip;
}

void LiveBytesChart::choose(const QPointF& point) {
  axis()->setMoment(std::clamp(nsAt(point.x()), 0.0, axis()->endNs()));
}

}  // namespace opscope::ui
