// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/column_flow.h"

#include <algorithm>
#include <numeric>

namespace opscope::ui {

ColumnFlow::ColumnFlow(int columnWidth, int gap, int margin, QWidget* parent)
    : QWidget(parent), m_columnWidth(columnWidth), m_gap(gap), m_margin(margin) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void ColumnFlow::addBlock(QWidget* block) {
  block->setParent(this);
  m_blocks.push_back(block);
}

int ColumnFlow::columnsIn(int width) const {
  const int columns = (width + m_gap) / (m_columnWidth + m_gap);
  return std::clamp(columns, 1, std::max(1, int(m_blocks.size())));
}

int ColumnFlow::heightOf(std::size_t block, int columnWidth) const {
  const QWidget* widget = m_blocks[block];
  return widget->hasHeightForWidth() ? widget->heightForWidth(columnWidth) : widget->sizeHint().height();
}

int ColumnFlow::leastHeight(int columns, int columnWidth) const {
  std::vector<int> heights(m_blocks.size());
  for (std::size_t i = 0; i < heights.size(); ++i) heights[i] = heightOf(i, columnWidth);
  const auto fits = [&](int height) {
    int taken = 1, left = height;
    for (const int block : heights) {
      if (block > left) {
        ++taken;
        left = height;
      }
      left -= block;
    }
    return taken <= columns;
  };
  int low = heights.empty() ? 0 : *std::ranges::max_element(heights);
  int high = std::accumulate(heights.begin(), heights.end(), 0);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (fits(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

int ColumnFlow::heightForWidth(int width) const {
  const int room = width - m_margin;
  return leastHeight(columnsIn(room), std::min(room, m_columnWidth));
}

void ColumnFlow::resizeEvent(QResizeEvent*) {
  const int room = width() - m_margin;
  const int columns = columnsIn(room);
  const int columnWidth = std::min(room, std::max(m_columnWidth, (room - (columns - 1) * m_gap) / columns));
  const int most = leastHeight(columns, std::min(room, m_columnWidth));
  int x = 0, y = 0;
  for (std::size_t i = 0; i < m_blocks.size(); ++i) {
    const int height = heightOf(i, columnWidth);
    if (y > 0 && y + height > most) {
      x += columnWidth + m_gap;
      y = 0;
    }
    m_blocks[i]->setGeometry(x, y, columnWidth, height);
    y += height;
  }
}

}  // namespace opscope::ui
