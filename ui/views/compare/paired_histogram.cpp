// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/paired_histogram.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/models/format.h"
#include "ui/views/widgets/plots.h"

namespace opscope::ui {
namespace {

/// A bin with the gap beside it.
constexpr int kLeastBin = 4;

double meanOf(const std::vector<double>& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / double(samples.size());
}

std::vector<std::size_t> countIn(const std::vector<double>& samples, const Histogram& bins) {
  std::vector<std::size_t> counts(bins.counts.size());
  for (const double us : samples) {
    const double place = bins.widthUs > 0 ? (us - bins.lowUs) / bins.widthUs : 0;
    ++counts[std::min(counts.size() - 1, std::size_t(std::max(0.0, place)))];
  }
  return counts;
}

}  // namespace

PairedHistogram::PairedHistogram(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize PairedHistogram::sizeHint() const {
  return {m_theme->px(270), m_theme->px(180)};
}

void PairedHistogram::setSamples(std::vector<double> before, std::vector<double> after,
                                 std::vector<double> runsBefore, std::vector<double> runsAfter) {
  m_runsBefore = std::move(runsBefore);
  m_runsAfter = std::move(runsAfter);
  m_before = std::move(before);
  m_after = std::move(after);
  std::vector<double> all = m_before;
  all.insert(all.end(), m_after.begin(), m_after.end());
  std::ranges::sort(m_before);
  std::ranges::sort(m_after);
  if (!all.empty()) {
    const auto [low, high] = std::ranges::minmax_element(all);
    m_lowUs = *low;
    m_highUs = *high;
    const double margin = m_highUs > m_lowUs ? 0 : std::max(0.05, m_lowUs * 0.01);
    m_lowUs -= margin;
    m_highUs += margin;
  }
  setAccessibleName(
      QStringLiteral("Histogram of %1 old and %2 new repeats").arg(m_before.size()).arg(m_after.size()));
  update();
}

double PairedHistogram::xOf(const QRectF& plot, double us) const {
  return plot.left() + (us - m_lowUs) / (m_highUs - m_lowUs) * plot.width();
}

Histogram PairedHistogram::binsFor(double width) const {
  // Of both together one run would be a single bar: the run that spreads less says how wide bins are.
  double step = m_highUs - m_lowUs;
  std::size_t count = 1;
  for (const auto* samples : {&m_before, &m_after}) {
    const Histogram own = histogramOf(*samples);
    if (own.counts.size() > 1 && own.widthUs > 0) step = std::min(step, own.widthUs);
  }
  const double most = std::max(8.0, width / m_theme->px(kLeastBin));
  if (step > 0) count = std::size_t(std::clamp(std::ceil((m_highUs - m_lowUs) / step), 8.0, most));
  return {m_lowUs, (m_highUs - m_lowUs) / double(count), std::vector<std::size_t>(count)};
}

void PairedHistogram::paintBins(QPainter* painter, const QRectF& plot) const {
  const Colours& c = m_theme->colours();
  const Histogram bins = binsFor(plot.width());
  const auto up = countIn(m_before, bins), down = countIn(m_after, bins);
  const double most = double(std::max(*std::ranges::max_element(up), *std::ranges::max_element(down)));
  const double middle = std::round(plot.center().y());
  for (std::size_t i = 0; i < up.size(); ++i) {
    const double left = std::round(xOf(plot, bins.lowUs + bins.widthUs * double(i)));
    const double right = std::round(xOf(plot, bins.lowUs + bins.widthUs * double(i + 1)));
    const double width = std::max(1.0, right - left - 1);
    const double high = std::round(plot.height() / 2 * double(up[i]) / most);
    const double low = std::round(plot.height() / 2 * double(down[i]) / most);
    painter->fillRect(QRectF(left, middle - high, width, high), c.sameFill);
    painter->fillRect(QRectF(left, middle + 1, width, low), c.accent);
  }
}

void PairedHistogram::paintDots(QPainter* painter, const QRectF& plot) const {
  const Colours& c = m_theme->colours();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(c.fillEdge, 1));
  const double radius = m_theme->px(4);
  const auto strip = [&](const std::vector<double>& samples, double y, const QColor& fill) {
    painter->setBrush(fill);
    for (const double us : samples) painter->drawEllipse(QPointF(xOf(plot, us), y), radius, radius);
  };
  strip(m_before, plot.top() + plot.height() * 0.3, c.sameFill);
  strip(m_after, plot.top() + plot.height() * 0.7, c.accent);
  painter->restore();
}

void PairedHistogram::paintRuns(QPainter* painter, const QRectF& plot) const {
  const Colours& c = m_theme->colours();
  const double middle = std::round(plot.center().y()), size = m_theme->px(5);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  // On the line between both: each side's points away from its own bins.
  const auto marks = [&](const std::vector<double>& medians, double away) {
    painter->setBrush(c.text);
    painter->setPen(QPen(c.base, 1));
    for (const double us : medians) {
      const double x = xOf(plot, us);
      painter->drawPolygon(
          QPolygonF({{x, middle}, {x - size * 0.8, middle + away}, {x + size * 0.8, middle + away}}));
    }
  };
  marks(m_runsBefore, -size * 1.6);
  marks(m_runsAfter, size * 1.6);
  painter->restore();
}

void PairedHistogram::paintEvent(QPaintEvent*) {
  if (m_before.empty() && m_after.empty()) return;
  QPainter painter(this);
  painter.setFont(m_theme->font(11));
  const Colours& c = m_theme->colours();
  const int line = painter.fontMetrics().height();
  const int inset = m_theme->px(10);
  const QRectF plot(inset, line + 2, width() - 2 * inset, height() - 4 * line - m_theme->px(8));
  if (std::max(m_before.size(), m_after.size()) < kFewestForBins) {
    paintDots(&painter, plot);
  } else {
    paintBins(&painter, plot);
  }
  const double middle = std::round(plot.center().y()) + 0.5;
  painter.setPen(c.controlBorder);
  painter.drawLine(QPointF(0, middle), QPointF(width(), middle));
  paintRuns(&painter, plot);
  painter.setPen(c.textSecondary);
  const auto words = [](const char* which, std::size_t count, std::size_t runs) {
    if (count == 0) return QStringLiteral("not in the %1 run").arg(QLatin1String(which));
    const QString repeats = format::counted(qint64(count), "repeat", "repeats");
    const QString text = QStringLiteral("%1, %2").arg(QLatin1String(which), repeats);
    return runs > 1 ? text + QStringLiteral(" of %1 runs").arg(runs) : text;
  };
  // Each at the side where its repeats are.
  const auto sideOf = [&](const std::vector<double>& own, const std::vector<double>& other,
                          Qt::Alignment none) {
    if (own.empty() || other.empty() || meanOf(own) == meanOf(other)) return none;
    return Qt::Alignment(meanOf(own) > meanOf(other) ? Qt::AlignRight : Qt::AlignLeft);
  };
  painter.drawText(QRectF(0, 0, width(), line), int(sideOf(m_before, m_after, Qt::AlignLeft)),
                   words("old", m_before.size(), m_runsBefore.size()));
  painter.setPen(c.accent);
  painter.drawText(QRectF(0, plot.bottom() + 2, width(), line),
                   int(sideOf(m_after, m_before, Qt::AlignRight)),
                   words("new", m_after.size(), m_runsAfter.size()));
  painter.setPen(c.textSecondary);
  const TimeUnit unit = timeUnitFor(m_highUs);
  const auto ticks = axisTicks(unit.from(m_lowUs), unit.from(m_highUs), 4);
  const int decimals = ticks.size() > 1 ? decimalsOf(ticks[1] - ticks[0]) : 1;
  for (const double tick : ticks) {
    const double x = std::clamp(xOf(plot, tick * unit.us), 14.0, width() - 14.0);
    painter.drawText(QRectF(x - 50, plot.bottom() + line + 4, 100, line), Qt::AlignHCenter | Qt::TextDontClip,
                     format::fixed(tick, decimals));
  }
  painter.drawText(QRectF(0, height() - line, width(), line), Qt::AlignHCenter,
                   QStringLiteral("Duration (%1)").arg(unit.name));
}

}  // namespace opscope::ui
