// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/delegates/runs_delegates.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>

#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/models/runs_model.h"
#include "ui/views/look/icons.h"

namespace opscope::ui {

bool TickDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem&,
                               const QModelIndex& index) {
  const bool space =
      event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
  const bool click = event->type() == QEvent::MouseButtonRelease &&
                     static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
  // A double click ticks twice and opens nothing.
  if (event->type() == QEvent::MouseButtonDblClick) return true;
  if (!space && !click) return false;
  const bool ticked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  return model->setData(index, ticked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

void TickDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index, const QRect& content) const {
  using Choice = RunsModel::Choice;
  const auto choice = Choice(index.data(RunsModel::kChoiceRole).toInt());
  if (choice == Choice::Old || choice == Choice::New) {
    paintGroup(painter, choice == Choice::New, content);
    return;
  }
  // What cannot be ticked has no box.
  if (!index.data(Qt::CheckStateRole).isValid()) return;
  const Colours& c = theme()->colours();
  const int size = theme()->px(14);
  const QRectF box(content.left() + 0.5, content.center().y() - size / 2 + 0.5, size - 1, size - 1);
  const bool ticked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(ticked ? c.accent : selected ? c.onSelection : c.controlBorder, 1));
  // On a selected row an empty box stays empty: its ground is the selection's.
  painter->setBrush(ticked ? QBrush(c.accent) : selected ? QBrush(Qt::NoBrush) : QBrush(c.base));
  painter->drawRoundedRect(box, theme()->px(2), theme()->px(2));
  painter->restore();
  if (ticked) lookIcon(theme(), "tick", IconInk::OnAccent).paint(painter, box.toAlignedRect());
}

void TickDelegate::paintGroup(QPainter* painter, bool isNew, const QRect& content) const {
  const Colours& c = theme()->colours();
  const QRectF plate =
      QRectF(content.left() - theme()->px(5) + 0.5, content.center().y() - theme()->px(7) + 0.5,
             theme()->px(26) - 1, theme()->px(15) - 1);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  // As in a paired histogram: new is the accent, old is not.
  painter->setPen(QPen(isNew ? c.accent : c.text, 1));
  painter->setBrush(isNew ? c.accent : c.base);
  painter->drawRoundedRect(plate, theme()->px(2), theme()->px(2));
  painter->restore();
  painter->setFont(theme()->font(10, QFont::DemiBold));
  painter->setPen(isNew ? c.onAccent : c.text);
  painter->drawText(plate, Qt::AlignCenter | Qt::TextDontClip,
                    isNew ? QStringLiteral("new") : QStringLiteral("old"));
}

QWidget* BodyTextDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                        const QModelIndex& index) const {
  QWidget* editor = CellDelegate::createEditor(parent, option, index);
  // Without a frame it would be told from a cell by its caret alone.
  if (auto* line = qobject_cast<QLineEdit*>(editor)) line->setFrame(true);
  return editor;
}

void BodyTextDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                            const QModelIndex&) const {
  editor->setGeometry(option.rect);
}

void BodyTextDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                    const QModelIndex& index, const QRect& whole) const {
  const QString text = index.data(Qt::DisplayRole).toString();
  painter->setFont(theme()->font(13));
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  const bool quiet = text == format::missing() && !selected;
  painter->setPen(quiet ? theme()->colours().textSecondary : ink(option));
  QRect content = whole;
  if (index.data(ProblemRole).toBool()) {
    // Not by colour alone.
    const int side = theme()->px(14);
    const QRect place(content.left(), content.center().y() - side / 2, side, side);
    lookIcon(theme(), "error", IconInk::Error).paint(painter, place);
    content.setLeft(place.right() + theme()->px(6));
    if (!selected) painter->setPen(theme()->colours().error);
  }
  painter->drawText(content, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                    painter->fontMetrics().elidedText(text, Qt::ElideRight, content.width()));
}

}  // namespace opscope::ui
