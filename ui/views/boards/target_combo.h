// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of boards: rows of two lines with an icon, and the tool bar's Target made of them. GUI thread.
#pragma once

#include <QComboBox>
#include <QStyledItemDelegate>

#include "ui/views/look/theme.h"

namespace opscope::ui {

/// A name over its place, in a combo's list (a tick on the chosen one) or a list of boards.
class BoardDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  /// The roles of the model that hold the second line, the icon's name and whether a line stands above.
  struct Roles {
    int detail = 0;
    int icon = 0;        ///< 0: the icon of a board
    int groupStart = 0;  ///< 0: never
    int shortcut = 0;    ///< 0: never
  };
  BoardDelegate(const Theme* theme, const Roles& roles, QComboBox* combo, QObject* parent);
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  int gap(const QModelIndex& index) const;
  void paintTexts(QPainter* painter, const QRect& row, bool selected, const QModelIndex& index) const;

  const Theme* m_theme;
  Roles m_roles;
  QComboBox* m_combo;
};

/// The list opens also by the arrow keys, so that no target is taken by passing over it.
class TargetCombo : public QComboBox {
  Q_OBJECT
 public:
  explicit TargetCombo(const Theme* theme, QWidget* parent = nullptr);
  void showPopup() override;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  const Theme* m_theme;
};

}  // namespace opscope::ui
