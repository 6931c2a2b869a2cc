// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn over the blocks of the Timeline, and its curves.
#include <algorithm>
#include <cmath>

#include "ui/views/timeline/timeline_painter.h"

namespace opscope::ui {
namespace {

constexpr double kHoverWhite = 0.18;
constexpr double kCurveFill = 0.35;

}  // namespace

QRectF TimelinePainter::seen(const QRectF& block) const {
  // Edges a little outside of the view, so that a block that goes on there shows no end.
  const double left = m_scene->titleWidth() - 4.0, right = m_scene->size.width() + 4.0;
  QRectF rect = block;
  rect.setLeft(std::clamp(block.left(), left, right));
  rect.setRight(std::clamp(block.right(), left, right));
  return rect;
}

void TimelinePainter::paintChosen(const SceneRow& row, int index) {
  const Colours& c = m_scene->theme->colours();
  const auto frame = [this](const QRectF& r, double line, const QColor& colour) {
    m_painter->fillRect(QRectF(r.left(), r.top(), r.width(), line), colour);
    m_painter->fillRect(QRectF(r.left(), r.bottom() - line, r.width(), line), colour);
    m_painter->fillRect(QRectF(r.left(), r.top(), line, r.height()), colour);
    m_painter->fillRect(QRectF(r.right() - line, r.top(), line, r.height()), colour);
  };
  // The op's other calls have their outline within the block, the chosen call around it. The gap within tells
  // both from blocks whose edges have the colour of text themselves.
  if (m_scene->op != report::kNone && (!row.plainKernels || m_scene->currentRow == index)) {
    for (std::size_t i = 0; i < row.layout.pieces.size(); ++i) {
      const LanePiece& piece = row.layout.pieces[i];
      if (piece.merged || piece.x1 - piece.x0 < 8 || row.looks[i].op != m_scene->op) continue;
      const QRectF mark = seen(m_scene->blockRect(row, piece.block)).adjusted(0, 0, -1, 0);
      frame(mark, 2, c.text);
      frame(mark.adjusted(2, 2, -2, -2), 1, c.base);
    }
  }
  const std::uint32_t block = m_scene->currentBlock(index);
  if (block == report::kNone || (row.plainKernels && index != m_scene->currentRow)) return;
  const QRectF rect = seen(m_scene->blockRect(row, block));
  if (rect.width() <= 0) return;
  const double least = m_scene->theme->px(4);
  QRectF mark = rect.width() < least ? QRectF(rect.center().x() - least / 2, rect.top(), least, rect.height())
                                     : rect.adjusted(0, 0, -1, 0);
  mark.adjust(-1, -1, 1, 1);
  frame(mark, 3, c.text);
  if (mark.width() > 10) frame(mark.adjusted(3, 3, -3, -3), 1, c.base);
  if (m_scene->hasFocus && index == m_scene->currentRow && mark.width() > 14) {
    frame(mark.adjusted(4, 4, -4, -4), 1, c.text);
  }
}

void TimelinePainter::paintHovered() {
  const SceneHit& hit = m_scene->hover;
  if (!hit.isBlock() || hit.row >= int(m_scene->rows.size())) return;
  const SceneRow& row = m_scene->rows[std::size_t(hit.row)];
  QRectF rect = m_scene->blockRect(row, hit.block);
  if (hit.merged) {
    rect = m_scene->blockRect(row, hit.firstBlock);
    rect.setRight(std::max(rect.right(), m_scene->blockRect(row, hit.endBlock - 1).right()));
  }
  QColor white(Qt::white);
  white.setAlphaF(float(kHoverWhite));
  m_painter->fillRect(rect, white);
}

void TimelinePainter::paintCurve(const SceneRow& row, const QRect& rect) {
  const Theme* theme = m_scene->theme;
  const Colours& c = theme->colours();
  const double highest = m_scene->timeline->storageCurve().highest();
  if (highest <= 0) return;
  const double ratio = m_scene->pixelRatio;
  const double bottom = rect.top() + row.blockTop + row.blockHeight;
  const auto yOf = [&](double bytes) {
    return std::round((bottom - bytes / highest * row.blockHeight) * ratio) / ratio;
  };
  const Fill& fill = theme->kindFill(report::OpKind::Memory);
  const QColor area = mixed(c.base, fill.fill, kCurveFill);
  const QColor line = theme->isDark() ? fill.lineOnDark : fill.lineOnLight;
  const double pixel = 1 / ratio;
  const double thick = std::max(1.0, std::floor(ratio)) / ratio;
  const auto& columns = row.storage;
  for (std::size_t x = 0; x < columns.size();) {
    // Neighbours of one height are one rectangle.
    std::size_t end = x + 1;
    while (end < columns.size() && columns[end].highest == columns[x].highest &&
           columns[end].lowest == columns[x].lowest) {
      ++end;
    }
    const double left = deviceX(int(x)), width = double(end - x) * pixel;
    const double top = yOf(columns[x].highest), low = yOf(columns[x].lowest);
    m_painter->fillRect(QRectF(left, top, width, bottom - top), area);
    m_painter->fillRect(QRectF(left, top, width, std::max(thick, low - top)), line);
    x = end;
  }
  if (row.folded) return;
  paintTensors(row, rect);
  m_painter->fillRect(QRectF(m_scene->titleWidth(), bottom, m_scene->scale.width, 1), c.grid);
}

void TimelinePainter::paintTensors(const SceneRow& row, const QRect& rect) {
  const double highest = m_scene->timeline->storageCurve().highest();
  const double bottom = rect.top() + row.blockTop + row.blockHeight;
  const auto& columns = row.tensors;
  const QColor ink = m_scene->theme->colours().text;
  for (std::size_t x = 0; x < columns.size();) {
    std::size_t end = x + 1;
    while (end < columns.size() && columns[end].highest == columns[x].highest) ++end;
    const double part = std::min(columns[x].highest / highest, 1.0);
    const double y = std::round(bottom - part * row.blockHeight);
    // Dashes of three pixels of the screen, which do not move with the steps.
    for (std::size_t at = x; at < end; ++at) {
      if (std::size_t(double(at) / m_scene->pixelRatio) / 3 % 2 != 0) continue;
      std::size_t until = at;
      while (until < end && std::size_t(double(until) / m_scene->pixelRatio) / 3 % 2 == 0) ++until;
      m_painter->fillRect(QRectF(deviceX(int(at)), y, double(until - at) / m_scene->pixelRatio, 1), ink);
      at = until;
    }
    x = end;
  }
}

}  // namespace opscope::ui
