// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/device_repeat_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kMostDots = 200;

}  // namespace

DeviceRepeatChart::DeviceRepeatChart(const ChartContext& context, QWidget* parent)
    : PlotChart(context, parent) {}

QString DeviceRepeatChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  return QStringLiteral("total of each device, with waiting · %1, %2")
      .arg(format::counted(std::int64_t(m_totals.size()), "device", "devices"),
           format::counted(std::int64_t(m_repeats), "repeat", "repeats"));
}

QString DeviceRepeatChart::emptyText() const {
  if (m_totals.empty() || m_repeats == 0)
    return QStringLiteral("This report does not tell the total of each repeat.");
  if (m_repeats == 1) return QStringLiteral("1 repeat: run with more to see whether a device drifts.");
  return {};
}

void DeviceRepeatChart::rebuild() {
  m_totals = deviceTotals(run()->run());
  m_repeats = 0;
  double highest = 0;
  for (const DeviceTotals& total : m_totals) {
    m_repeats = std::max(m_repeats, total.us.size());
    for (const double us : total.us) highest = std::max(highest, us);
  }
  clearPlot(plot()->yAxis, plot()->xAxis);
  if (!emptyText().isEmpty()) {
    replot();
    return;
  }
  m_unit = timeUnitFor(highest);
  plot()->yAxis->setRange(0, std::max(m_unit.from(highest) * 1.08, 1e-9));
  plot()->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(5)));
  plot()->yAxis->setLabel(QStringLiteral("Total of the device (%1)").arg(m_unit.name));
  plot()->xAxis->setRange(0.5, double(m_repeats) + 0.5);
  plot()->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(6, true)));
  plot()->xAxis->setLabel(QStringLiteral("Repeat"));
  int room = 0;
  for (const DeviceTotals& total : m_totals) {
    const QPen pen = penOf(std::size_t(&total - m_totals.data()));
    const QColor ink = pen.color();
    auto* line = new QCPGraph(plot()->xAxis, plot()->yAxis);
    for (std::size_t i = 0; i < total.us.size(); ++i) line->addData(double(i + 1), m_unit.from(total.us[i]));
    line->setPen(pen);
    line->setAntialiased(true);
    if (m_repeats <= kMostDots)
      line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, ink, ink, theme()->px(5)));
    // The name stands beside the end of its line.
    auto* name = addText(1, total.us.empty() ? 0 : m_unit.from(total.us.back()), total.name,
                         Qt::AlignLeft | Qt::AlignVCenter);
    name->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    name->position->setCoords(1, total.us.empty() ? 0 : m_unit.from(total.us.back()));
    room = std::max(room, QFontMetrics(name->font()).horizontalAdvance(total.name));
  }
  plot()->axisRect()->setMinimumMargins(QMargins(0, 0, room + theme()->px(12), 0));
  replot();
}

QPen DeviceRepeatChart::penOf(std::size_t device) const {
  const DeviceTotals& total = m_totals[device];
  if (selection()->colourBy() == ColourBy::Device) {
    const Fill& fill = theme()->deviceFill(total.device == report::kNone ? 0 : int(total.device));
    return QPen(lineColour(*theme(), fill), 1.5);
  }
  // A colour would mean a kind or an op here.
  constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
  return dashedPen(theme()->colours().text, 1.5, kStyles[device % std::size(kStyles)]);
}

QString DeviceRepeatChart::hoverText(const QPointF& point) const {
  if (!emptyText().isEmpty() || !plot()->axisRect()->rect().contains(point.toPoint() - plot()->pos()))
    return {};
  const double at = std::round(plot()->xAxis->pixelToCoord(point.x() - plot()->x()));
  const auto repeat = std::size_t(std::clamp(at, 1.0, double(m_repeats))) - 1;
  QStringList lines{QStringLiteral("Repeat %1").arg(format::integer(std::int64_t(repeat) + 1))};
  for (const DeviceTotals& total : m_totals) {
    if (repeat < total.us.size())
      lines << QStringLiteral("%1: %2").arg(total.name, format::duration(total.us[repeat]).text());
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace opscope::ui
