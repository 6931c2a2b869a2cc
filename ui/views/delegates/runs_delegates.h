// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the list of saved runs: a tick, and text in the body's size. GUI thread; the view owns them.
#pragma once

#include "ui/views/delegates/cell_delegate.h"

namespace opscope::ui {

/// A box to tick: a click anywhere in the cell and the space bar do. For a run of a group, which one.
class TickDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;

 private:
  void paintGroup(QPainter* painter, bool isNew, const QRect& content) const;
};

/// Text in the body's size, cut at the end; quieter where there is nothing to say.
class BodyTextDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;
};

}  // namespace opscope::ui
