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

/// An interval that is not wider is one line: two ends would be a block.
constexpr int kLeastWhisker = 5;
/// What a bar without length has all the same, so that its verdict is seen.
constexpr int kLeastBar = 3;

/// The column of pixels of a ratio, on the axis from a quarter to four times.
int placeOf(double ratio, const QRect& axis) {
  const double part = std::log(std::clamp(ratio, 1 / kLargestRatio, kLargestRatio)) / std::log(kLargestRatio);
  return axis.left() + int(std::lround((axis.width() - 1) * (1 + part) / 2));
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
  const int centre = placeOf(1, content);
  const Colours& c = theme()->colours();
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  // Bars keep their colours; in high contrast some are close to the selection's.
  const QColor line = selected ? c.onSelection : c.text;
  const QColor edge = selected && theme()->isHighContrast() ? c.onSelection : c.fillEdge;
  painter->fillRect(QRect(centre, option.rect.top(), 1, option.rect.height()), c.controlBorder);
  const QVariant ratio = index.data(RatioRole);
  if (!ratio.isValid()) return;
  // An odd height: the whisker lies in the middle.
  const int height = theme()->px(10) | 1, middle = content.center().y();
  const int end = placeOf(ratio.toDouble(), content);
  QRect bar(std::min(centre, end), middle - height / 2, std::abs(end - centre) + 1, height);
  if (bar.width() < kLeastBar) bar = QRect(end - kLeastBar / 2, bar.top(), kLeastBar, height);
  fillVerdict(painter, *theme(), QRectF(bar), verdictOf(index), edge);
  const QVariant low = index.data(RatioLowRole), high = index.data(RatioHighRole);
  if (!low.isValid() || !high.isValid()) return;
  const int from = placeOf(low.toDouble(), content), to = placeOf(high.toDouble(), content);
  const int half = theme()->px(3);
  if (to - from < kLeastWhisker) {
    painter->fillRect(QRect(end, middle - half, 1, 2 * half + 1), line);
    return;
  }
  painter->fillRect(QRect(from, middle, to - from + 1, 1), line);
  for (const int x : {from, to}) painter->fillRect(QRect(x, middle - half, 1, 2 * half + 1), line);
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
