// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/sweep_chart.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/views/widgets/buttons.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kMostOps = 7;
constexpr double kNameWidth = 170;
constexpr double kReachPixels = 40;

/// Decades, written as all numbers are: "1 000", "0.01".
class DecadeTicker : public QCPAxisTickerLog {
 public:
  DecadeTicker() { setSubTickCount(0); }

 protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return format::fixed(tick, tick < 1 ? std::max(0, int(std::ceil(-std::log10(tick) - 1e-9))) : 0);
  }
};

}  // namespace

SweepChart::SweepChart(const ChartContext& context, QWidget* parent) : PlotChart(context, parent) {
  buildControl();
}

void SweepChart::buildControl() {
  m_control = new QWidget(this);
  auto* row = new QHBoxLayout(m_control);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  auto* linear = new ActionButton(theme(), nullptr, QStringLiteral("Linear"));
  linear->setToolTip(QStringLiteral("Equal steps are equal differences"));
  auto* log = new ActionButton(theme(), nullptr, QStringLiteral("Log"));
  log->setToolTip(QStringLiteral("Equal steps are equal factors: a power law is a straight line"));
  joinSegments({linear, log});
  log->setChecked(true);
  row->addWidget(linear);
  row->addSpacing(-1);
  row->addWidget(log);
  connect(linear, &QAbstractButton::clicked, this, [this]() { setLogarithmic(false); });
  connect(log, &QAbstractButton::clicked, this, [this]() { setLogarithmic(true); });
  m_linearButton = linear;
  m_logButton = log;
}

void SweepChart::setLogarithmic(bool logarithmic) {
  m_logarithmic = logarithmic;
  m_linearButton->setChecked(!logarithmic);
  m_logButton->setChecked(logarithmic);
  rebuildAll();
}

void SweepChart::takeView(const Chart& other) {
  if (const auto* chart = qobject_cast<const SweepChart*>(&other)) setLogarithmic(chart->m_logarithmic);
}

void SweepChart::setSweep(std::shared_ptr<const SweepView> sweep) {
  m_lines.clear();  // they point into the one before
  m_sweep = std::move(sweep);
  rebuildAll();
}

QString SweepChart::title() const {
  return m_sweep ? QStringLiteral("Time against %1").arg(m_sweep->over)
                 : QStringLiteral("Time against a value");
}

QString SweepChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  const auto ops = std::int64_t(m_sweep->scaling.rows.size());
  const QString shown = ops > std::int64_t(kMostOps)
                            ? QStringLiteral("total and the longest %1 of %2 ops").arg(kMostOps).arg(ops)
                            : QStringLiteral("total and %1").arg(format::counted(ops, "op", "ops"));
  const QString words = QStringLiteral("medians, %1").arg(shown);
  const QFontMetrics metrics(theme()->font(11));
  const bool shortened = std::ranges::any_of(m_lines, [&](const Line& line) {
    return shownName(line, metrics) != format::fromUtf8(line.row->name);
  });
  return shortened ? words + QStringLiteral(" · long names without fused_") : words;
}

QString SweepChart::emptyText() const {
  if (!m_sweep)
    return QStringLiteral("No sweep is shown. Choose a saved one above, or give values and press Sweep.");
  const auto& us = m_sweep->scaling.total.us;
  const bool any = std::any_of(us.begin(), us.end(), [](const auto& value) { return value && *value > 0; });
  if (any) return {};
  return m_sweep->problems.empty() ? QStringLiteral("Nothing was measured in this sweep.")
                                   : m_sweep->problems.front();
}

void SweepChart::rebuild() {
  m_lines.clear();
  clearPlot(plot()->yAxis, plot()->xAxis);
  if (!emptyText().isEmpty()) {
    replot();
    return;
  }
  setRanges();
  addLines();
  fit(plot()->size());
}

void SweepChart::setRanges() {
  const report::Scaling& scaling = m_sweep->scaling;
  double highest = 0, lowest = 1e300;
  const auto take = [&](const report::ScalingRow& row) {
    for (std::size_t i = 0; i < row.us.size(); ++i) {
      if (!row.us[i] || row.tooShort[i] || *row.us[i] <= 0) continue;
      highest = std::max(highest, *row.us[i]);
      lowest = std::min(lowest, *row.us[i]);
    }
  };
  take(scaling.total);
  for (std::size_t i = 0; i < std::min(kMostOps, scaling.rows.size()); ++i) take(scaling.rows[i]);
  m_unit = timeUnitFor(highest);
  const auto type = m_logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear;
  const double first = double(scaling.values.front()), last = double(scaling.values.back());
  QCPAxis *x = plot()->xAxis, *y = plot()->yAxis;
  x->setScaleType(type);
  y->setScaleType(type);
  x->setLabel(m_sweep->over);
  y->setLabel(QStringLiteral("Duration (%1)").arg(m_unit.name));
  // The values themselves are the ticks: nothing was measured between them.
  QSharedPointer<QCPAxisTickerText> values(new QCPAxisTickerText);
  for (const std::int64_t value : scaling.values) values->addTick(double(value), format::integer(value));
  values->setSubTickCount(0);
  x->setTicker(values);
  if (m_logarithmic) {
    const double margin = std::pow(std::max(last / first, 1.2), 0.06);
    x->setRange(first / margin, last * margin);
    y->setRange(m_unit.from(lowest) / 1.6, m_unit.from(highest) * 1.6);
    y->setTicker(QSharedPointer<QCPAxisTicker>(new DecadeTicker));
  } else {
    const double margin = std::max((last - first) * 0.04, 0.2);
    x->setRange(first - margin, last + margin);
    y->setRange(0, m_unit.from(highest) * 1.08);
    y->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker(6)));
  }
}

void SweepChart::addLine(const report::ScalingRow& row, const OpId& op, const QColor& ink) {
  Line line{&row, op, ink, new QCPGraph(plot()->xAxis, plot()->yAxis), nullptr};
  for (std::size_t i = 0; i < row.us.size(); ++i) {
    const double value = double(m_sweep->scaling.values[i]);
    const bool drawn = row.us[i] && !row.tooShort[i] && *row.us[i] > 0;
    // A gap, where nothing was measured or it was too short to measure.
    line.graph->addData(value, drawn ? m_unit.from(*row.us[i]) : std::nan(""));
  }
  line.graph->setAntialiased(true);
  line.graph->setScatterStyle(dotsOf(ink));
  line.name = addText(0, 0, {}, Qt::AlignLeft | Qt::AlignVCenter);
  line.name->position->setType(QCPItemPosition::ptAbsolute);
  line.name->setColor(ink);
  m_lines.push_back(line);
}

const Fill& SweepChart::fillOfLine(const report::ScalingRow& row) const {
  switch (selection()->colourBy()) {
    case ColourBy::Device: {
      if (run() == nullptr) return theme()->deviceFill(0);
      const auto& devices = run()->run().devices;
      const auto found = std::find(devices.begin(), devices.end(), row.device);
      return theme()->deviceFill(found == devices.end() ? 0 : int(found - devices.begin()));
    }
    case ColourBy::Op:
      return theme()->nameFill(format::fromUtf8(row.name));
    case ColourBy::Kind:
      break;
  }
  return theme()->kindFill(report::kindOf(row.name));
}

QCPScatterStyle SweepChart::dotsOf(const QColor& ink) const {
  // Lines of one colour are told apart by their marks.
  constexpr QCPScatterStyle::ScatterShape kShapes[] = {
      QCPScatterStyle::ssDisc, QCPScatterStyle::ssSquare, QCPScatterStyle::ssDiamond,
      QCPScatterStyle::ssTriangle, QCPScatterStyle::ssTriangleInverted};
  const auto alike = std::ranges::count_if(m_lines, [&](const Line& line) { return line.ink == ink; });
  return {kShapes[std::size_t(alike) % std::size(kShapes)], ink, ink, double(theme()->px(6))};
}

void SweepChart::addLines() {
  addLine(m_sweep->scaling.total, {}, theme()->colours().text);
  const std::span rows =
      std::span(m_sweep->scaling.rows).first(std::min(kMostOps, m_sweep->scaling.rows.size()));
  const std::vector<OpId> ops = opsOf(run().get(), rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    addLine(rows[i], ops[i], lineColour(*theme(), fillOfLine(rows[i])));
  plot()->axisRect()->setMinimumMargins(QMargins(0, 0, theme()->px(kNameWidth + 8), 0));
  showSelection();
}

void SweepChart::showSelection() {
  for (Line& line : m_lines) {
    const bool chosen = isSameOp(line.op, selection()->op());
    const bool total = line.row == &m_sweep->scaling.total;
    line.graph->setPen(dashedPen(line.ink,
                                 chosen  ? 3
                                 : total ? 2
                                         : 1.5,
                                 total ? Qt::DashLine : Qt::SolidLine));
    line.name->setColor(chosen ? theme()->colours().onSelection : line.ink);
    line.name->setBrush(chosen ? QBrush(theme()->colours().selection) : QBrush(Qt::NoBrush));
    line.name->setFont(theme()->font(11, chosen ? QFont::DemiBold : QFont::Normal));
  }
  replot();
}

void SweepChart::fit(const QSize& size) {
  if (m_lines.empty()) return;
  plot()->setViewport(QRect(QPoint(), size));
  plot()->replot();  // so that the axes know their place
  const QRect area = plot()->axisRect()->rect();
  const QFontMetrics metrics(theme()->font(11));
  struct Name {
    Line* line;
    double y;
  };
  std::vector<Name> names;
  for (Line& line : m_lines) {
    double last = 0;
    for (const auto& point : *line.graph->data()) {
      if (std::isfinite(point.value)) last = point.value;
    }
    line.name->setText(
        metrics.elidedText(shownName(line, metrics), Qt::ElideMiddle, theme()->px(kNameWidth)));
    line.name->setVisible(last > 0);
    if (last > 0) names.push_back({&line, plot()->yAxis->coordToPixel(last)});
  }
  std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
  // Names that would lie on each other are pushed apart, within the drawing.
  const double step = metrics.height() + 1;
  for (std::size_t i = 1; i < names.size(); ++i) names[i].y = std::max(names[i].y, names[i - 1].y + step);
  double floor = area.bottom();
  for (std::size_t i = names.size(); i-- > 0;) {
    names[i].y = std::min(names[i].y, floor);
    floor = names[i].y - step;
  }
  for (const Name& name : names)
    name.line->name->position->setPixelPosition(QPointF(area.right() + 4, name.y));
  replot();
}

QString SweepChart::shownName(const Line& line, const QFontMetrics& metrics) const {
  const QString name = format::fromUtf8(line.row->name);
  return metrics.horizontalAdvance(name) <= theme()->px(kNameWidth) ? name : shortName(name);
}

QPointF SweepChart::pointOf(std::size_t line, std::size_t value) const {
  const double us = m_lines[line].row->us[value].value_or(0);
  return QPointF(plot()->xAxis->coordToPixel(double(m_sweep->scaling.values[value])),
                 plot()->yAxis->coordToPixel(m_unit.from(us))) +
         plot()->pos();
}

std::optional<std::size_t> SweepChart::valueAt(const QPointF& point) const {
  const QPointF inside = point - plot()->pos();
  if (m_lines.empty() || !plot()->axisRect()->rect().contains(inside.toPoint())) return std::nullopt;
  std::size_t best = 0;
  double distance = 1e300;
  for (std::size_t i = 0; i < m_sweep->scaling.values.size(); ++i) {
    const double away =
        std::abs(plot()->xAxis->coordToPixel(double(m_sweep->scaling.values[i])) - inside.x());
    if (away < distance) {
      distance = away;
      best = i;
    }
  }
  return best;
}

QString SweepChart::hoverText(const QPointF& point) const {
  const auto value = valueAt(point);
  if (!value) return {};
  QStringList lines{
      QStringLiteral("%1 = %2").arg(m_sweep->over, format::integer(m_sweep->scaling.values[*value]))};
  for (const Line& line : m_lines) {
    lines << QStringLiteral("%1: %2").arg(format::brokenName(format::fromUtf8(line.row->name), 1).front(),
                                          sweptTimeText(*line.row, *value));
  }
  return lines.join(QLatin1Char('\n'));
}

void SweepChart::mousePressEvent(QMouseEvent* event) {
  const auto value = event->button() == Qt::LeftButton ? valueAt(event->position()) : std::nullopt;
  if (!value) {
    Chart::mousePressEvent(event);
    return;
  }
  double distance = kReachPixels;
  OpId chosen;
  for (std::size_t line = 0; line < m_lines.size(); ++line) {
    if (!m_lines[line].row->us[*value]) continue;
    const QPointF away = pointOf(line, *value) - event->position();
    const double length = std::hypot(away.x(), away.y());
    if (length >= distance) continue;
    distance = length;
    chosen = m_lines[line].op;
  }
  if (!chosen.isNull()) selection()->setOp(chosen);
}

}  // namespace opscope::ui
