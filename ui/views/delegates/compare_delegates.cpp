// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/delegates/compare_delegates.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/compare_model.h"
#include "ui/views/compare/verdict_look.h"

namespace opscope::ui {
namespace {

constexpr double kLargestRatio = 4;

/// Where a ratio stands on the axis from a quarter to four times.
double placeOf(double ratio, const QRectF& axis) {
  const double part = std::log(std::clamp(ratio, 1 / kLargestRatio, kLargestRatio)) / std::log(kLargestRatio);
  return std::round(axis.center().x() + part * axis.width() / 2) + 0.5;
}

report::Verdict verdictOf(const QModelIndex& index) {
  return report::Verdict(index.data(VerdictRole).toInt());
}

}  // namespace

void VerdictDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                   const QModelIndex& index, const QRect& content) const {
  const report::Verdict verdict = verdictOf(index);
  const bool selected = option.state.testFlag(QStyle::State_Selected) && theme()->isHighContrast();
  painter->setPen(selected ? ink(option) : verdictInk(*theme(), verdict));
  painter->setFont(theme()->font(12, QFont::DemiBold));
  painter->drawText(content, Qt::AlignVCenter | Qt::AlignLeft, verdictGlyph(verdict));
  painter->drawText(content.adjusted(theme()->px(18), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                    index.data(Qt::DisplayRole).toString());
}

void RatioDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                 const QModelIndex& index, const QRect& content) const {
  const QRectF axis(content);
  const double centre = placeOf(1, axis);
  const Colours& c = theme()->colours();
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  painter->setPen(c.controlBorder);
  painter->drawLine(QPointF(centre, option.rect.top()), QPointF(centre, option.rect.bottom()));
  const QVariant ratio = index.data(RatioRole);
  if (!ratio.isValid()) return;
  const double end = placeOf(ratio.toDouble(), axis);
  const int height = theme()->px(10);
  const QRectF bar(std::min(centre, end), content.center().y() - height / 2 + 1.0, std::abs(end - centre),
                   height);
  if (bar.width() >= 1) fillVerdict(painter, *theme(), bar, verdictOf(index));
  const QVariant low = index.data(RatioLowRole), high = index.data(RatioHighRole);
  if (!low.isValid() || !high.isValid()) return;
  const double y = std::round(content.center().y()) + 0.5;
  const double from = placeOf(low.toDouble(), axis), to = placeOf(high.toDouble(), axis);
  const double half = theme()->px(3);
  painter->setPen(selected ? c.onSelection : c.text);
  painter->drawLine(QPointF(from, y), QPointF(to, y));
  for (const double x : {from, to}) painter->drawLine(QPointF(x, y - half), QPointF(x, y + half));
}

CompareHeader::CompareHeader(const Theme* theme, int barColumn, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent), m_theme(theme), m_barColumn(barColumn) {
  setSectionsClickable(true);
  setSortIndicatorShown(true);
}

void CompareHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  painter->save();
  QHeaderView::paintSection(painter, rect, section);
  painter->restore();
  if (section != m_barColumn) return;
  const QRectF axis = QRectF(rect).adjusted(m_theme->px(8), 0, -m_theme->px(8), -1);
  painter->save();
  painter->setFont(m_theme->font(11));
  painter->setPen(m_theme->colours().textSecondary);
  painter->drawText(axis, Qt::AlignVCenter | Qt::AlignLeft, QStringLiteral("¼"));
  painter->drawText(axis, Qt::AlignCenter, QStringLiteral("1"));
  painter->drawText(axis, Qt::AlignVCenter | Qt::AlignRight, QStringLiteral("4"));
  painter->restore();
}

}  // namespace opscope::ui
