// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory/storage_map.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/models/op_matcher.h"

namespace opscope::ui {
namespace {

constexpr double kDimmedOpacity = 0.22;

}  // namespace

StorageMap::StorageMap(const Theme* theme, TimeAxis* axis, QWidget* around) : TimeChart(theme, axis, around) {
  setMinimumHeight(theme->px(80));
}

void StorageMap::setMemory(std::shared_ptr<const MemoryData> shown) {
  m_chosen.reset();
  TimeChart::setMemory(std::move(shown));
  const OpFilter filter = m_filter;
  m_filter = {};
  m_dimmed.clear();
  setFilter(filter);
  if (memory()) {
    setAccessibleName(QStringLiteral("Map of %1 over time")
                          .arg(format::counted(qint64(memory()->boxes.size()), "storage", "storages")));
  }
}

void StorageMap::setChosen(std::optional<std::uint32_t> box, const OpId& op) {
  m_chosen = box;
  m_op = op;
  refresh();
}

void StorageMap::setFilter(const OpFilter& filter) {
  if (m_filter == filter) return;
  m_filter = filter;
  m_dimmed.clear();
  if (memory()) {
    const OpMatcher matcher(memory()->run->run(), filter);
    for (const StorageBox& box : memory()->boxes) {
      if (matcher.passesAll()) break;
      const bool fits = box.call != report::kNone && matcher.passes(memory()->run->run().calls[box.call]);
      m_dimmed.push_back(fits ? 0 : 1);
    }
  }
  refresh();
}

double StorageMap::highest() const {
  return memory() ? double(memory()->topBytes) : 0;
}

QRectF StorageMap::rectOf(std::uint32_t box) const {
  const StorageBox& about = memory()->boxes[box];
  const double left = std::round(xOf(about.fromNs)), right = std::round(xOf(about.untilNs));
  const double top = std::round(yOf(double(about.place + about.bytes)));
  const double bottom = std::round(yOf(double(about.place)));
  return QRectF(left, top, std::max(1.0, right - left), std::max(1.0, bottom - top));
}

std::optional<std::uint32_t> StorageMap::boxAt(const QPointF& point) const {
  if (!memory()) return std::nullopt;
  std::optional<std::uint32_t> nearest;
  double distance = 3;
  for (std::uint32_t i = 0; i < memory()->boxes.size(); ++i) {
    const QRectF box = rectOf(i);
    if (point.x() < box.left() - 1 || point.x() > box.right() + 1) continue;
    if (box.contains(point)) return i;
    // Thin boxes can be hit a little beside.
    const double away = std::min(std::abs(point.y() - box.top()), std::abs(point.y() - box.bottom()));
    if (away < distance) {
      distance = away;
      nearest = i;
    }
  }
  return nearest;
}

const Fill& StorageMap::fillOf(std::uint32_t box) const {
  const StorageBox& about = memory()->boxes[box];
  return theme()->kindFill(about.call == report::kNone ? report::OpKind::Other : about.kind);
}

void StorageMap::paintData(QPainter* painter, const QRectF& plot) {
  const Colours& c = theme()->colours();
  for (std::uint32_t i = 0; i < memory()->boxes.size(); ++i) {
    const QRectF whole = rectOf(i);
    const QRectF box = whole.intersected(plot.adjusted(-4, -4, 4, 4));
    if (box.isEmpty()) continue;
    const Fill& fill = fillOf(i);
    painter->setOpacity(passes(i) ? 1 : kDimmedOpacity);
    painter->fillRect(box, fill.fill);
    if (box.width() >= 4 && box.height() >= 3) {
      painter->setPen(c.fillEdge);
      painter->setBrush(Qt::NoBrush);
      painter->drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    paintName(painter, whole.intersected(plot), i, fill);
  }
  painter->setOpacity(1);
  painter->setBrush(Qt::NoBrush);
  for (std::uint32_t i = 0; i < memory()->boxes.size(); ++i) {
    const bool chosen = m_chosen == i;
    const bool sameOp = !m_chosen && !m_op.isNull() && memory()->boxes[i].op == m_op;
    if (!chosen && !sameOp) continue;
    painter->setPen(QPen(c.text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter->drawRect(rectOf(i).intersected(plot.adjusted(-4, -4, 4, 4)).adjusted(1, 1, -1, -1));
  }
}

void StorageMap::paintName(QPainter* painter, const QRectF& box, std::uint32_t index,
                           const Fill& fill) const {
  const double line = painter->fontMetrics().height(), pad = theme()->px(5);
  if (box.height() < line || box.width() < theme()->px(40)) return;
  const QString size = format::bytes(double(memory()->boxes[index].bytes));
  const double room = box.width() - 2 * pad;
  const double sizeRoom = painter->fontMetrics().horizontalAdvance(QLatin1Char(' ') + size);
  QString text = room < sizeRoom + theme()->px(40)
                     ? painter->fontMetrics().elidedText(memory()->nameOf(index), Qt::ElideMiddle, int(room))
                     : painter->fontMetrics().elidedText(memory()->nameOf(index), Qt::ElideMiddle,
                                                         int(room - sizeRoom)) +
                           QLatin1Char(' ') + size;
  painter->setPen(fill.ink);
  painter->drawText(QRectF(box.left() + pad, box.top() + 1, room, line),
                    Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip | Qt::TextSingleLine, text);
}

TipText StorageMap::tipAt(const QPointF& point) const {
  const auto box = boxAt(point);
  if (!box) return {};
  const report::StorageLife& life = memory()->life(*box);
  TipText tip;
  tip.fill = &fillOf(*box);
  tip.name = format::brokenName(memory()->nameOf(*box));
  tip.time = format::bytes(double(life.bytes));
  tip.about = QStringLiteral("storage %1").arg(memory()->boxes[*box].storage);
  const auto time = [](double ns) {
    return ns > 0 ? format::duration(ns / 1000).text() : QStringLiteral("0");
  };
  tip.rows.emplace_back(QStringLiteral("From"),
                        life.before ? QStringLiteral("before the repeat") : time(life.takenNs));
  tip.rows.emplace_back(QStringLiteral("Until"),
                        life.freedNs < 0 ? QStringLiteral("after the repeat") : time(life.freedNs));
  tip.rows.emplace_back(QStringLiteral("Tensors over its life"), format::integer(life.tensorCount));
  if (life.tensorCount > 0)
    tip.rows.emplace_back(QStringLiteral("Largest tensor"), format::bytes(double(life.tensorBytes)));
  if (life.reused) tip.rows.emplace_back(QStringLiteral("Block"), QStringLiteral("kept from an earlier one"));
  return tip;
}

void StorageMap::choose(const QPointF& point) {
  if (const auto box = boxAt(point)) Q_EMIT boxChosen(*box);
}

}  // namespace opscope::ui
