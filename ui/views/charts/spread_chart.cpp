// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/spread_chart.h"

#include <QHBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/views/widgets/buttons.h"

namespace opscope::ui {
namespace {

constexpr double kHeadroom = 1.05;
constexpr std::size_t kMostRugMarks = 500;

}  // namespace

SpreadChart::SpreadChart(const ChartContext& context, QWidget* parent) : PlotChart(context, parent) {
  buildControl();
}

void SpreadChart::buildControl() {
  m_control = new QWidget(this);
  auto* row = new QHBoxLayout(m_control);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  auto* histogram = new ActionButton(theme(), nullptr, QStringLiteral("Histogram"));
  histogram->setToolTip(QStringLiteral("How many values fall into each range"));
  auto* ecdf = new ActionButton(theme(), nullptr, QStringLiteral("ECDF"));
  ecdf->setToolTip(QStringLiteral("Which part of the values is at most so large"));
  joinSegments({histogram, ecdf});
  histogram->setChecked(true);
  row->addWidget(histogram);
  row->addSpacing(-1);
  row->addWidget(ecdf);
  connect(histogram, &QAbstractButton::clicked, this, [this]() { setForm(Form::Histogram); });
  connect(ecdf, &QAbstractButton::clicked, this, [this]() { setForm(Form::Ecdf); });
  m_histogramButton = histogram;
  m_ecdfButton = ecdf;
}

void SpreadChart::setForm(Form form) {
  m_form = form;
  m_histogramButton->setChecked(form == Form::Histogram);
  m_ecdfButton->setChecked(form == Form::Ecdf);
  if (run() != nullptr) rebuild();
}

void SpreadChart::takeView(const Chart& other) {
  if (const auto* chart = qobject_cast<const SpreadChart*>(&other)) setForm(chart->m_form);
}

QString SpreadChart::title() const {
  return QStringLiteral("Spread of %1").arg(opName());
}

QString SpreadChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  const auto count = std::int64_t(m_spread.samplesUs.size());
  QString text = m_spread.overRepeats ? format::counted(count, "repeat", "repeats")
                                      : format::counted(count, "call", "calls");
  if (m_spread.overRepeats && m_details->count > 1) {
    text += QStringLiteral(", each the sum of %1").arg(format::counted(m_details->count, "call", "calls"));
  }
  if (rowOf(selection()->op()) == nullptr) text += QStringLiteral(" · the largest op");
  return text;
}

QString SpreadChart::emptyText() const {
  if (!m_details) return QStringLiteral("This report has no ops.");
  if (m_spread.samplesUs.empty())
    return QStringLiteral("This report does not tell the times of single calls.");
  if (m_spread.samplesUs.back() <= 0) return QStringLiteral("All values of this op are zero.");
  return {};
}

void SpreadChart::rebuild() {
  const report::OpRow* row = shownRow();
  m_details = row == nullptr ? nullptr : detailsOf(*run(), opOf(*row));
  m_spread = m_details ? spreadOf(*m_details) : Spread();
  m_histogram = histogramOf(m_spread.samplesUs);
  clearPlot(plot()->yAxis, plot()->xAxis);
  m_labels.clear();
  if (!emptyText().isEmpty()) {
    replot();
    return;
  }
  const Fill& fill = fillOf(*row);
  m_unit = timeUnitFor(m_spread.samplesUs.back());
  const double low = m_histogram.lowUs;
  const double high = low + m_histogram.widthUs * double(m_histogram.counts.size());
  // A single bin stays a narrow bar.
  const double margin = (high - low) * (m_histogram.counts.size() == 1 ? 4 : 0.03);
  plot()->xAxis->setRange(place(std::max(0.0, low - margin)), place(high + margin));
  plot()->xAxis->setLabel(QStringLiteral("%1 (%2)").arg(m_spread.overRepeats
                                                            ? QStringLiteral("Duration in one repeat")
                                                            : QStringLiteral("Duration of one call"),
                                                        m_unit.name));
  const bool few = m_spread.samplesUs.size() < kFewestForBins;
  plot()->yAxis->setVisible(m_form == Form::Ecdf || !few);
  if (m_form == Form::Ecdf) {
    addEcdf(lineColour(*theme(), fill));
  } else if (few) {
    addDots(fill.fill);
  } else {
    addBins(fill.fill);
  }
  addMarks();
  fit(plot()->size());
}

void SpreadChart::addBins(const QColor& fill) {
  auto* bars = new SnappedBars(plot()->xAxis, plot()->yAxis);
  QVector<double> centres, counts;
  for (std::size_t i = 0; i < m_histogram.counts.size(); ++i) {
    centres << place(m_histogram.lowUs + m_histogram.widthUs * (double(i) + 0.5));
    counts << double(m_histogram.counts[i]);
  }
  bars->setData(centres, counts, true);
  bars->setWidth(place(m_histogram.widthUs));
  bars->setBrush(fill);
  bars->setPen(edgePen());
  bars->setAntialiased(false);
  const double highest = *std::max_element(counts.begin(), counts.end());
  plot()->yAxis->setRange(0, highest * kHeadroom);
  plot()->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(6, true)));
  plot()->yAxis->setLabel(m_spread.overRepeats ? QStringLiteral("Repeats") : QStringLiteral("Calls"));
}

void SpreadChart::addDots(const QColor& fill) {
  auto* dots = new QCPGraph(plot()->xAxis, plot()->yAxis);
  QVector<double> values;
  for (const double us : m_spread.samplesUs) values << place(us);
  dots->setData(values, QVector<double>(values.size(), 0.45), true);
  dots->setLineStyle(QCPGraph::lsNone);
  dots->setAntialiasedScatters(true);
  dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, edgePen(), fill, theme()->px(9)));
  plot()->yAxis->setRange(0, 1);
  plot()->yAxis->grid()->setVisible(false);
}

void SpreadChart::addEcdf(const QColor& line) {
  QVector<double> values, percents;
  values << plot()->xAxis->range().lower;
  percents << 0;
  for (const EcdfPoint& point : ecdfOf(m_spread.samplesUs)) {
    values << place(point.us);
    percents << point.percent;
  }
  values << plot()->xAxis->range().upper;
  percents << 100;
  auto* steps = new QCPGraph(plot()->xAxis, plot()->yAxis);
  steps->setData(values, percents, true);
  steps->setLineStyle(QCPGraph::lsStepLeft);
  steps->setPen(QPen(line, 2));
  steps->setAntialiased(false);
  plot()->yAxis->setRange(0, 104);
  QSharedPointer<QCPAxisTickerText> quarters(new QCPAxisTickerText);
  for (const int percent : {0, 25, 50, 75, 100})
    quarters->addTick(percent, QStringLiteral("%1 %").arg(percent));
  plot()->yAxis->setTicker(quarters);
  plot()->yAxis->setLabel(m_spread.overRepeats ? QStringLiteral("Share of repeats")
                                               : QStringLiteral("Share of calls"));
  addRug();
}

void SpreadChart::addRug() {
  if (m_spread.samplesUs.size() > kMostRugMarks) return;
  for (const double us : m_spread.samplesUs) {
    auto* mark = new QCPItemLine(plot());
    mark->setPen(QPen(theme()->colours().text, 1));
    mark->setAntialiased(false);
    mark->start->setCoords(place(us), 0);
    mark->end->setCoords(place(us), 6);
  }
}

void SpreadChart::addMarks() {
  if (m_spread.samplesUs.size() < 2) return;
  // One digit more than ticks have: the axis may be far narrower than the value.
  const int decimals =
      std::max(decimalsOf(tickStep(plot()->xAxis->range().size(), 6)) + 1, m_unit.us == 1 ? 1 : 2);
  const auto text = [&](const char* name, double us) {
    return QStringLiteral("%1 %2\u00A0%3")
        .arg(QLatin1String(name), format::fixed(place(us), decimals), m_unit.name);
  };
  addHaloedMark(place(m_spread.statistics.median), Qt::SolidLine, 2);
  addLabel(place(m_spread.statistics.median), text("median", m_spread.statistics.median));
  if (m_spread.samplesUs.size() < kFewestForBins) return;  // the 95th percentile of few values says nothing
  addHaloedMark(place(m_spread.statistics.p95), Qt::DashLine, 1);
  addLabel(place(m_spread.statistics.p95), text("p95", m_spread.statistics.p95));
}

void SpreadChart::addHaloedMark(double at, Qt::PenStyle style, double width) {
  addMark(Qt::Vertical, at, Qt::SolidLine)->setPen(QPen(theme()->colours().base, width + 2));
  addMark(Qt::Vertical, at, style, width);
}

void SpreadChart::addLabel(double at, const QString& text) {
  auto* item = addText(0, 0, text, Qt::AlignHCenter | Qt::AlignBottom);
  item->position->setTypeX(QCPItemPosition::ptAbsolute);
  item->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
  m_labels.push_back({item, at});
}

void SpreadChart::placeLabels() {
  const QFontMetricsF metrics(theme()->font(11));
  const double gap = theme()->px(12);
  double left = 0;
  std::vector<double> middles;
  for (const Label& label : m_labels) {
    const double half = metrics.horizontalAdvance(label.item->text()) / 2 + gap / 2;
    const double wanted = plot()->xAxis->coordToPixel(label.at);
    middles.push_back(std::max(wanted, left + half));
    left = middles.back() + half;
  }
  double right = plot()->width();
  for (std::size_t i = m_labels.size(); i-- > 0;) {
    const double half = metrics.horizontalAdvance(m_labels[i].item->text()) / 2 + gap / 2;
    middles[i] = std::min(middles[i], right - half);
    right = middles[i] - half;
    m_labels[i].item->position->setCoords(middles[i], 0);
  }
}

std::vector<QRectF> SpreadChart::labelRects() const {
  std::vector<QRectF> rects;
  for (const Label& label : m_labels)
    rects.emplace_back(label.item->topLeft->pixelPosition(), label.item->bottomRight->pixelPosition());
  return rects;
}

QRectF SpreadChart::plotRect() const {
  return plot()->axisRect()->rect();
}

void SpreadChart::fit(const QSize& size) {
  const int wanted = std::clamp(size.width() / theme()->px(80), 2, 6);
  plot()->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(wanted)));
  const int line = QFontMetrics(theme()->font(11)).height();
  plot()->axisRect()->setMinimumMargins(QMargins(0, m_labels.empty() ? 0 : line + theme()->px(4), 0, 0));
  if (!m_labels.empty()) {
    plot()->setViewport(QRect(QPoint(), size));
    plot()->replot();  // so that the axes know their place
    placeLabels();
  }
  replot();
}

QString SpreadChart::hoverText(const QPointF& point) const {
  if (!emptyText().isEmpty()) return {};
  const QPointF inPlot = point - plot()->pos();
  if (!plot()->axisRect()->rect().contains(inPlot.toPoint())) return {};
  const double us = plot()->xAxis->pixelToCoord(inPlot.x()) * m_unit.us;
  const auto& samples = m_spread.samplesUs;
  const auto total = std::int64_t(samples.size());
  const QString what = m_spread.overRepeats ? format::counted(total, "repeat", "repeats")
                                            : format::counted(total, "call", "calls");
  if (m_form == Form::Ecdf || samples.size() < kFewestForBins) {
    const auto below = std::upper_bound(samples.begin(), samples.end(), us) - samples.begin();
    return QStringLiteral("%1 of %2 take at most %3")
        .arg(format::integer(below), what, format::duration(std::max(us, 0.0)).text());
  }
  const double place = (us - m_histogram.lowUs) / m_histogram.widthUs;
  if (place < 0 || place >= double(m_histogram.counts.size())) return {};
  const auto bin = std::size_t(place);
  const double low = m_histogram.lowUs + m_histogram.widthUs * double(bin);
  return QStringLiteral("%1 of %2: %3")
      .arg(format::integer(std::int64_t(m_histogram.counts[bin])), what,
           format::durationRange(low, low + m_histogram.widthUs));
}

HistogramChart::HistogramChart(const ChartContext& context, QWidget* parent) : SpreadChart(context, parent) {
  hideControl();
}

EcdfChart::EcdfChart(const ChartContext& context, QWidget* parent) : SpreadChart(context, parent) {
  hideControl();
  setForm(Form::Ecdf);
}

QString EcdfChart::title() const {
  return QStringLiteral("ECDF of %1").arg(opName());
}

}  // namespace opscope::ui
