// SPDX-License-Identifier: GPL-3.0-or-later
// What frames the rows: the strip of the whole run, the ruler, the range, crosshair and pills.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/views/timeline/timeline_painter.h"

namespace opscope::ui {
namespace {

/// Where a range begins and ends on screen, held a little outside of the lanes.
std::pair<int, int> edgesOf(const TimelineScene& scene, double startNs, double endNs) {
  const int left = scene.lanes().left(), out = scene.size.width() + 2;
  const int x0 = std::clamp(scene.xOf(startNs), left - 2, out);
  return {x0, std::clamp(std::max(scene.xOf(endNs), x0 + 1), left - 1, out + 1)};
}

}  // namespace

void TimelinePainter::renderCoverage(const QRect& strip) {
  const double ratio = m_scene->pixelRatio;
  const QSize size(int(strip.width() * ratio), int((strip.height() - m_scene->theme->px(12)) * ratio));
  const bool same = m_coverageOf == m_scene->timeline.get() && m_coverageColour == m_scene->colour &&
                    m_coverage.size() == size;
  if (same) return;
  m_coverageOf = m_scene->timeline.get();
  m_coverageColour = m_scene->colour;
  m_coverage = QPixmap(size);
  m_coverage.fill(Qt::transparent);
  QPainter painter(&m_coverage);
  paintColumns(&painter, size);
}

void TimelinePainter::paintColumns(QPainter* painter, const QSize& size) const {
  const auto bins = m_scene->timeline->coverage(m_scene->colour);
  const TimeBounds bounds = m_scene->timeline->bounds();
  // Bins are parts of the calls' time, pixels of all that can be shown.
  const double perNs = double(bins.size()) / m_scene->timeline->totalNs();
  const double perPixel = bounds.lengthNs() / size.width() * perNs;
  const double before = bounds.beginNs * perNs;
  for (int x = 0; x < size.width(); ++x) {
    const double from = before + x * perPixel;
    if (from + perPixel <= 0 || from >= double(bins.size())) continue;
    const auto first = std::min(std::size_t(std::max(from, 0.0)), bins.size() - 1);
    const auto end = std::clamp(std::size_t(from + perPixel), first + 1, bins.size());
    double bottom = size.height();
    for (std::size_t slot = 0; slot < kColourSlots; ++slot) {
      double sum = 0;
      for (std::size_t bin = first; bin < end; ++bin) sum += double(bins[bin][slot]);
      const double height = std::min(1.0, sum / double(end - first)) * size.height();
      if (height <= 0) continue;
      const double top = std::max(0.0, bottom - height);
      const int y = int(std::round(top));
      painter->fillRect(x, y, 1, int(std::round(bottom)) - y, m_scene->fillOfSlot(slot).fill);
      bottom = top;
    }
  }
}

void TimelinePainter::paintStrip() {
  const Theme* theme = m_scene->theme;
  const Colours& c = theme->colours();
  const QRect strip = m_scene->strip();
  m_painter->fillRect(QRect(0, 0, m_scene->titleWidth(), strip.height()), c.window);
  m_painter->fillRect(strip, c.base);
  const QRect title(theme->px(10), 0, m_scene->titleWidth() - theme->px(18), strip.height());
  m_painter->setFont(m_bold);
  m_painter->setPen(c.text);
  m_painter->drawText(title.adjusted(0, theme->px(6), 0, 0), Qt::AlignLeft | Qt::AlignTop,
                      m_scene->timeline->isBeforeRepeats() ? QStringLiteral("Before the repeats")
                                                           : QStringLiteral("Whole repeat"));
  m_painter->setFont(m_font);
  m_painter->setPen(c.textSecondary);
  m_painter->drawText(title.adjusted(0, 0, 0, -theme->px(6)), Qt::AlignLeft | Qt::AlignBottom,
                      format::duration(m_scene->timeline->totalNs() / 1000).text());
  paintCoverage(strip);
  paintWindow(strip);
  m_painter->fillRect(QRect(0, strip.bottom(), m_scene->size.width(), 1), c.line);
}

void TimelinePainter::paintCoverage(const QRect& strip) {
  const QPoint corner(strip.left(), strip.top() + m_scene->theme->px(6));
  if (m_scene->isPicture) {
    // Lines stay lines in files, and the window is a frame: what is outside of it need not be paler.
    m_painter->save();
    m_painter->translate(corner);
    paintColumns(m_painter, QSize(strip.width(), strip.height() - m_scene->theme->px(12)));
    m_painter->restore();
    return;
  }
  renderCoverage(strip);
  QPixmap picture = m_coverage;
  picture.setDevicePixelRatio(m_scene->pixelRatio);
  m_painter->setOpacity(0.42);
  m_painter->drawPixmap(corner, picture);
  m_painter->setOpacity(1);
}

void TimelinePainter::paintWindow(const QRect& strip) {
  const Theme* theme = m_scene->theme;
  const Colours& c = theme->colours();
  const auto place = [this](double ns) { return m_scene->stripX(ns); };
  const double left = std::max(place(m_scene->scale.startNs), double(strip.left()));
  const double right = std::min(std::max(place(m_scene->scale.endNs), left + 4), double(strip.right() + 1));
  const QRectF window(left, strip.top() + 1, right - left, strip.height() - 3);
  if (!m_scene->isPicture) {
    m_painter->save();
    m_painter->setClipRect(window);
    m_painter->fillRect(window, c.base);
    QPixmap picture = m_coverage;
    picture.setDevicePixelRatio(m_scene->pixelRatio);
    m_painter->drawPixmap(QPoint(strip.left(), strip.top() + theme->px(6)), picture);
    m_painter->restore();
  }
  if (m_scene->range) {
    const double a = place(m_scene->range->startNs), b = place(m_scene->range->endNs);
    m_painter->fillRect(QRectF(a, strip.top() + 1, std::max(1.0, b - a), strip.height() - 3), c.rangeFill);
  }
  m_painter->save();
  m_painter->setRenderHint(QPainter::Antialiasing);
  m_painter->setPen(QPen(c.accent, 2));
  m_painter->setBrush(Qt::NoBrush);
  m_painter->drawRoundedRect(window.adjusted(1, 1, -1, -1), 2, 2);
  m_painter->setPen(Qt::NoPen);
  m_painter->setBrush(c.accent);
  const double width = theme->px(6), height = theme->px(16);
  for (const double x : {window.left() + 1, window.right() - 1}) {
    const double inside = std::clamp(x, strip.left() + width / 2, strip.right() + 1 - width / 2);
    m_painter->drawRoundedRect(QRectF(inside - width / 2, window.center().y() - height / 2, width, height), 2,
                               2);
  }
  m_painter->restore();
}

void TimelinePainter::paintRuler() {
  const Theme* theme = m_scene->theme;
  const Colours& c = theme->colours();
  const QRect ruler = m_scene->ruler();
  m_painter->fillRect(QRect(0, ruler.top(), m_scene->size.width(), ruler.height()), c.window);
  m_painter->setFont(m_font);
  m_painter->setPen(c.textSecondary);
  const QString from =
      m_scene->timeline->hasStartTimes() ? QStringLiteral("from its start") : QStringLiteral("in order");
  const QString text = m_scene->timeline->isBeforeRepeats()
                           ? QStringLiteral("From the first word")
                           : QStringLiteral("Repeat %1, %2").arg(m_scene->timeline->repeat() + 1).arg(from);
  m_painter->drawText(
      QRect(theme->px(10), ruler.top(), m_scene->titleWidth() - theme->px(14), ruler.height()),
      Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
  const QFontMetricsF metrics(m_font);
  std::vector<QRectF> taken;
  if (m_scene->cursorX) {
    taken.push_back(cursorPill());
  }
  const auto addLength = [&](double a, double b) {
    const auto [x0, x1] = edgesOf(*m_scene, a, b);
    taken.push_back(pillRect((x0 + x1) / 2.0, format::duration((b - a) / 1000).text()));
  };
  if (m_scene->range) addLength(m_scene->range->startNs, m_scene->range->endNs);
  if (m_scene->measure) addLength(m_scene->measure->first, m_scene->measure->second);
  m_painter->save();
  m_painter->setClipRect(ruler);
  for (const double tick : m_ruler.ticksNs) {
    const double x = m_scene->xOf(tick);
    m_painter->fillRect(QRectF(x, ruler.bottom() - theme->px(4), 1, theme->px(4)), c.controlBorder);
    const QString label = m_ruler.label(tick);
    const double width = metrics.horizontalAdvance(label);
    // The first label would lie half under the titles; there it stands to the right of its tick.
    const double left = std::max(x - width / 2, ruler.left() + 3.0);
    const QRectF place(left, ruler.top(), width + 1, ruler.height() - theme->px(3));
    if (place.right() > ruler.right()) continue;
    const bool under = std::any_of(taken.begin(), taken.end(), [&](const QRectF& pill) {
      return pill.left() < place.right() + 4 && pill.right() > place.left() - 4;
    });
    if (!under) m_painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, label);
  }
  m_painter->restore();
  m_painter->fillRect(QRect(0, ruler.bottom(), m_scene->size.width(), 1), c.line);
}

void TimelinePainter::paintGrid() {
  const QRect lanes = m_scene->lanes();
  for (const double tick : m_ruler.ticksNs) {
    const int x = m_scene->xOf(tick);
    if (x >= lanes.left())
      m_painter->fillRect(QRect(x, lanes.top(), 1, lanes.height()), m_scene->theme->colours().grid);
  }
}

void TimelinePainter::paintRange() {
  const Colours& c = m_scene->theme->colours();
  const QRect lanes = m_scene->lanes();
  const auto paint = [&](double startNs, double endNs, bool lasting) {
    const auto [x0, x1] = edgesOf(*m_scene, startNs, endNs);
    m_painter->save();
    m_painter->setClipRect(
        QRect(lanes.left(), m_scene->stripHeight(), lanes.width(), m_scene->size.height()));
    m_painter->fillRect(QRect(x0, lanes.top(), x1 - x0, lanes.height()), c.rangeFill);
    const int top =
        lasting ? m_scene->stripHeight() + m_scene->rulerHeight() - m_scene->theme->px(3) : lanes.top();
    m_painter->fillRect(QRect(x0, top, 1, m_scene->size.height() - top), c.rangeLine);
    m_painter->fillRect(QRect(x1, top, 1, m_scene->size.height() - top), c.rangeLine);
    if (lasting) {
      const int from = std::max(x0, lanes.left());
      m_painter->fillRect(QRect(from, top, std::min(x1, m_scene->size.width()) - from, 1), c.rangeLine);
    }
    m_painter->restore();
    const double middle = (x0 + x1) / 2.0;
    const QString length = format::duration((endNs - startNs) / 1000).text();
    if (middle >= m_scene->titleWidth() && middle <= m_scene->size.width())
      paintPill(pillRect(middle, length), length, c.accent, c.onAccent);
  };
  if (m_scene->range) paint(m_scene->range->startNs, m_scene->range->endNs, true);
  if (m_scene->measure) paint(m_scene->measure->first, m_scene->measure->second, false);
}

void TimelinePainter::paintCrosshair() {
  if (!m_scene->cursorX) return;
  const Colours& c = m_scene->theme->colours();
  const int x = *m_scene->cursorX;
  QColor line = c.text;
  for (int y = m_scene->lanesTop(); y < m_scene->size.height(); y += 6) {
    m_painter->fillRect(QRect(x, y, 1, 3), line);
  }
  if (m_scene->measure || x < m_scene->titleWidth() || x > m_scene->size.width()) return;
  paintPill(cursorPill(), timeText(m_scene->timeAt(x), m_scene->scale.nsPerPixel()), c.text, c.base);
}

QRectF TimelinePainter::pillRect(double x, const QString& text) const {
  const QRect ruler = m_scene->ruler();
  const double width = QFontMetricsF(m_font).horizontalAdvance(text) + m_scene->theme->px(12);
  const double left =
      std::clamp(x - width / 2, double(ruler.left()), std::max(double(ruler.left()), ruler.right() - width));
  return {left, double(ruler.top() + m_scene->theme->px(3)), width, double(m_scene->theme->px(18))};
}

QRectF TimelinePainter::cursorPill() const {
  const int x = *m_scene->cursorX;
  QRectF pill = pillRect(x, timeText(m_scene->timeAt(x), m_scene->scale.nsPerPixel()));
  if (!m_scene->range) return pill;
  const auto [x0, x1] = edgesOf(*m_scene, m_scene->range->startNs, m_scene->range->endNs);
  const double middle = (x0 + x1) / 2.0;
  if (middle < m_scene->titleWidth() || middle > m_scene->size.width()) return pill;
  const QRectF range =
      pillRect(middle, format::duration((m_scene->range->endNs - m_scene->range->startNs) / 1000).text());
  if (!pill.intersects(range)) return pill;
  // To the side that it lies on already; at an end of the ruler to the other.
  const QRect ruler = m_scene->ruler();
  const double left = range.left() - 2 - pill.width(), right = range.right() + 2;
  const bool toLeft = x < middle ? left >= ruler.left() : right + pill.width() > ruler.right();
  pill.moveLeft(toLeft ? left : right);
  return pill;
}

void TimelinePainter::paintPill(const QRectF& rect, const QString& text, const QColor& fill,
                                const QColor& ink) {
  m_painter->save();
  m_painter->setRenderHint(QPainter::Antialiasing);
  m_painter->setPen(Qt::NoPen);
  m_painter->setBrush(fill);
  m_painter->drawRoundedRect(rect, 3, 3);
  m_painter->setFont(m_font);
  m_painter->setPen(ink);
  m_painter->drawText(rect, Qt::AlignCenter | Qt::TextSingleLine, text);
  m_painter->restore();
}

}  // namespace opscope::ui
