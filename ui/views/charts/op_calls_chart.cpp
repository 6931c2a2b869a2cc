// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/op_calls_chart.h"

#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kMostDots = 1500;
constexpr std::size_t kMostValues = 24;  // that are told beside their dots

}  // namespace

OpCallsChart::OpCallsChart(const ChartContext& context, QWidget* parent) : PlotChart(context, parent) {}

QString OpCallsChart::title() const {
  return QStringLiteral("Calls of %1").arg(m_details ? m_details->name : QStringLiteral("one op"));
}

QString OpCallsChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  return QStringLiteral("%1 of a repeat, mean over the repeats; click one")
      .arg(format::counted(std::int64_t(m_values.size()), "call", "calls"));
}

QString OpCallsChart::emptyText() const {
  if (!m_details) return QStringLiteral("This report has no ops.");
  if (m_values.empty()) return QStringLiteral("This report does not tell the times of single calls.");
  return {};
}

void OpCallsChart::rebuild() {
  const report::OpRow* row = shownRow();
  m_details = row == nullptr ? nullptr : detailsOf(*run(), opOf(*row));
  m_values = m_details ? m_details->callsUs : std::vector<double>();
  for (double& us : m_values) us = std::isfinite(us) ? std::max(us, 0.0) : 0.0;
  clearPlot(plot()->yAxis, plot()->xAxis);
  m_tracer = nullptr;
  if (!emptyText().isEmpty()) {
    replot();
    return;
  }
  const double highest = *std::max_element(m_values.begin(), m_values.end());
  m_unit = timeUnitFor(highest);
  plot()->yAxis->setRange(0, std::max(m_unit.from(highest) * 1.12, 1e-9));
  plot()->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(5)));
  plot()->yAxis->setLabel(QStringLiteral("Duration (%1)").arg(m_unit.name));
  plot()->xAxis->setRange(0.5, double(m_values.size()) + 0.5);
  plot()->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(6, true)));
  plot()->xAxis->setLabel(QStringLiteral("Call of the op, in order"));
  const Fill& fill = fillOf(*row);
  auto* dots = new QCPGraph(plot()->xAxis, plot()->yAxis);
  for (std::size_t i = 0; i < m_values.size(); ++i) dots->addData(double(i + 1), m_unit.from(m_values[i]));
  if (m_values.size() <= kMostDots) {
    dots->setLineStyle(QCPGraph::lsImpulse);
    dots->setPen(QPen(lineColour(*theme(), fill), 1));
    dots->setAntialiased(false);  // a thin stem between two pixels would be pale
    dots->setAntialiasedScatters(true);
    dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, edgePen(), fill.fill, theme()->px(7)));
  } else {
    dots->setPen(QPen(lineColour(*theme(), fill), 1));
  }
  addValues();
  const auto chosen = selection()->call();
  if (chosen) {
    const auto place = std::find(m_details->calls.begin(), m_details->calls.end(), *chosen);
    if (place != m_details->calls.end()) {
      const auto index = std::size_t(place - m_details->calls.begin());
      auto* ring = new QCPItemTracer(plot());
      ring->setStyle(QCPItemTracer::tsCircle);
      ring->setSize(theme()->px(12));
      ring->setPen(QPen(theme()->colours().text, 2));
      ring->setLayer(QStringLiteral("lines"));
      ring->position->setCoords(double(index + 1), m_unit.from(m_values[index]));
    }
  }
  m_tracer = new QCPItemTracer(plot());
  m_tracer->setStyle(QCPItemTracer::tsCircle);
  m_tracer->setSize(theme()->px(10));
  m_tracer->setPen(QPen(theme()->colours().textSecondary, 1));
  m_tracer->setLayer(QStringLiteral("texts"));
  m_tracer->setVisible(false);
  fit(plot()->size());
}

void OpCallsChart::addValues() {
  m_texts.clear();
  if (m_values.size() > kMostValues) return;
  for (std::size_t i = 0; i < m_values.size(); ++i) {
    auto* text = addText(double(i + 1), m_unit.from(m_values[i]), inColumn(m_values[i], m_unit),
                         Qt::AlignHCenter | Qt::AlignBottom);
    text->setPadding(QMargins(0, 0, 0, theme()->px(6)));
    m_texts.push_back(text);
  }
}

void OpCallsChart::fit(const QSize& size) {
  const QFontMetrics metrics(theme()->font(11));
  int widest = 0;
  for (const QCPItemText* text : m_texts) widest = std::max(widest, metrics.horizontalAdvance(text->text()));
  const double room = (size.width() - theme()->px(60)) / double(std::max<std::size_t>(m_texts.size(), 1));
  for (QCPItemText* text : m_texts) text->setVisible(widest + theme()->px(8) <= room);
  replot();
}

QPointF OpCallsChart::pointOf(std::size_t index) const {
  return QPointF(plot()->xAxis->coordToPixel(double(index + 1)),
                 plot()->yAxis->coordToPixel(m_unit.from(m_values[index]))) +
         plot()->pos();
}

std::optional<std::size_t> OpCallsChart::callAt(const QPointF& point) const {
  if (!emptyText().isEmpty() || !plot()->axisRect()->rect().contains(point.toPoint() - plot()->pos()))
    return std::nullopt;
  const double call = std::round(plot()->xAxis->pixelToCoord(point.x() - plot()->x()));
  return std::size_t(std::clamp(call, 1.0, double(m_values.size()))) - 1;
}

void OpCallsChart::showHover(const std::optional<QPointF>& point) {
  if (m_tracer == nullptr) return;
  const auto call = point ? callAt(*point) : std::nullopt;
  m_tracer->setVisible(call.has_value());
  if (call) m_tracer->position->setCoords(double(*call + 1), m_unit.from(m_values[*call]));
  replot();
}

QString OpCallsChart::hoverText(const QPointF& point) const {
  const auto call = callAt(point);
  if (!call) return {};
  return QStringLiteral("Call %1 of %2: %3\nCall %4 of the run")
      .arg(format::integer(std::int64_t(*call) + 1), format::integer(std::int64_t(m_values.size())),
           format::duration(m_values[*call]).text(),
           format::integer(std::int64_t(m_details->calls[*call]) + 1));
}

void OpCallsChart::mousePressEvent(QMouseEvent* event) {
  const auto call =
      event->button() == Qt::LeftButton && run() != nullptr ? callAt(event->position()) : std::nullopt;
  if (call) {
    selection()->setCall(run()->run(), m_details->calls[*call]);
  } else {
    Chart::mousePressEvent(event);
  }
}

}  // namespace opscope::ui
