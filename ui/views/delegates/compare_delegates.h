// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the Compare table: a ratio as a bar on a logarithmic axis with its interval, a verdict. GUI
// thread; the view owns them.
#pragma once

#include <QHeaderView>

#include "ui/views/delegates/cell_delegate.h"

namespace opscope::ui {

class VerdictDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;
};

class RatioDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;
};

/// Draws the axis ¼ … 1 … 4 into the header of the column of bars.
class CompareHeader : public QHeaderView {
  Q_OBJECT
 public:
  CompareHeader(const Theme* theme, int barColumn, QWidget* parent = nullptr);

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;

 private:
  const Theme* m_theme;
  int m_barColumn;
};

}  // namespace opscope::ui
