// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/text_contrast.h"

#include <QApplication>
#include <QEvent>
#include <QHash>
#include <algorithm>
#include <cmath>

#include "ui/views/charts/custom_plot.h"

namespace opscope::ui::testing {
namespace {

/// A colour behind less than this part of a text is an edge or a line that crosses it.
constexpr double kMuch = 0.12;
/// Letters' edges are faint; what covers half as much as the strongest point is the letter itself.
constexpr double kSolid = 0.5;

double luminance(const QColor& colour) {
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

/// Tells which widget is being painted.
class PaintWatch : public QObject {
 public:
  explicit PaintWatch(QPointer<QWidget>* painting) : m_painting(painting) { qApp->installEventFilter(this); }
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Paint) *m_painting = qobject_cast<QWidget*>(watched);
    return false;
  }

 private:
  QPointer<QWidget>* m_painting;
};

}  // namespace

double contrastOf(const QColor& a, const QColor& b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor blended(const QColor& above, const QColor& below) {
  const double part = above.alphaF();
  const auto mix = [part](int a, int b) { return int(std::lround(part * a + (1 - part) * b)); };
  return {mix(above.red(), below.red()), mix(above.green(), below.green()), mix(above.blue(), below.blue())};
}

/// Hands everything on to a painter of the picture.
class ContrastEngine : public QPaintEngine {
 public:
  explicit ContrastEngine(ContrastDevice* device) : QPaintEngine(AllFeatures), m_device(device) {}

  bool begin(QPaintDevice*) override {
    m_clip = {};
    m_isClipped = false;
    m_painter.begin(&m_device->m_picture);
    // Until the first state says so, this holds only for what the window system shows.
    clip();
    return true;
  }
  bool end() override { return m_painter.end(); }
  Type type() const override { return User; }

  void updateState(const QPaintEngineState& now) override {
    const DirtyFlags dirty = now.state();
    if (dirty & DirtyPen) m_painter.setPen(now.pen());
    if (dirty & DirtyBrush) m_painter.setBrush(now.brush());
    if (dirty & DirtyBrushOrigin) m_painter.setBrushOrigin(now.brushOrigin());
    if (dirty & DirtyFont) m_painter.setFont(now.font());
    if (dirty & DirtyBackground) m_painter.setBackground(now.backgroundBrush());
    if (dirty & DirtyBackgroundMode) m_painter.setBackgroundMode(now.backgroundMode());
    if (dirty & DirtyHints) {
      m_painter.setRenderHints(m_painter.renderHints(), false);
      m_painter.setRenderHints(now.renderHints(), true);
    }
    if (dirty & DirtyCompositionMode) m_painter.setCompositionMode(now.compositionMode());
    if (dirty & DirtyOpacity) m_painter.setOpacity(now.opacity());
    if (dirty & DirtyTransform) m_transform = now.transform();
    if (dirty & DirtyClipRegion) narrow(now.clipOperation(), m_transform.map(now.clipRegion()));
    if (dirty & DirtyClipPath) {
      narrow(now.clipOperation(),
             QRegion(m_transform.map(now.clipPath()).toFillPolygon().toPolygon(), Qt::WindingFill));
    }
    if (dirty & DirtyClipEnabled) m_isClipped = now.isClipEnabled() && !m_clip.isNull();
    clip();
  }

  void drawRects(const QRect* rects, int count) override { m_painter.drawRects(rects, count); }
  void drawRects(const QRectF* rects, int count) override { m_painter.drawRects(rects, count); }
  void drawLines(const QLine* lines, int count) override { m_painter.drawLines(lines, count); }
  void drawLines(const QLineF* lines, int count) override { m_painter.drawLines(lines, count); }
  void drawEllipse(const QRectF& rect) override { m_painter.drawEllipse(rect); }
  void drawPath(const QPainterPath& path) override { m_painter.drawPath(path); }
  void drawPoints(const QPointF* points, int count) override { m_painter.drawPoints(points, count); }
  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
    if (mode == PolylineMode) return m_painter.drawPolyline(points, count);
    m_painter.drawPolygon(points, count, mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
  }
  void drawPixmap(const QRectF& rect, const QPixmap& pixmap, const QRectF& part) override {
    m_painter.drawPixmap(rect, pixmap, part);
  }
  void drawTiledPixmap(const QRectF& rect, const QPixmap& pixmap, const QPointF& at) override {
    m_painter.drawTiledPixmap(rect, pixmap, at);
  }
  void drawImage(const QRectF& rect, const QImage& image, const QRectF& part,
                 Qt::ImageConversionFlags flags) override {
    m_painter.drawImage(rect, image, part, flags);
  }
  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    measure(at, item);
    m_painter.drawTextItem(at, item);
  }

 private:
  void narrow(Qt::ClipOperation operation, const QRegion& region) {
    if (operation == Qt::NoClip) m_clip = {};
    if (operation == Qt::ReplaceClip) m_clip = region;
    if (operation == Qt::IntersectClip) m_clip = m_isClipped ? m_clip & region : region;
    m_isClipped = operation != Qt::NoClip;
  }

  void clip() {
    m_shown = m_device->m_picture.rect();
    if (!systemClip().isNull()) m_shown &= systemClip();
    if (m_isClipped) m_shown &= m_clip;
    m_painter.setWorldTransform({});
    m_painter.setClipRegion(m_shown);
    m_painter.setWorldTransform(m_transform);
  }

  /// How much the letters cover each point of `place`.
  QImage letters(const QPointF& at, const QTextItem& item, const QRect& place) const {
    QImage mask(place.size(), QImage::Format_ARGB32_Premultiplied);
    mask.fill(Qt::transparent);
    QPainter painter(&mask);
    painter.setWorldTransform(m_transform * QTransform::fromTranslate(-place.x(), -place.y()));
    painter.setFont(item.font());
    painter.setPen(Qt::black);
    painter.drawTextItem(at, item);
    return mask;
  }

  void measure(const QPointF& at, const QTextItem& item) {
    const QRectF box(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
    const QRect place =
        m_transform.mapRect(box).toAlignedRect().adjusted(-1, -1, 1, 1) & m_shown.boundingRect();
    if (place.isEmpty() || item.text().trimmed().isEmpty()) return;
    const QImage mask = letters(at, item, place);
    const QImage& behind = m_device->m_picture;
    int strongest = 0;
    for (int y = 0; y < place.height(); ++y) {
      const auto* line = reinterpret_cast<const QRgb*>(mask.constScanLine(y));
      for (int x = 0; x < place.width(); ++x) strongest = std::max(strongest, qAlpha(line[x]));
    }
    const bool whole = m_shown.rectCount() == 1;
    QHash<QRgb, int> grounds;
    int all = 0;
    for (int y = 0; y < place.height() && strongest > 0; ++y) {
      const auto* line = reinterpret_cast<const QRgb*>(mask.constScanLine(y));
      const auto* below = reinterpret_cast<const QRgb*>(behind.constScanLine(place.y() + y)) + place.x();
      for (int x = 0; x < place.width(); ++x) {
        if (qAlpha(line[x]) < strongest * kSolid) continue;
        if (!whole && !m_shown.contains(place.topLeft() + QPoint(x, y))) continue;
        ++grounds[below[x]];
        ++all;
      }
    }
    PaintedText text{item.text(), place, {}, {}, 22, m_device->m_painting};
    QColor pen = m_painter.pen().color();
    pen.setAlphaF(pen.alphaF() * float(m_painter.opacity()));
    for (auto ground = grounds.cbegin(); ground != grounds.cend(); ++ground) {
      if (*ground < kMuch * all) continue;
      const QColor colour = QColor::fromRgb(ground.key()), ink = blended(pen, colour);
      const double contrast = contrastOf(ink, colour);
      if (contrast >= text.contrast) continue;
      text.contrast = contrast;
      text.ink = ink;
      text.ground = colour;
    }
    if (text.ink.isValid()) m_device->m_texts.push_back(text);
  }

  ContrastDevice* m_device;
  QPainter m_painter;
  QTransform m_transform;
  QRegion m_clip, m_shown;
  bool m_isClipped = false;
};

ContrastDevice::ContrastDevice(const QSize& size)
    : m_picture(size, QImage::Format_RGB32), m_engine(std::make_unique<ContrastEngine>(this)) {
  m_picture.fill(Qt::white);
}

ContrastDevice::~ContrastDevice() = default;

QPaintEngine* ContrastDevice::paintEngine() const {
  return m_engine.get();
}

void ContrastDevice::paint(QWidget* widget) {
  const PaintWatch watch(&m_painting);
  widget->render(this);
  // A chart hands over a ready picture; its words come when it paints itself again.
  for (QCustomPlot* plot : widget->findChildren<QCustomPlot*>()) {
    if (!plot->isVisible()) continue;
    ContrastDevice own(plot->size());
    {
      QCPPainter painter(&own);
      plot->toPainter(&painter, plot->width(), plot->height());
    }
    for (PaintedText& text : own.m_texts) {
      text.widget = plot;
      text.place.translate(plot->mapTo(widget, QPoint()));
      m_texts.push_back(text);
    }
  }
}

int ContrastDevice::metric(PaintDeviceMetric metric) const {
  switch (metric) {
    case PdmWidth:
      return m_picture.width();
    case PdmHeight:
      return m_picture.height();
    case PdmWidthMM:
      return m_picture.widthMM();
    case PdmHeightMM:
      return m_picture.heightMM();
    case PdmNumColors:
      return m_picture.colorCount();
    case PdmDepth:
      return m_picture.depth();
    case PdmDpiX:
    case PdmPhysicalDpiX:
      return m_picture.logicalDpiX();
    case PdmDpiY:
    case PdmPhysicalDpiY:
      return m_picture.logicalDpiY();
    case PdmDevicePixelRatio:
      return 1;
    case PdmDevicePixelRatioScaled:
      return int(devicePixelRatioFScale());
  }
  return 0;
}

}  // namespace opscope::ui::testing
