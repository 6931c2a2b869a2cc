// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/plot_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr int kFocusMargin = 3;  // room for the focus ring, which the plot must not cover

}  // namespace

double NumberTicker::getTickStep(const QCPRange& range) {
  double step = m_step > 0 ? m_step : tickStep(range.size(), m_wanted);
  if (m_whole) step = std::max(1.0, std::ceil(step));
  m_decimals = decimalsOf(step);
  return step;
}

QString NumberTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  return format::fixed(tick, m_decimals);
}

PlotChart::PlotChart(const ChartContext& context, QWidget* parent) : Chart(context, parent) {
  m_plot = new QCustomPlot(this);
  // The chart answers mouse and keyboard itself, the same way for every kind of drawing.
  m_plot->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setNoAntialiasingOnDrag(false);
  // Kept pictures of tick labels have the scale of the screen, which a picture at another scale blurs.
  m_plot->setPlottingHint(QCP::phCacheLabels, false);
  // A layer below the axes for what lies behind tick labels, one above the bars for lines with a halo.
  m_plot->addLayer(QStringLiteral("lines"), m_plot->layer(QStringLiteral("main")));
  m_plot->addLayer(QStringLiteral("texts"), m_plot->layer(QStringLiteral("lines")));
}

void PlotChart::clearPlot(QCPAxis* value, QCPAxis* base) {
  m_plot->clearPlottables();
  m_plot->clearItems();
  const Colours& c = theme()->colours();
  m_plot->setBackground(QBrush(c.base));
  m_plot->axisRect()->setBackground(QBrush(Qt::NoBrush));
  for (QCPAxis* axis : m_plot->axisRect()->axes()) {
    styleAxis(axis);
    axis->grid()->setVisible(axis == value);
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->grid()->setPen(QPen(c.grid, 1));
    axis->grid()->setAntialiased(false);
    axis->setBasePen(axis == base ? QPen(c.controlBorder, 1) : QPen(Qt::NoPen));
  }
}

void PlotChart::styleAxis(QCPAxis* axis) const {
  const Colours& c = theme()->colours();
  axis->setTickPen(Qt::NoPen);
  axis->setSubTickPen(Qt::NoPen);
  axis->setSubTicks(false);
  axis->setTickLength(0, 0);
  axis->setTickLabelFont(theme()->font(11));
  axis->setTickLabelColor(c.textSecondary);
  axis->setLabelFont(theme()->font(11));
  axis->setLabelColor(c.textSecondary);
  axis->setTickLabelPadding(theme()->px(6));
  axis->setLabelPadding(theme()->px(4));
}

QCPItemStraightLine* PlotChart::addMark(Qt::Orientation orientation, double value, Qt::PenStyle style,
                                        double width) {
  auto* line = new QCPItemStraightLine(m_plot);
  const bool upright = orientation == Qt::Vertical;
  line->point1->setCoords(upright ? value : 0, upright ? 0 : value);
  line->point2->setCoords(upright ? value : 1, upright ? 1 : value);
  line->setPen(dashedPen(theme()->colours().text, width, style));
  line->setAntialiased(false);
  line->setLayer(QStringLiteral("lines"));
  return line;
}

QCPItemText* PlotChart::addText(double x, double y, const QString& text, Qt::Alignment alignment) {
  auto* item = new QCPItemText(m_plot);
  item->position->setCoords(x, y);
  item->setPositionAlignment(alignment);
  item->setText(text);
  item->setFont(theme()->font(11));
  item->setColor(theme()->colours().text);
  item->setPadding(QMargins(theme()->px(4), 0, theme()->px(4), 0));
  item->setClipToAxisRect(false);
  item->setLayer(QStringLiteral("texts"));
  return item;
}

void PlotChart::paintPicture(QCPPainter* painter, const QSize& size) {
  resize(size);
  m_plot->setGeometry(QRect(QPoint(), size));
  fit(size);
  m_plot->toPainter(painter, size.width(), size.height());
}

void PlotChart::resizeEvent(QResizeEvent*) {
  const QRect inner = rect().adjusted(kFocusMargin, kFocusMargin, -kFocusMargin, -kFocusMargin);
  m_plot->setGeometry(inner);
  if (hasData()) fit(inner.size());
}

void PlotChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme()->colours().base);
  paintFocus(&painter);
}

}  // namespace opscope::ui
