// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/repeat_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kMostDots = 200;
/// At least so much beside the plot, so that charts of repeats one above the other share their x axis.
constexpr double kLeftRoom = 58, kRightRoom = 112;

}  // namespace

RepeatChart::RepeatChart(const ChartContext& context, QWidget* parent) : PlotChart(context, parent) {}

QString RepeatChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  const auto [low, high] = std::minmax_element(m_values.begin(), m_values.end());
  return QStringLiteral("%1, %2").arg(format::counted(std::int64_t(m_values.size()), "repeat", "repeats"),
                                      format::durationRange(*low, *high));
}

QString RepeatChart::emptyText() const {
  if (m_values.empty()) return QStringLiteral("This report does not tell the time of each repeat.");
  if (m_values.size() == 1) return QStringLiteral("1 repeat: run with more to see whether times drift.");
  return {};
}

void RepeatChart::rebuild() {
  m_values.clear();
  for (const double us : wantedValues()) m_values.push_back(std::isfinite(us) ? std::max(us, 0.0) : 0.0);
  clearPlot(plot()->yAxis, plot()->xAxis);
  m_tracer = nullptr;
  if (m_values.size() < 2) {
    replot();
    return;
  }
  m_medianUs = report::computeStatistics(m_values).median;
  setRanges();
  addLine();
  auto* mark = addMark(Qt::Horizontal, m_unit.from(m_medianUs), Qt::DashLine);
  mark->setLayer(QStringLiteral("lines"));
  auto* label =
      addText(0, 0, QStringLiteral("median %1\u00A0%2").arg(inColumn(m_medianUs, m_unit), m_unit.name),
              Qt::AlignLeft | Qt::AlignVCenter);
  label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
  label->position->setCoords(1, m_unit.from(m_medianUs));
  // Beside the drawing, where it hides no point.
  const int width = QFontMetrics(label->font()).horizontalAdvance(label->text());
  plot()->axisRect()->setMinimumMargins(
      QMargins(theme()->px(kLeftRoom), 0, std::max(width + theme()->px(10), theme()->px(kRightRoom)), 0));
  m_tracer = new QCPItemTracer(plot());
  m_tracer->setStyle(QCPItemTracer::tsCircle);
  m_tracer->setSize(theme()->px(10));
  m_tracer->setPen(QPen(theme()->colours().text, 2));
  m_tracer->setLayer(QStringLiteral("texts"));
  m_tracer->setVisible(false);
  replot();
}

void RepeatChart::setRanges() {
  const auto [lowest, highest] = std::minmax_element(m_values.begin(), m_values.end());
  m_unit = timeUnitFor(*highest);
  const double low = m_unit.from(*lowest), high = m_unit.from(*highest);
  const double margin = high > low ? std::max((high - low) * 0.08, high * 1e-4) : std::max(high * 0.02, 1e-9);
  // The axis begins at a tick, so that its first label says where.
  const double step = tickStep(high - low + 2 * margin, 5);
  plot()->yAxis->setRange(std::max(0.0, std::floor((low - margin) / step) * step), high + margin);
  plot()->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(5)));
  plot()->yAxis->setLabel(QStringLiteral("Duration (%1)").arg(m_unit.name));
  plot()->xAxis->setRange(0.5, double(m_values.size()) + 0.5);
  plot()->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(6, true)));
  plot()->xAxis->setLabel(QStringLiteral("Repeat"));
}

void RepeatChart::addLine() {
  QVector<double> repeats, values;
  for (std::size_t i = 0; i < m_values.size(); ++i) {
    repeats << double(i + 1);
    values << m_unit.from(m_values[i]);
  }
  auto* line = new QCPGraph(plot()->xAxis, plot()->yAxis);
  line->setData(repeats, values, true);
  line->setPen(QPen(lineInk(), 1.5));
  line->setAntialiased(true);
  if (m_values.size() <= kMostDots) {
    line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, lineInk(), lineInk(), theme()->px(5)));
  }
}

std::optional<std::size_t> RepeatChart::repeatAt(const QPointF& point) const {
  if (m_values.size() < 2 || !plot()->axisRect()->rect().contains(point.toPoint() - plot()->pos()))
    return std::nullopt;
  const double repeat = std::round(plot()->xAxis->pixelToCoord(point.x() - plot()->x()));
  return std::size_t(std::clamp(repeat, 1.0, double(m_values.size()))) - 1;
}

void RepeatChart::showHover(const std::optional<QPointF>& point) {
  if (m_tracer == nullptr) return;
  const auto repeat = point ? repeatAt(*point) : std::nullopt;
  m_tracer->setVisible(repeat.has_value());
  if (repeat) m_tracer->position->setCoords(double(*repeat + 1), m_unit.from(m_values[*repeat]));
  replot();
}

QString RepeatChart::hoverText(const QPointF& point) const {
  const auto repeat = repeatAt(point);
  if (!repeat) return {};
  const double difference = m_medianUs > 0 ? (m_values[*repeat] / m_medianUs - 1) * 100 : 0;
  const QString sign = difference > 0.05 ? QStringLiteral("+") : QString();
  return QStringLiteral("Repeat %1: %2\n%3%4 % against the median")
      .arg(format::integer(std::int64_t(*repeat + 1)), format::duration(m_values[*repeat]).text(), sign,
           format::fixed(difference, 1));
}

std::vector<double> TotalRepeatChart::wantedValues() const {
  return run()->figures.totalsUs;
}

QString OpRepeatChart::title() const {
  const report::OpRow* row = shownRow();
  const QString name =
      row == nullptr ? QStringLiteral("Op") : format::fromUtf8(report::nameOf(run()->run(), *row));
  return QStringLiteral("Against repeat: %1").arg(name);
}

std::vector<double> OpRepeatChart::wantedValues() const {
  const report::OpRow* row = shownRow();
  return row == nullptr ? std::vector<double>() : report::samplesOf(run()->run(), run()->byOp.callsOf(*row));
}

QColor OpRepeatChart::lineInk() const {
  const report::OpRow* row = shownRow();
  return row == nullptr ? theme()->colours().text : lineColour(*theme(), fillOf(*row));
}

}  // namespace opscope::ui
