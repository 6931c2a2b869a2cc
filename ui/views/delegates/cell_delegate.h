// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of tables: background by selection and hovered row, name with swatch, number with digits under each
// other, share bar. GUI thread; the view owns them.
#pragma once

#include <QStyledItemDelegate>

#include "ui/views/look/digits.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

/// Plain text, cut at the end.
class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  explicit CellDelegate(const Theme* theme, QObject* parent = nullptr);
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  const Theme* theme() const { return m_theme; }
  QColor ink(const QStyleOptionViewItem& option) const;
  virtual void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                            const QRect& content) const;

 private:
  const Theme* m_theme;
};

/// Swatch of the op's kind and the name, cut in the middle. In tables whose rows unfold, the mark of folding
/// before it, and members further in.
class NameDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;
  /// Where the mark is painted and taken, in a cell.
  static QRect foldMark(const Theme& theme, const QRect& cell, int level);

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;
};

class NumberDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;
};

/// The number, then a bar that is as long as the row's part of the largest row.
class ShareBarDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;
};

/// A 10 px square in an op's colour.
void drawSwatch(QPainter* painter, const Theme* theme, const Fill& fill, const QPoint& centre);

}  // namespace opscope::ui
