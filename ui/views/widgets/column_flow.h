// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks below each other, in their order, in as many columns of one width as there is room for. GUI thread;
// owns its blocks.
#pragma once

#include <QWidget>
#include <vector>

namespace opscope::ui {

class ColumnFlow : public QWidget {
 public:
  /// `margin` is kept free at the right, before a bar to scroll by.
  ColumnFlow(int columnWidth, int gap, int margin, QWidget* parent = nullptr);
  /// Below the blocks before it, or above in the next column.
  void addBlock(QWidget* block);
  /// That `columns` columns take.
  int widthOf(int columns) const { return columns * m_columnWidth + (columns - 1) * m_gap + m_margin; }

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return minimumSizeHint(); }
  QSize minimumSizeHint() const override { return {0, 0}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int columnsIn(int width) const;
  /// The least height at which the blocks take no more columns.
  int leastHeight(int columns, int columnWidth) const;
  int heightOf(std::size_t block, int columnWidth) const;

  int m_columnWidth;
  int m_gap;
  int m_margin;
  std::vector<QWidget*> m_blocks;
};

}  // namespace opscope::ui
