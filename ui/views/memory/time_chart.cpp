// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory/time_chart.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPaintEngine>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/chart_data.h"
#include "ui/models/format.h"
#include "ui/views/widgets/plots.h"

namespace opscope::ui {
namespace {

constexpr double kWheelStep = 1.2;
constexpr double kKeyZoom = 1.5;
constexpr double kKeyPan = 0.15;

struct ByteUnit {
  double bytes;
  const char* name;
};

ByteUnit byteUnitFor(double highest) {
  if (highest < 10 * 1024) return {1, "B"};
  if (highest < 1048576) return {1024, "KiB"};
  return highest < 10 * 1073741824.0 ? ByteUnit{1048576, "MiB"} : ByteUnit{1073741824, "GiB"};
}

double ceilingOf(double highest) {
  const ByteUnit unit = byteUnitFor(highest);
  const double step = tickStep(highest / unit.bytes, 4) * unit.bytes;
  return std::max(step, std::ceil(highest / step - 1e-9) * step);
}

}  // namespace

TimeChart::TimeChart(const Theme* theme, TimeAxis* axis, QWidget* around)
    : QWidget(around), m_theme(theme), m_axis(axis) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  m_tip = new TimelineTip(theme, around);
  connect(axis, &TimeAxis::viewChanged, this, &TimeChart::refresh);
  connect(axis, &TimeAxis::hoverChanged, this, qOverload<>(&QWidget::update));
  connect(axis, &TimeAxis::momentChanged, this, qOverload<>(&QWidget::update));
  connect(theme, &Theme::changed, this, &TimeChart::refresh);
}

void TimeChart::setMemory(std::shared_ptr<const MemoryData> shown) {
  m_data = std::move(shown);
  m_highest = std::max(highest(), 1.0);
  m_ceiling = ceilingOf(m_highest);
  m_tip->hide();
  refresh();
}

void TimeChart::refresh() {
  m_picture = {};
  m_plotOf = {};
  update();
}

void TimeChart::resizeEvent(QResizeEvent*) {
  refresh();
}

void TimeChart::hideEvent(QHideEvent*) {
  m_tip->hide();
}

QRectF TimeChart::plot() const {
  if (m_plotOf == size()) return m_plot;
  const int line = QFontMetrics(m_theme->font(11)).height();
  const int left = m_theme->px(56), right = m_theme->px(18);
  const int top = line + m_theme->px(4), bottom = line + m_theme->px(6);
  m_plot = QRectF(left, top, std::max(10, width() - left - right), std::max(10, height() - top - bottom));
  m_plotOf = size();
  return m_plot;
}

double TimeChart::xOf(double ns) const {
  const QRectF area = plot();
  return area.left() + (ns - m_axis->fromNs()) / std::max(m_axis->spanNs(), 1.0) * area.width();
}

double TimeChart::nsAt(double x) const {
  const QRectF area = plot();
  return m_axis->fromNs() + (x - area.left()) / area.width() * m_axis->spanNs();
}

double TimeChart::yOf(double bytes) const {
  const QRectF area = plot();
  return area.bottom() - bytes / m_ceiling * area.height();
}

void TimeChart::paintAxes(QPainter* painter, const QRectF& plot) const {
  const Colours& c = m_theme->colours();
  const int line = painter->fontMetrics().height();
  const ByteUnit unit = byteUnitFor(m_highest);
  const auto ticks = axisTicks(0, m_ceiling / unit.bytes, 4);
  const int decimals = ticks.size() > 1 ? decimalsOf(ticks[1] - ticks[0]) : 0;
  for (const double tick : ticks) {
    const double y = std::round(yOf(tick * unit.bytes)) + 0.5;
    painter->setPen(tick == 0 ? c.controlBorder : c.grid);
    painter->drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter->setPen(c.textSecondary);
    painter->drawText(QRectF(0, y - line / 2.0, plot.left() - m_theme->px(8), line),
                      Qt::AlignRight | Qt::AlignVCenter, format::fixed(tick, decimals));
  }
  painter->drawText(QRectF(0, 0, plot.left() - m_theme->px(8), line), Qt::AlignRight | Qt::AlignVCenter,
                    QLatin1String(unit.name));
  const TimeUnit time = timeUnitFor(m_axis->endNs() / 1000);
  const double scale = time.us * 1000;
  const auto marks = axisTicks(m_axis->fromNs() / scale, m_axis->untilNs() / scale,
                               std::clamp(int(plot.width() / m_theme->px(110)), 2, 10));
  const int markDecimals = marks.size() > 1 ? decimalsOf(marks[1] - marks[0]) : 1;
  const double unitRoom = painter->fontMetrics().horizontalAdvance(time.name) + m_theme->px(8);
  for (const double mark : marks) {
    const double x = xOf(mark * scale);
    painter->setPen(c.grid);
    painter->drawLine(QPointF(std::round(x) + 0.5, plot.top()), QPointF(std::round(x) + 0.5, plot.bottom()));
    const QString text = format::fixed(mark, markDecimals);
    const double half = painter->fontMetrics().horizontalAdvance(text) / 2.0;
    if (x + half > plot.right() - unitRoom + m_theme->px(12)) continue;
    painter->setPen(c.textSecondary);
    painter->drawText(QRectF(x - 60, plot.bottom() + 3, 120, line), Qt::AlignHCenter, text);
  }
  painter->setPen(c.textSecondary);
  painter->drawText(QRectF(plot.left(), plot.bottom() + 3, width() - plot.left() - m_theme->px(6), line),
                    Qt::AlignRight, time.name);
}

void TimeChart::paintMoments(QPainter* painter, const QRectF& plot) const {
  const Colours& c = m_theme->colours();
  const auto draw = [&](const std::optional<double>& ns, const QColor& colour, Qt::PenStyle style) {
    if (!ns || *ns < m_axis->fromNs() || *ns > m_axis->untilNs()) return;
    const double x = std::round(xOf(*ns)) + 0.5;
    painter->setPen(QPen(colour, 1, style));
    painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  };
  draw(m_axis->hover(), c.textTertiary, Qt::SolidLine);
  draw(m_axis->moment(), c.text, Qt::DashLine);
}

void TimeChart::paintPicture() {
  m_picture = QPixmap(size() * devicePixelRatioF());
  m_picture.setDevicePixelRatio(devicePixelRatioF());
  m_picture.fill(m_theme->colours().base);
  QPainter painter(&m_picture);
  paintContents(&painter);
}

void TimeChart::paintContents(QPainter* painter) {
  painter->setFont(m_theme->font(11));
  const QRectF area = plot();
  paintAxes(painter, area);
  painter->save();
  painter->setClipRect(area.adjusted(-1, -painter->fontMetrics().height(), 1, 1));
  paintData(painter, area);
  painter->restore();
}

void TimeChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().base);
  if (!m_data) return;
  // A picture of the page may have another resolution than the screen.
  const bool onScreen = painter.paintEngine()->paintDevice()->devicePixelRatioF() == devicePixelRatioF();
  if (painter.paintEngine()->type() == QPaintEngine::Raster && onScreen) {
    if (m_picture.isNull() || m_picture.devicePixelRatio() != devicePixelRatioF()) paintPicture();
    painter.drawPixmap(0, 0, m_picture);
  } else {
    // Also printed or written as SVG: lines and words stay what they are.
    paintContents(&painter);
  }
  paintMoments(&painter, plot());
  if (hasFocus()) {
    painter.setPen(m_theme->colours().focus);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void TimeChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_isPressed = true;
  m_isDragged = false;
  m_pressed = event->position();
  m_pressedFromNs = m_axis->fromNs();
}

void TimeChart::mouseMoveEvent(QMouseEvent* event) {
  if (!m_data) return;
  const QPointF point = event->position();
  if (m_isPressed) {
    m_isDragged = m_isDragged || std::abs(point.x() - m_pressed.x()) >= QApplication::startDragDistance();
    if (m_isDragged) {
      const double by = (m_pressed.x() - point.x()) / plot().width() * m_axis->spanNs();
      m_axis->show(m_pressedFromNs + by, m_pressedFromNs + by + m_axis->spanNs());
      m_tip->hide();
    }
    return;
  }
  if (!plot().contains(point)) {
    leaveEvent(nullptr);
    return;
  }
  m_axis->setHover(nsAt(point.x()));
  TipText tip = tipAt(point);
  if (tip.name.isEmpty()) {
    m_tip->hide();
    return;
  }
  m_tip->setText(std::move(tip));
  QWidget* around = m_tip->parentWidget();
  m_tip->place(mapTo(around, point.toPoint()), around->rect());
  m_tip->raise();
  m_tip->show();
}

void TimeChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_isPressed) return;
  m_isPressed = false;
  if (!m_isDragged && m_data && plot().contains(event->position())) choose(event->position());
}

void TimeChart::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_axis->showAll();
}

void TimeChart::leaveEvent(QEvent*) {
  m_axis->setHover(std::nullopt);
  m_tip->hide();
}

void TimeChart::wheelEvent(QWheelEvent* event) {
  if (!m_data || event->angleDelta().y() == 0) {
    event->ignore();
    return;
  }
  const double steps = event->angleDelta().y() / 120.0;
  m_axis->zoom(std::pow(kWheelStep, -steps), nsAt(event->position().x()));
  event->accept();
}

void TimeChart::keyPressEvent(QKeyEvent* event) {
  const double centre = m_axis->hover().value_or((m_axis->fromNs() + m_axis->untilNs()) / 2);
  switch (event->modifiers() == Qt::NoModifier ? event->key() : 0) {
    case Qt::Key_W:
      m_axis->zoom(1 / kKeyZoom, centre);
      return;
    case Qt::Key_S:
      m_axis->zoom(kKeyZoom, centre);
      return;
    case Qt::Key_A:
    case Qt::Key_Left:
      m_axis->pan(-kKeyPan * m_axis->spanNs());
      return;
    case Qt::Key_D:
    case Qt::Key_Right:
      m_axis->pan(kKeyPan * m_axis->spanNs());
      return;
    case Qt::Key_F:
      m_axis->showAll();
      return;
    default:
      event->ignore();
  }
}

}  // namespace opscope::ui
