// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/delegates/cell_delegate.h"

#include <QPainter>

#include "ui/models/ops_model.h"
#include "ui/views/widgets/data_table.h"

namespace opscope::ui {

void drawSwatch(QPainter* painter, const Theme* theme, const Fill& fill, const QPoint& centre) {
  const int size = theme->px(10);
  const QRectF square(centre.x() - size / 2 + 0.5, centre.y() - size / 2 + 0.5, size - 1, size - 1);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(theme->colours().fillEdge, 1));
  painter->setBrush(fill.fill);
  painter->drawRoundedRect(square, theme->px(2), theme->px(2));
  painter->restore();
}

namespace {

/// An angle to the right, or downwards where members are shown.
void paintFoldMark(QPainter* painter, const QPointF& centre, double size, bool unfolded, const QColor& ink) {
  const QPointF right[] = {{-size / 2, -size}, {size / 2, 0}, {-size / 2, size}};
  QPolygonF line;
  for (const QPointF& point : right) line << centre + (unfolded ? QPointF(point.y(), point.x()) : point);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(ink, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter->drawPolyline(line);
  painter->restore();
}

}  // namespace

CellDelegate::CellDelegate(const Theme* theme, QObject* parent)
    : QStyledItemDelegate(parent), m_theme(theme) {}

QColor CellDelegate::ink(const QStyleOptionViewItem& option) const {
  const Colours& c = m_theme->colours();
  if (!option.state.testFlag(QStyle::State_Enabled)) return c.textSecondary;
  return option.state.testFlag(QStyle::State_Selected) ? c.onSelection : c.text;
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  const Colours& c = m_theme->colours();
  const auto* table = qobject_cast<const DataTable*>(option.widget);
  const bool hovered = table != nullptr && table->hoverRow() == index.row();
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  QColor background = (index.row() % 2) != 0 ? c.alternateBase : c.base;
  if (selected) {
    background = c.selection;
  } else if (hovered) {
    background = c.hover;
  }
  painter->fillRect(option.rect, background);
  const int pad = m_theme->px(8);
  paintContent(painter, option, index, option.rect.adjusted(pad, 0, -pad, 0));
  if (option.state.testFlag(QStyle::State_HasFocus)) {
    painter->setPen(selected && m_theme->isHighContrast() ? c.onSelection : c.focus);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
  }
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  const QFontMetrics metrics(m_theme->font(13));
  const QString text = index.data(Qt::DisplayRole).toString();
  return {metrics.horizontalAdvance(text) + 2 * m_theme->px(8), m_theme->px(24)};
}

void CellDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index, const QRect& content) const {
  painter->setFont(m_theme->font(12));
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  painter->setPen(selected ? ink(option) : m_theme->colours().textSecondary);
  const QString text = index.data(Qt::DisplayRole).toString();
  painter->drawText(content, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                    painter->fontMetrics().elidedText(text, Qt::ElideRight, content.width()));
}

QRect NameDelegate::foldMark(const Theme& theme, const QRect& cell, int level) {
  const int side = theme.px(18);
  return {cell.left() + theme.px(2) + level * theme.px(16), cell.center().y() - side / 2, side, side};
}

void NameDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index, const QRect& whole) const {
  const QVariant kind = index.data(KindRole);
  const int size = theme()->px(10);
  QRect content = whole;
  if (const QVariant fold = index.data(FoldRole); fold.isValid()) {
    const QRect mark = foldMark(*theme(), option.rect, index.data(LevelRole).toInt());
    if (Fold(fold.toInt()) != Fold::Leaf) {
      paintFoldMark(
          painter, QRectF(mark).center(), theme()->px(4), Fold(fold.toInt()) == Fold::Unfolded,
          option.state.testFlag(QStyle::State_Selected) ? ink(option) : theme()->colours().textSecondary);
    }
    content.setLeft(mark.right() + theme()->px(2));
  }
  QRect text = content;
  if (kind.isValid()) {
    drawSwatch(painter, theme(), theme()->kindFill(report::OpKind(kind.toInt())),
               QPoint(content.left() + size / 2, content.center().y() + 1));
    text = content.adjusted(size + theme()->px(7), 0, 0, 0);
  }
  painter->setFont(theme()->font(13));
  painter->setPen(ink(option));
  const QString name = index.data(Qt::DisplayRole).toString();
  painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                    painter->fontMetrics().elidedText(name, Qt::ElideMiddle, text.width()));
}

void NumberDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                  const QModelIndex& index, const QRect& content) const {
  painter->setPen(ink(option));
  DigitPainter(theme()->font(13)).drawRight(painter, QRectF(content), index.data(Qt::DisplayRole).toString());
}

void ShareBarDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                    const QModelIndex& index, const QRect& content) const {
  const DigitPainter digits(theme()->font(13));
  QRect left = content;
  left.setWidth(int(digits.width(QStringLiteral("100.00"))) + 1);
  painter->setPen(ink(option));
  digits.drawRight(painter, QRectF(left), index.data(Qt::DisplayRole).toString());
  const int start = left.right() + theme()->px(8);
  const int room = content.right() - start + theme()->px(4);
  const double share = index.data(ShareRole).toDouble();
  if (room < theme()->px(16) || share <= 0) return;
  const int height = theme()->px(10);
  const int width = std::max(theme()->px(2), int(room * share));
  const QRect bar(start, content.center().y() - height / 2 + 1, width, height);
  const QVariant kind = index.data(KindRole);
  QColor fill = theme()->colours().shareBar;
  if (kind.isValid()) {
    // A thin bar is a line: fills are too near to the background for that.
    const Fill& colours = theme()->kindFill(report::OpKind(kind.toInt()));
    fill = width >= 4 ? colours.fill : theme()->isDark() ? colours.lineOnDark : colours.lineOnLight;
  }
  painter->fillRect(bar, fill);
  if (width >= 4) {
    painter->setPen(theme()->colours().fillEdge);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(bar.adjusted(0, 0, -1, -1));
  }
}

}  // namespace opscope::ui
