// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the Timeline and their blocks.
#include "ui/views/timeline/timeline_painter.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/views/look/icons.h"

namespace opscope::ui {
namespace {

constexpr double kEdgeFrom = 4;
constexpr double kTextFrom = 24;
constexpr double kTimeFrom = 54;
constexpr qsizetype kFewestLetters = 5;
constexpr double kDimmed = 0.78;
constexpr double kKernelInk = 0.3;
constexpr double kFunctionInk = 0.18;
constexpr qsizetype kMostCutTexts = 20000;

/// "83 523 calls, 5 801.0 ms": whole parts go from the left, never a part of a number.
QString cutList(QString text, const QFontMetricsF& metrics, double width) {
  for (qsizetype comma = text.indexOf(QLatin1String(", "));
       comma >= 0 && metrics.horizontalAdvance(text) > width; comma = text.indexOf(QLatin1String(", "))) {
    text.remove(0, comma + 2);
  }
  return metrics.elidedText(text, Qt::ElideRight, width);
}

}  // namespace

void TimelinePainter::forget() {
  m_cut.clear();
  m_icons.clear();
  m_coverageOf = nullptr;
}

void TimelinePainter::paint(QPainter* painter, TimelineScene& scene) {
  m_painter = painter;
  m_scene = &scene;
  m_font = scene.theme->font(11);
  m_bold = scene.theme->font(12, QFont::DemiBold);
  const Colours& c = scene.theme->colours();
  painter->fillRect(QRect(QPoint(), scene.size), c.base);
  painter->fillRect(QRect(0, 0, scene.titleWidth(), scene.size.height()), c.window);
  if (scene.timeline) {
    m_ruler = rulerOf(scene.scale, scene.theme->px(90));
    paintGrid();
    paintRows(true);
    paintRows(false);
    paintStrip();
    paintRuler();
    paintRange();
    paintCrosshair();
  }
  painter->fillRect(QRect(scene.titleWidth() - 1, 0, 1, scene.size.height()), c.line);
}

void TimelinePainter::paintRows(bool pinned) {
  for (std::size_t i = 0; i < m_scene->rows.size(); ++i) {
    SceneRow& row = m_scene->rows[i];
    const QRect rect = m_scene->rowRect(row), place = m_scene->placeOf(row);
    if (row.pinned != pinned || rect.bottom() < place.top() || rect.top() > place.bottom()) continue;
    m_painter->save();
    m_painter->setClipRect(QRect(0, place.top(), m_scene->size.width(), place.height()));
    paintTitle(row, rect, int(i));
    m_painter->setClipRect(place, Qt::IntersectClip);
    if (row.kind == SceneRow::Kind::Frame) paintFrame(row, rect);
    m_scene->updateLayout(row);
    if (row.showsCurve()) paintCurve(row, rect);
    if (!row.note.isEmpty()) paintNote(row, rect);
    if (row.lane != nullptr) {
      paintBlocks(row, rect);
      paintChosen(row, int(i));
      if (m_scene->hover.row == int(i)) paintHovered();
    }
    m_painter->restore();
  }
  const Colours& c = m_scene->theme->colours();
  const int bottom = m_scene->scrollTop() + m_scene->contentHeight() - m_scene->scrollY;
  if (!pinned && bottom < m_scene->size.height()) {
    m_painter->fillRect(QRect(0, bottom, m_scene->size.width(), 1), c.line);
  }
  if (pinned && m_scene->pinnedHeight > 0) {
    m_painter->fillRect(QRect(0, m_scene->scrollTop() - 1, m_scene->size.width(), 1), c.controlBorder);
  }
}

void TimelinePainter::paintIcon(const SceneRow& row, const QRect& rect) {
  paintIcon(row.pinned   ? "pin"
            : row.folded ? "chevron-right"
                         : "chevron-down",
            row.pinned ? IconInk::Accent : IconInk::Secondary,
            QPoint(m_scene->theme->px(6), rect.top() + m_scene->theme->px(6)));
}

void TimelinePainter::paintIcon(const char* name, IconInk ink, const QPoint& corner) {
  const int size = m_scene->theme->px(12);
  QPixmap& picture = m_icons[QByteArray(name) + (ink == IconInk::Accent ? "+" : "")];
  if (picture.isNull() || picture.devicePixelRatio() != m_scene->pixelRatio) {
    picture = QPixmap(QSize(size, size) * m_scene->pixelRatio);
    picture.setDevicePixelRatio(m_scene->pixelRatio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    lookIcon(m_scene->theme, name, ink).paint(&painter, QRect(0, 0, size, size));
  }
  m_painter->drawPixmap(corner, picture);
}

void TimelinePainter::paintTitle(const SceneRow& row, const QRect& rect, int index) {
  const Theme* theme = m_scene->theme;
  const Colours& c = theme->colours();
  const int pad = theme->px(8);
  if (row.startsGroup) m_painter->fillRect(QRect(0, rect.top(), m_scene->size.width(), 1), c.line);
  const bool bold = row.startsGroup;
  const int left = theme->px(22);
  if (bold) paintIcon(row, rect);
  const QFont font = bold ? m_bold : theme->font(12);
  const QFontMetricsF metrics(font), small(m_font);
  const QRect room(left, rect.top(), m_scene->titleWidth() - left - pad, rect.height());
  const bool curve = row.kind == SceneRow::Kind::Curve && !row.folded;
  const bool below = row.twoLines;
  // A lane that can be pinned offers it where its number stands.
  const bool offersPin = row.id && !row.pinned && m_scene->hoverTitle == index;
  const QString detail = offersPin && !below ? QString() : row.detail;
  const double detailWidth =
      below ? 0 : (offersPin ? theme->px(12) : small.horizontalAdvance(detail)) + theme->px(6);
  m_painter->setFont(font);
  m_painter->setPen(bold ? c.text : c.textSecondary);
  const double titleTop = below ? room.top() + theme->px(5) : curve ? room.top() + theme->px(4) : room.top();
  const QRectF titleRoom(room.left(), titleTop, room.width() - detailWidth,
                         below || curve ? metrics.height() : room.height());
  m_painter->drawText(titleRoom, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                      metrics.elidedText(row.title, Qt::ElideMiddle, titleRoom.width()));
  m_painter->setFont(m_font);
  m_painter->setPen(c.textSecondary);
  const QRectF second(room.left(), titleRoom.bottom() + 1, room.width(), small.height());
  if (curve) {
    m_painter->drawText(second, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                        QStringLiteral("live bytes"));
    // What the dashed line is.
    const double middle = second.bottom() + 1 + small.height() / 2;
    for (int dash = 0; dash < 3 && !m_scene->timeline->tensorCurve().isEmpty(); ++dash)
      m_painter->fillRect(QRectF(room.left() + 6 * dash, middle, 3, 1), c.text);
    if (!m_scene->timeline->tensorCurve().isEmpty()) {
      m_painter->drawText(second.translated(theme->px(22), small.height() + 1),
                          Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                          QStringLiteral("in tensors"));
    }
    m_painter->drawText(QRectF(room.left(), titleRoom.top(), room.width(), metrics.height()),
                        Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, detail);
    const double foot = rect.top() + row.blockTop + row.blockHeight - small.height();
    m_painter->drawText(QRectF(room.left(), foot, room.width(), small.height()),
                        Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, QStringLiteral("0"));
  } else if (below) {
    m_painter->drawText(second, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                        cutList(detail, small, second.width()));
  } else {
    m_painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, detail);
  }
  if (offersPin) {
    const int size = theme->px(12);
    const int y = below ? rect.top() + theme->px(6) : rect.top() + (rect.height() - size) / 2;
    paintIcon("pin", IconInk::Secondary, QPoint(room.right() - size + 1, y));
  }
}

void TimelinePainter::paintNote(const SceneRow& row, const QRect& rect) {
  const QFontMetricsF metrics(m_font);
  const QRectF room(m_scene->titleWidth() + m_scene->theme->px(8), rect.top(),
                    m_scene->scale.width - m_scene->theme->px(16), rect.height());
  const Colours& c = m_scene->theme->colours();
  const QString note = metrics.elidedText(row.note, Qt::ElideRight, room.width());
  // Lines of the grid do not go through words.
  const double height = std::min(metrics.height(), room.height() - 2);
  m_painter->fillRect(
      QRectF(room.left() - 2, room.center().y() - height / 2, metrics.horizontalAdvance(note) + 4, height),
      c.base);
  m_painter->setFont(m_font);
  m_painter->setPen(c.textSecondary);
  m_painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, note);
}

void TimelinePainter::paintFrame(const SceneRow& row, const QRect& rect) {
  const Colours& c = m_scene->theme->colours();
  const double left = std::max(m_scene->scale.toPixel(0), 0.0);
  const double right = std::min(m_scene->scale.toPixel(m_scene->timeline->totalNs()), m_scene->scale.width);
  if (right <= left) return;
  const QRectF bar(m_scene->titleWidth() + left, rect.top() + row.blockTop, right - left, row.blockHeight);
  m_painter->fillRect(bar, mixed(c.base, c.textSecondary, 0.18));
  m_painter->setFont(m_font);
  m_painter->setPen(c.text);
  const QString time = format::duration(m_scene->timeline->totalNs() / 1000).text();
  m_painter->drawText(bar.adjusted(m_scene->theme->px(6), 0, 0, 0),
                      Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                      row.title + QStringLiteral("  ") + time);
}

void TimelinePainter::paintBlocks(const SceneRow& row, const QRect& rect) {
  const auto& pieces = row.layout.pieces;
  const double ratio = m_scene->pixelRatio;
  for (std::size_t i = 0; i < pieces.size();) {
    if (!pieces[i].merged) {
      paintPiece(row, rect, pieces[i], row.looks[i]);
      ++i;
      continue;
    }
    // Neighbours of one colour are one rectangle.
    const QColor colour = colourOf(row, row.looks[i]);
    std::size_t end = i + 1;
    while (end < pieces.size() && pieces[end].merged && pieces[end].x0 == pieces[end - 1].x1 &&
           colourOf(row, row.looks[end]) == colour) {
      ++end;
    }
    m_painter->fillRect(QRectF(deviceX(pieces[i].x0), rect.top() + row.blockTop,
                               (pieces[end - 1].x1 - pieces[i].x0) / ratio, row.blockHeight),
                        colour);
    i = end;
  }
  paintHatch(row, rect);
}

QColor TimelinePainter::colourOf(const SceneRow& row, const PieceLook& look) const {
  const Colours& c = m_scene->theme->colours();
  // Colour is for what took the time: kernels have theirs in their own rows, functions in their callees.
  const QColor colour = look.fill != nullptr                ? look.fill->fill
                        : look.isFunction                   ? mixed(c.base, c.textSecondary, kFunctionInk)
                        : row.plainKernels && look.isKernel ? mixed(c.base, c.textSecondary, kKernelInk)
                                                            : m_scene->fillOf(look.op).fill;
  return m_scene->isDimmed(look.op) ? mixed(colour, c.base, kDimmed) : colour;
}

void TimelinePainter::paintPiece(const SceneRow& row, const QRect& rect, const LanePiece& piece,
                                 const PieceLook& look) {
  const Colours& c = m_scene->theme->colours();
  const bool plain = look.isFunction || (row.plainKernels && look.isKernel);
  const bool dimmed = m_scene->isDimmed(look.op);
  const QColor colour = colourOf(row, look);
  const double ratio = m_scene->pixelRatio;
  const int width = piece.x1 - piece.x0;
  const double gap = width >= kEdgeFrom * ratio ? 1 / ratio : 0;
  const QRectF block(deviceX(piece.x0), rect.top() + row.blockTop, width / ratio - gap, row.blockHeight);
  m_painter->fillRect(block, colour);
  if (block.width() < kEdgeFrom - 1) return;
  QColor edge = c.fillEdge;
  if (dimmed) edge.setAlphaF(edge.alphaF() * 0.4F);
  const double line = std::max(1.0, std::floor(ratio)) / ratio;
  m_painter->fillRect(QRectF(block.left(), block.top(), block.width(), line), edge);
  m_painter->fillRect(QRectF(block.left(), block.bottom() - line, block.width(), line), edge);
  m_painter->fillRect(QRectF(block.left(), block.top() + line, line, block.height() - 2 * line), edge);
  m_painter->fillRect(QRectF(block.right() - line, block.top() + line, line, block.height() - 2 * line),
                      edge);
  if (block.width() < kTextFrom || row.blockHeight < m_scene->theme->px(14)) return;
  const QColor ink = look.fill != nullptr ? look.fill->ink
                     : dimmed             ? c.textSecondary
                     : plain              ? c.text
                                          : m_scene->fillOf(look.op).ink;
  paintLabel(row, block, row.lane->span(piece.block), ink);
}

void TimelinePainter::paintHatch(const SceneRow& row, const QRect& rect) {
  QColor gap = m_scene->theme->colours().base;
  gap.setAlphaF(0.55F);
  const double ratio = m_scene->pixelRatio;
  const int step = std::max(3, int(std::lround(3 * ratio)));
  for (const MergedRun& run : row.layout.runs) {
    // Steps are those of the screen, so that neighbouring runs hatch alike.
    for (int x = (run.x0 / step) * step + step - 1; x < run.x1; x += step) {
      if (x <= run.x0) continue;
      m_painter->fillRect(QRectF(deviceX(x), rect.top() + row.blockTop, 1 / ratio, row.blockHeight), gap);
    }
  }
}

void TimelinePainter::paintLabel(const SceneRow& row, const QRectF& block, const report::Span& span,
                                 const QColor& ink) {
  const double pad = m_scene->theme->px(4);
  const double left = std::max(block.left(), double(m_scene->titleWidth())) + pad;
  const double width = block.right() - pad - left;
  const QString name = row.group == TimelineRow::Group::Rpc     ? cutText(m_scene->requestText(span), width)
                       : row.group == TimelineRow::Group::Steps ? stepLabel(span, width)
                                                                : cutName(span, width);
  if (name.isEmpty()) return;
  const QFontMetricsF metrics(m_font);
  m_painter->setFont(m_font);
  m_painter->setPen(ink);
  if (!row.twoLines) {
    m_painter->drawText(
        QPointF(left, block.top() + (block.height() - metrics.height()) / 2 + metrics.ascent()), name);
    return;
  }
  const double line = metrics.height();
  const QString time = blockTime(span.durationNs);
  const bool withTime = block.right() - left >= kTimeFrom - pad && metrics.horizontalAdvance(time) <= width;
  const double top = block.top() + (block.height() - (withTime ? 2 : 1) * line) / 2;
  m_painter->drawText(QPointF(left, top + metrics.ascent()), name);
  if (withTime) m_painter->drawText(QPointF(left, top + line + metrics.ascent()), time);
}

/// With its time where there is room for both.
QString TimelinePainter::stepLabel(const report::Span& span, double width) const {
  const QString name = m_scene->stepText(span);
  const QString both = name + QStringLiteral("  ") + format::duration(span.durationNs / 1000).text();
  return QFontMetricsF(m_font).horizontalAdvance(both) <= width ? both : cutText(name, width);
}

QString TimelinePainter::cutName(const report::Span& span, double width) {
  const Key key{span.call == report::kNone ? report::kNone : m_scene->timeline->callOf(span).name,
                int(width)};
  const auto found = m_cut.constFind(key);
  if (found != m_cut.cend()) return *found;
  if (m_cut.size() > kMostCutTexts) m_cut.clear();
  const QString cut = cutText(m_scene->nameOf(span), width);
  m_cut.insert(key, cut);
  return cut;
}

QString TimelinePainter::cutText(const QString& text, double width) const {
  const QFontMetricsF metrics(m_font);
  if (metrics.horizontalAdvance(text) <= width) return text;
  const QString cut = metrics.elidedText(text, Qt::ElideMiddle, std::floor(width));
  return cut.size() - 1 < kFewestLetters ? QString() : cut;
}

}  // namespace opscope::ui
