// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/boards/target_combo.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QPainter>
#include <QWheelEvent>

#include "ui/models/target_list.h"
#include "ui/views/look/icons.h"

namespace opscope::ui {
namespace {

constexpr double kRow = 40;
constexpr double kShortRow = 34;
constexpr double kGap = 9;
constexpr double kPopupWidth = 330;

/// Icons keep the name that they are asked for, so it must be a literal.
const char* iconLiteral(const QString& name) {
  for (const char* const known : {"kernel", "lock", "plus"}) {
    if (name == QLatin1String(known)) return known;
  }
  return "board";
}

}  // namespace

BoardDelegate::BoardDelegate(const Theme* theme, const Roles& roles, QComboBox* combo, QObject* parent)
    : QStyledItemDelegate(parent), m_theme(theme), m_roles(roles), m_combo(combo) {}

int BoardDelegate::gap(const QModelIndex& index) const {
  const bool starts = m_roles.groupStart != 0 && index.data(m_roles.groupStart).toBool();
  return starts ? m_theme->px(kGap) : 0;
}

QSize BoardDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  const bool isShort = index.data(m_roles.detail).toString().isEmpty();
  return {0, m_theme->px(isShort ? kShortRow : kRow) + gap(index)};
}

void BoardDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  const Colours& c = m_theme->colours();
  painter->fillRect(option.rect, c.base);
  const int above = gap(index);
  if (above > 0) {
    painter->fillRect(QRect(option.rect.left(), option.rect.top() + above / 2, option.rect.width(), 1),
                      c.line);
  }
  const QRect row = option.rect.adjusted(0, above, 0, 0);
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
  if (selected || hovered) painter->fillRect(row, selected ? c.selection : c.hover);
  const int size = m_theme->px(16), pad = m_theme->px(12);
  const QString name = m_roles.icon == 0 ? QString() : index.data(m_roles.icon).toString();
  // Where the selection is as bright as in high contrast, its ink is another one.
  const IconInk ink = selected && m_theme->isHighContrast() ? IconInk::OnAccent : IconInk::Text;
  lookIcon(m_theme, iconLiteral(name), ink)
      .paint(painter, QRect(row.left() + pad, row.center().y() - size / 2, size, size));
  QRect texts = row.adjusted(pad + size + m_theme->px(10), 0, -pad, 0);
  if (m_combo != nullptr && m_combo->currentIndex() == index.row()) {
    lookIcon(m_theme, "tick", ink)
        .paint(painter, QRect(row.right() - pad - size, row.center().y() - size / 2, size, size));
    texts.adjust(0, 0, -size - m_theme->px(6), 0);
  }
  paintTexts(painter, texts, selected, index);
  if (m_combo != nullptr || !option.state.testFlag(QStyle::State_HasFocus)) return;
  painter->setPen(c.focus);
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(row.adjusted(0, 0, -1, -1));
}

void BoardDelegate::paintTexts(QPainter* painter, const QRect& row, bool selected,
                               const QModelIndex& index) const {
  const Colours& c = m_theme->colours();
  const QString text = index.data(Qt::DisplayRole).toString();
  const QString detail = index.data(m_roles.detail).toString();
  const QString shortcut = m_roles.shortcut == 0 ? QString() : index.data(m_roles.shortcut).toString();
  painter->setFont(m_theme->font(12));
  painter->setPen(selected ? c.onSelection : c.textSecondary);
  const int taken =
      shortcut.isEmpty() ? 0 : painter->fontMetrics().horizontalAdvance(shortcut) + m_theme->px(8);
  painter->drawText(row, Qt::AlignVCenter | Qt::AlignRight, shortcut);
  QRect upper = row.adjusted(0, 0, -taken, 0), lower = upper;
  if (!detail.isEmpty()) {
    upper.setBottom(row.center().y() + m_theme->px(1));
    lower.setTop(row.center().y() + m_theme->px(1));
  }
  painter->setFont(m_theme->font(13));
  painter->setPen(selected ? c.onSelection : c.text);
  painter->drawText(upper, (detail.isEmpty() ? Qt::AlignVCenter : Qt::AlignBottom) | Qt::AlignLeft,
                    painter->fontMetrics().elidedText(text, Qt::ElideRight, upper.width()));
  if (detail.isEmpty()) return;
  painter->setFont(m_theme->font(11));
  painter->setPen(selected ? c.onSelection : c.textSecondary);
  painter->drawText(lower, Qt::AlignTop | Qt::AlignLeft,
                    painter->fontMetrics().elidedText(detail, Qt::ElideRight, lower.width()));
}

TargetCombo::TargetCombo(const Theme* theme, QWidget* parent) : QComboBox(parent), m_theme(theme) {
  setMaxVisibleItems(14);
  BoardDelegate::Roles roles;
  roles.detail = TargetList::DetailRole;
  roles.icon = TargetList::IconRole;
  roles.groupStart = TargetList::GroupStartRole;
  roles.shortcut = TargetList::ShortcutRole;
  setItemDelegate(new BoardDelegate(theme, roles, this, this));
}

void TargetCombo::showPopup() {
  view()->setMinimumWidth(m_theme->px(kPopupWidth));
  QComboBox::showPopup();
}

void TargetCombo::keyPressEvent(QKeyEvent* event) {
  const bool arrow = event->key() == Qt::Key_Down || event->key() == Qt::Key_Up;
  if (arrow || event->key() == Qt::Key_Space || event->key() == Qt::Key_Return) {
    showPopup();
    return;
  }
  event->ignore();
}

void TargetCombo::wheelEvent(QWheelEvent* event) {
  event->ignore();
}

}  // namespace opscope::ui
