// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/plots.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "engine/report/statistics.h"
#include "ui/models/chart_data.h"
#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kFewSamples = 8;

/// Whether the line from `a` to `b` runs through `box`.
bool crosses(const QRectF& box, const QPointF& a, const QPointF& b) {
  const double left = std::max(box.left(), std::min(a.x(), b.x()));
  const double right = std::min(box.right(), std::max(a.x(), b.x()));
  if (left > right) return false;
  const auto at = [&](double x) {
    return b.x() == a.x() ? a.y() : a.y() + (x - a.x()) / (b.x() - a.x()) * (b.y() - a.y());
  };
  const auto [high, low] = std::minmax({at(left), at(right)});
  return low >= box.top() && high <= box.bottom();
}

/// A place for words beside the median's line where no part of the line of totals is under them; without one,
/// at the top edge of the plot.
QRectF freePlace(const QRectF& plot, double lineY, const QSizeF& size, const QPolygonF& points) {
  const double step = size.width() / 2;
  for (double right = plot.right(); right - size.width() >= plot.left(); right -= step) {
    for (const double top : {lineY - size.height() - 1, lineY + 2}) {
      const QRectF place(QPointF(right - size.width(), top), size);
      if (place.top() < plot.top() || place.bottom() > plot.bottom()) continue;
      const QRectF grown = place.adjusted(-4, -2, 4, 2);
      bool taken = points.size() == 1 && grown.contains(points.front());
      for (qsizetype i = 1; i < points.size() && !taken; ++i)
        taken = crosses(grown, points[i - 1], points[i]);
      if (!taken) return place;
    }
  }
  return QRectF(QPointF(plot.right() - size.width(), plot.top() - size.height()), size);
}

}  // namespace

std::vector<double> axisTicks(double low, double high, int wanted) {
  if (!(high > low)) return {low};
  const double step = tickStep(high - low, wanted);
  std::vector<double> ticks;
  for (double tick = std::ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step)
    ticks.push_back(tick);
  return ticks;
}

HistogramPlot::HistogramPlot(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize HistogramPlot::sizeHint() const {
  return {m_theme->px(270), m_theme->px(138)};
}

void HistogramPlot::setSamples(std::vector<double> samplesUs, const Fill& fill) {
  m_samples = std::move(samplesUs);
  std::sort(m_samples.begin(), m_samples.end());
  m_fill = fill.fill;
  if (!m_samples.empty()) {
    setAccessibleName(QStringLiteral("Histogram, %1 values, median %2 µs")
                          .arg(m_samples.size())
                          .arg(format::microseconds(report::percentile(m_samples, 0.5))));
  }
  update();
}

void HistogramPlot::paintEvent(QPaintEvent*) {
  if (m_samples.empty()) return;
  QPainter painter(this);
  painter.setFont(m_theme->font(11));
  const Colours& c = m_theme->colours();
  const int line = painter.fontMetrics().height();
  const QRectF plot(m_theme->px(26), line + 2, width() - m_theme->px(32),
                    height() - 3 * line - m_theme->px(6));
  double low = m_samples.front(), high = m_samples.back();
  if (high <= low) {
    low -= std::max(0.05, low * 0.01);
    high += std::max(0.05, high * 0.01);
  }
  if (m_samples.size() < kFewSamples) {
    paintDots(&painter, plot, low, high);
  } else {
    paintBins(&painter, plot, low, high);
  }
  paintMarks(&painter, plot, low, high);
  painter.setPen(c.controlBorder);
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.setPen(c.textSecondary);
  const auto ticks = axisTicks(low, high, 4);
  const int decimals = ticks.size() > 1 ? decimalsOf(ticks[1] - ticks[0]) : 1;
  for (const double tick : ticks) {
    const double x = plot.left() + (tick - low) / (high - low) * plot.width();
    painter.drawText(QRectF(x - 50, plot.bottom() + 3, 100, line), Qt::AlignHCenter | Qt::TextDontClip,
                     format::fixed(tick, decimals));
  }
  painter.drawText(QRectF(plot.left(), height() - line, plot.width(), line), Qt::AlignHCenter,
                   QStringLiteral("Duration (µs)"));
}

void HistogramPlot::paintBins(QPainter* painter, const QRectF& plot, double low, double high) const {
  const Colours& c = m_theme->colours();
  const Histogram histogram = histogramOf(m_samples);
  const auto& counts = histogram.counts;
  const double highest = double(*std::max_element(counts.begin(), counts.end()));
  const int line = painter->fontMetrics().height();
  for (const double tick : axisTicks(0, highest, 4)) {
    if (tick != std::floor(tick)) continue;
    const double y = plot.bottom() - tick / highest * plot.height();
    painter->setPen(c.grid);
    painter->drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter->setPen(c.textSecondary);
    painter->drawText(QRectF(0, y - line / 2.0, plot.left() - m_theme->px(5), line),
                      Qt::AlignRight | Qt::AlignVCenter, QString::number(int(tick)));
  }
  const double perUs = plot.width() / (high - low);
  const double left = plot.left() + (histogram.lowUs - low) * perUs, width = histogram.widthUs * perUs;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double height = plot.height() * double(counts[i]) / highest;
    const QRectF bar(std::round(left + width * double(i)), std::round(plot.bottom() - height),
                     std::max(1.0, std::round(width) - 1), std::round(height));
    painter->fillRect(bar, m_fill);
    if (bar.width() < 4) continue;
    painter->setPen(c.fillEdge);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void HistogramPlot::paintDots(QPainter* painter, const QRectF& plot, double low, double high) const {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(m_theme->colours().fillEdge, 1));
  painter->setBrush(m_fill);
  const double radius = m_theme->px(4);
  for (const double sample : m_samples) {
    const double x = plot.left() + (sample - low) / (high - low) * plot.width();
    painter->drawEllipse(QPointF(x, plot.center().y()), radius, radius);
  }
  painter->restore();
}

void HistogramPlot::paintMarks(QPainter* painter, const QRectF& plot, double low, double high) const {
  if (m_samples.size() < 2) return;
  struct Mark {
    double part;
    const char* name;
    Qt::PenStyle style;
  };
  // In the order in which they get a name: those that come later give way where they lie close.
  constexpr Mark kMarks[] = {{0.5, "median", Qt::SolidLine},
                             {0.95, "p95", Qt::DashLine},
                             {0.05, "p5", Qt::DotLine},
                             {0.99, "p99", Qt::DotLine}};
  const Colours& c = m_theme->colours();
  const int line = painter->fontMetrics().height();
  std::vector<QRectF> taken;
  for (const Mark& mark : kMarks) {
    const double value = report::percentile(m_samples, mark.part);
    const double x = std::round(plot.left() + (value - low) / (high - low) * plot.width());
    const QString text = QString::fromLatin1(mark.name);
    const double half = painter->fontMetrics().horizontalAdvance(text) / 2.0 + 2;
    const double middle = std::clamp(x, half, width() - half);
    QRectF place(middle - half, 0, 2 * half, line);
    const auto isFree = [&]() {
      return std::none_of(taken.begin(), taken.end(),
                          [&](const QRectF& other) { return other.intersects(place); });
    };
    // The second name moves aside before it gives way.
    if (!isFree() && taken.size() == 1)
      place.moveLeft(std::min(taken.front().right() + 1, width() - 2 * half));
    const bool free = isFree();
    // Without a name nobody knows what a thin line stands for.
    if (!free) continue;
    taken.push_back(place);
    painter->setPen(QPen(mark.style == Qt::DotLine ? c.textSecondary : c.text, 1, mark.style));
    painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    painter->drawText(place, Qt::AlignCenter, text);
  }
}

RepeatPlot::RepeatPlot(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setMinimumHeight(theme->px(160));
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize RepeatPlot::sizeHint() const {
  return {m_theme->px(420), m_theme->px(240)};
}

void RepeatPlot::setTotals(std::vector<double> totalsUs, std::size_t wanted) {
  m_totals = std::move(totalsUs);
  m_wanted = std::max(wanted, m_totals.size());
  std::vector<double> sorted = m_totals;
  m_medianUs = sorted.empty() ? 0 : report::medianInPlace(sorted);
  setAccessibleName(QStringLiteral("Total of each of %1 repeats").arg(m_totals.size()));
  update();
}

RepeatPlot::Scale RepeatPlot::makeScale(int lineHeight) const {
  Scale scale;
  const double largest = *std::max_element(m_totals.begin(), m_totals.end());
  scale.unitUs = largest < 1e3 ? 1 : largest < 1e7 ? 1e3 : 1e6;
  scale.low = *std::min_element(m_totals.begin(), m_totals.end()) / scale.unitUs;
  scale.high = largest / scale.unitUs;
  const double margin = std::max((scale.high - scale.low) * 0.15, scale.high * 0.02);
  scale.low = std::max(0.0, scale.low - margin);
  scale.high += margin;
  scale.plot = QRectF(m_theme->px(48), m_theme->px(14), width() - m_theme->px(62),
                      height() - 2 * lineHeight - m_theme->px(24));
  return scale;
}

double RepeatPlot::xOf(const Scale& scale, double repeat) const {
  const double repeats = shownRepeats();
  if (repeats < 2) return scale.plot.center().x();
  const double inset = m_theme->px(8);
  return scale.plot.left() + inset + (repeat - 1) / (repeats - 1) * (scale.plot.width() - 2 * inset);
}

double RepeatPlot::shownRepeats() const {
  constexpr double kMostEmpty = 4;
  const double measured = double(m_totals.size()), wanted = double(m_wanted);
  if (wanted <= measured * kMostEmpty) return wanted;
  // The room of repeats that never came tells that a run was stopped, but must not squeeze those that did.
  if (!m_going) return measured;
  // While they come the axis grows now and then, and not with each.
  constexpr double kSmallest = 20;
  double shown = kSmallest;
  while (shown < measured * 4 / 3) shown *= 2;
  return std::min(wanted, shown);
}

void RepeatPlot::paintAxes(QPainter* painter, const Scale& scale) const {
  const Colours& c = m_theme->colours();
  const int line = painter->fontMetrics().height();
  const QRectF& plot = scale.plot;
  const auto ticks = axisTicks(scale.low, scale.high);
  const int decimals = ticks.size() > 1 ? decimalsOf(ticks[1] - ticks[0]) : 2;
  for (const double tick : ticks) {
    const double y = std::round(scale.y(tick));
    painter->setPen(c.grid);
    painter->drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter->setPen(c.textSecondary);
    painter->drawText(QRectF(0, y - line / 2.0, plot.left() - m_theme->px(8), line),
                      Qt::AlignRight | Qt::AlignVCenter, format::fixed(tick, decimals));
  }
  painter->setPen(c.controlBorder);
  painter->drawLine(plot.bottomLeft(), plot.bottomRight());
  painter->setPen(c.textSecondary);
  const double first = double(m_first), last = first + std::max(shownRepeats(), 2.0) - 1;
  std::vector<double> marks = {first};
  for (const double tick : axisTicks(first, last, 6)) {
    // Steps of a fifth add up to whole numbers only nearly.
    const double whole = std::round(tick);
    if (std::abs(tick - whole) < 1e-6 && whole > first + (last - first) * 0.02) marks.push_back(whole);
  }
  for (const double mark : marks) {
    painter->drawText(QRectF(xOf(scale, mark - double(m_first) + 1) - 30, plot.bottom() + 3, 60, line),
                      Qt::AlignHCenter | Qt::TextDontClip, format::integer(qint64(mark)));
  }
  const QString unit = scale.unitUs < 10    ? QStringLiteral("µs")
                       : scale.unitUs < 1e4 ? QStringLiteral("ms")
                                            : QStringLiteral("s");
  painter->drawText(QRectF(plot.left(), height() - line - m_theme->px(4), plot.width(), line),
                    Qt::AlignHCenter, QStringLiteral("Repeat · total in %1").arg(unit));
}

void RepeatPlot::paintToCome(QPainter* painter, const Scale& scale) const {
  const double shown = shownRepeats(), measured = double(m_totals.size());
  if (!m_going || measured >= shown) return;
  const Colours& c = m_theme->colours();
  QRectF place = scale.plot;
  place.setLeft(std::round(xOf(scale, measured + 0.5)));
  place.setBottom(place.bottom() - 1);
  painter->fillRect(place, c.alternateBase);
  // In high contrast both grounds are black.
  painter->setPen(c.grid);
  painter->drawLine(place.topLeft(), place.bottomLeft());
  const QString words = QStringLiteral("to come");
  if (painter->fontMetrics().horizontalAdvance(words) + m_theme->px(16) > place.width()) return;
  painter->setPen(c.textSecondary);
  painter->drawText(place.adjusted(0, m_theme->px(4), 0, 0), Qt::AlignHCenter | Qt::AlignTop, words);
}

void RepeatPlot::paintMedian(QPainter* painter, const Scale& scale, const QPolygonF& points) const {
  const double median = m_medianUs / scale.unitUs;
  const double y = std::round(scale.y(median));
  painter->setPen(QPen(m_theme->colours().text, 1, Qt::DashLine));
  painter->drawLine(QPointF(scale.plot.left(), y), QPointF(scale.plot.right(), y));
  // In the unit of the axis, with three digits at least.
  const QString words = (m_going ? QStringLiteral("median so far %1") : QStringLiteral("median %1"))
                            .arg(format::fixed(median, median < 1    ? 3
                                                       : median < 10 ? 2
                                                                     : 1));
  const QSizeF size(painter->fontMetrics().horizontalAdvance(words) + 2, painter->fontMetrics().height());
  painter->setPen(m_theme->colours().text);
  painter->drawText(freePlace(scale.plot, y, size, points), Qt::AlignCenter, words);
}

QPolygonF RepeatPlot::linePoints(const Scale& scale) const {
  const auto point = [&](std::size_t i) {
    return QPointF(xOf(scale, double(i + 1)), scale.y(m_totals[i] / scale.unitUs));
  };
  QPolygonF points;
  const std::size_t count = m_totals.size();
  const auto columns = std::size_t(std::max(1.0, scale.plot.width()));
  if (count <= 4 * columns) {
    for (std::size_t i = 0; i < count; ++i) points << point(i);
    return points;
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t begin = column * count / columns, end = (column + 1) * count / columns;
    const auto [least, most] =
        std::minmax_element(m_totals.begin() + std::ptrdiff_t(begin), m_totals.begin() + std::ptrdiff_t(end));
    std::size_t places[] = {begin, std::size_t(least - m_totals.begin()),
                            std::size_t(most - m_totals.begin()), end - 1};
    std::sort(std::begin(places), std::end(places));
    for (const std::size_t place : places) points << point(place);
  }
  return points;
}

void RepeatPlot::paintEvent(QPaintEvent*) {
  if (m_totals.empty()) return;
  QPainter painter(this);
  painter.setFont(m_theme->font(11));
  const Colours& c = m_theme->colours();
  const Scale scale = makeScale(painter.fontMetrics().height());
  paintAxes(&painter, scale);
  paintToCome(&painter, scale);
  const QPolygonF points = linePoints(scale);
  paintMedian(&painter, scale, points);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(c.accent, 1.5));
  painter.drawPolyline(points);
  if (points.size() > 200) return;
  painter.setBrush(c.accent);
  painter.setPen(Qt::NoPen);
  for (const QPointF& place : points) painter.drawEllipse(place, m_theme->px(3), m_theme->px(3));
}

}  // namespace opscope::ui
