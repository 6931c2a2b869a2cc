// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/waterfall.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/views/charts/custom_plot.h"
#include "ui/views/compare/verdict_look.h"
#include "ui/views/widgets/plots.h"

namespace opscope::ui {
namespace {

using Kind = WaterfallStep::Kind;

constexpr int kPictureWidth = 900;
constexpr int kPictureHeight = 300;

/// A name in two lines, each cut in its middle.
QStringList twoLines(QString name, const QFontMetrics& metrics, int width) {
  if (name.startsWith(QLatin1String("fused_"))) name.remove(0, 6);
  QString first = name, second;
  const QStringList parts = name.split(QLatin1Char('_'));
  if (parts.size() > 1 && metrics.horizontalAdvance(name) > width) {
    first = parts.front();
    qsizetype used = 1;
    while (used + 1 < parts.size() &&
           metrics.horizontalAdvance(first + QLatin1Char('_') + parts[used] + QLatin1Char('_')) <= width) {
      first += QLatin1Char('_') + parts[used++];
    }
    first += QLatin1Char('_');
    second = QStringList(parts.mid(used)).join(QLatin1Char('_'));
  }
  return {metrics.elidedText(first, Qt::ElideMiddle, width),
          metrics.elidedText(second, Qt::ElideMiddle, width)};
}

}  // namespace

Waterfall::Waterfall(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumHeight(theme->px(140));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(QStringLiteral("Where the difference comes from"));
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Waterfall::setComparison(const std::shared_ptr<const CompareView>& view) {
  m_view = view;
  m_hovered.reset();
  if (view) {
    const auto& total = view->comparison->total;
    setAccessibleDescription(
        QStringLiteral("From %1 to %2")
            .arg(format::duration(total.a->valueUs).text(), format::duration(total.b->valueUs).text()));
  }
  update();
}

void Waterfall::setSelected(int op) {
  m_selected = op;
  update();
}

Waterfall::Scale Waterfall::makeScale(int line) const {
  Scale scale;
  double largest = 0;
  for (const WaterfallStep& step : m_view->steps) largest = std::max({largest, step.fromUs, step.toUs});
  scale.unit = timeUnitFor(largest);
  scale.top = largest > 0 ? scale.unit.from(largest) * 1.04 : 1;
  const double left = m_theme->px(56), right = m_theme->px(16);
  scale.plot = QRectF(left, 2.0 * line, std::max(10.0, width() - left - right),
                      std::max(10.0, height() - 2.0 * line - 3.4 * line - m_theme->px(12)));
  return scale;
}

QRectF Waterfall::columnOf(const QRectF& plot, std::size_t step) const {
  const double width = plot.width() / double(m_view->steps.size());
  return {plot.left() + width * double(step), plot.top(), width, plot.height()};
}

QRectF Waterfall::barOf(const Scale& scale, std::size_t index) const {
  const WaterfallStep& step = m_view->steps[index];
  const QRectF column = columnOf(scale.plot, index);
  const double inset = column.width() * 0.13;
  const double high = scale.y(std::max(step.fromUs, step.toUs));
  const double low = scale.y(std::min(step.fromUs, step.toUs));
  const double top = std::round(high);
  return {std::round(column.left() + inset), top, std::round(column.width() - 2 * inset),
          std::max(1.0, std::round(low) - top)};
}

std::optional<std::size_t> Waterfall::stepAt(const QPointF& place) const {
  if (!m_view) return std::nullopt;
  const Scale scale = makeScale(QFontMetrics(m_theme->font(11)).height());
  for (std::size_t i = 0; i < m_view->steps.size(); ++i) {
    QRectF column = columnOf(scale.plot, i);
    column.setBottom(height());
    if (column.contains(place)) return i;
  }
  return std::nullopt;
}

void Waterfall::paintAxis(QPainter* painter, const Scale& scale) const {
  const Colours& c = m_theme->colours();
  const int line = painter->fontMetrics().height();
  const auto ticks = axisTicks(0, scale.top, 4);
  const int decimals = ticks.size() > 1 ? decimalsOf(ticks[1] - ticks[0]) : 0;
  for (const double tick : ticks) {
    const double y = std::round(scale.plot.bottom() - tick / scale.top * scale.plot.height()) + 0.5;
    painter->setPen(tick == 0 ? c.controlBorder : c.grid);
    painter->drawLine(QPointF(scale.plot.left(), y), QPointF(scale.plot.right(), y));
    painter->setPen(c.textSecondary);
    painter->drawText(QRectF(0, y - line / 2.0, scale.plot.left() - m_theme->px(8), line),
                      Qt::AlignRight | Qt::AlignVCenter, format::fixed(tick, decimals));
  }
  painter->drawText(QRectF(0, m_theme->px(2), scale.plot.left() - m_theme->px(8), line), Qt::AlignRight,
                    scale.unit.name);
}

void Waterfall::paintStep(QPainter* painter, const Scale& scale, std::size_t index) const {
  const Colours& c = m_theme->colours();
  const WaterfallStep& step = m_view->steps[index];
  const QRectF bar = barOf(scale, index);
  const bool total = step.kind == Kind::OldTotal || step.kind == Kind::NewTotal;
  const int line = painter->fontMetrics().height();
  QColor ink = c.text;
  if (step.kind == Kind::Op) {
    const report::Verdict verdict = m_view->op(step.op).verdict;
    fillVerdict(painter, *m_theme, bar, verdict, c.fillEdge);
    ink = verdictInk(*m_theme, verdict);
  } else {
    painter->fillRect(bar, c.sameFill);
    edgeFill(painter, bar, c.fillEdge);
    if (!total) ink = c.textSecondary;
  }
  if (m_hovered == index) painter->fillRect(bar, QColor(255, 255, 255, 46));
  if (step.op >= 0 && step.op == m_selected) {
    painter->setPen(QPen(c.text, 2));
    painter->drawRect(bar.adjusted(-1, -1, 1, 1));
  }
  if (index + 1 < m_view->steps.size()) {
    const double y = std::round(scale.y(step.toUs)) + 0.5;
    painter->setPen(c.controlBorder);
    painter->drawLine(QPointF(bar.right(), y), QPointF(barOf(scale, index + 1).left(), y));
  }
  painter->setPen(ink);
  QFont font = m_theme->font(11, total ? QFont::DemiBold : QFont::Normal);
  painter->setFont(font);
  // Totals have the digits of the steps between them, so that they add up.
  const QString text = total ? format::fixed(scale.unit.from(step.toUs), scale.unit.us > 1 ? 2 : 1)
                             : stepText(step.deltaUs(), scale.unit);
  const QRectF column = columnOf(scale.plot, index);
  painter->drawText(QRectF(column.left() - 10, bar.top() - line - m_theme->px(3), column.width() + 20, line),
                    Qt::AlignHCenter | Qt::AlignBottom, text);
}

QStringList Waterfall::labelOf(const WaterfallStep& step) const {
  switch (step.kind) {
    case Kind::OldTotal:
      return {QStringLiteral("Old total"), {}};
    case Kind::NewTotal:
      return {QStringLiteral("New total"), {}};
    case Kind::OtherOps:
      return {format::integer(step.others),
              step.others == 1 ? QStringLiteral("other op") : QStringLiteral("other ops")};
    case Kind::Rest:
      return {QStringLiteral("rest of"), QStringLiteral("the total")};
    case Kind::Op:
      break;
  }
  return {};
}

void Waterfall::paintLabel(QPainter* painter, const Scale& scale, std::size_t index) const {
  const Colours& c = m_theme->colours();
  const WaterfallStep& step = m_view->steps[index];
  const bool total = step.kind == Kind::OldTotal || step.kind == Kind::NewTotal;
  painter->setFont(m_theme->font(11, total ? QFont::DemiBold : QFont::Normal));
  painter->setPen(total || (step.op >= 0 && step.op == m_selected) ? c.text : c.textSecondary);
  const QRectF column = columnOf(scale.plot, index).adjusted(2, 0, -2, 0);
  const int line = painter->fontMetrics().height();
  const QStringList lines = step.kind == Kind::Op
                                ? twoLines(format::fromUtf8(m_view->op(step.op).shown().name),
                                           painter->fontMetrics(), int(column.width()))
                                : labelOf(step);
  // A font may paint its underscore lower than it says: nothing is cut off below a line.
  const int top = int(std::round(scale.plot.bottom())) + m_theme->px(6);
  for (qsizetype i = 0; i < lines.size(); ++i) {
    painter->drawText(QRectF(column.left(), top + int(i) * line, column.width(), line),
                      Qt::AlignHCenter | Qt::TextDontClip,
                      painter->fontMetrics().elidedText(lines[i], Qt::ElideMiddle, int(column.width())));
  }
}

void Waterfall::paint(QPainter* painter) {
  painter->setFont(m_theme->font(11));
  const int line = painter->fontMetrics().height();
  const Scale scale = makeScale(line);
  paintAxis(painter, scale);
  for (std::size_t i = 0; i < m_view->steps.size(); ++i) {
    paintStep(painter, scale, i);
    paintLabel(painter, scale, i);
  }
  painter->setFont(m_theme->font(11));
  painter->setPen(m_theme->colours().textSecondary);
  const QString note = QStringLiteral(
      "Names without a leading fused_. Each step is the difference of two medians; the last one closes the "
      "gap to the total.");
  painter->drawText(QRectF(scale.plot.left(), height() - line - m_theme->px(6), scale.plot.width(), line),
                    Qt::AlignLeft | Qt::TextDontClip,
                    painter->fontMetrics().elidedText(note, Qt::ElideRight, int(scale.plot.width())));
}

Picture Waterfall::picture(PictureFormat format) const {
  Theme light;
  light.choose(ThemeChoice::Light);
  Waterfall drawing(&light);
  drawing.setComparison(m_view);
  Sheet sheet;
  sheet.title = QStringLiteral("Where the difference comes from");
  sheet.detail = stepsText(*m_view);
  sheet.caption = QStringLiteral("Old: %1. New: %2.")
                      .arg(pictureCaption(*m_view->a.view), pictureCaption(*m_view->b.view));
  sheet.drawing = QSize(light.px(kPictureWidth), light.px(kPictureHeight));
  drawing.resize(sheet.drawing);
  sheet.paint = [&](QCPPainter* painter) { drawing.paint(painter); };
  return drawSheet(light, sheet, format);
}

void Waterfall::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colours& c = m_theme->colours();
  painter.fillRect(rect(), c.base);
  if (!m_view) return;
  paint(&painter);
  if (hasFocus()) {
    painter.setPen(QPen(c.focus, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
}

QString Waterfall::toolTipOf(const WaterfallStep& step) const {
  const QString from = format::duration(step.fromUs).text(), to = format::duration(step.toUs).text();
  switch (step.kind) {
    case Kind::OldTotal:
      return QStringLiteral("Old total, median: %1").arg(to);
    case Kind::NewTotal:
      return QStringLiteral("New total, median: %1").arg(to);
    case Kind::OtherOps:
      return QStringLiteral("%1 with smaller changes, together %2\u00A0µs")
          .arg(format::counted(step.others, "op", "ops"), signedMicroseconds(step.deltaUs()));
    case Kind::Rest:
      return QStringLiteral("What the total changed beside its ops: %1\u00A0µs")
          .arg(signedMicroseconds(step.deltaUs()));
    case Kind::Op:
      break;
  }
  const report::ComparedOp& op = m_view->op(step.op);
  QStringList lines = format::brokenName(format::fromUtf8(op.shown().name));
  lines << QStringLiteral("%1 %2 %3\u00A0µs")
               .arg(verdictGlyph(op.verdict), verdictText(op.verdict), signedMicroseconds(step.deltaUs()));
  lines << QStringLiteral("old %1, new %2")
               .arg(op.a ? format::duration(op.a->valueUs).text() : format::missing(),
                    op.b ? format::duration(op.b->valueUs).text() : format::missing());
  return lines.join(QLatin1Char('\n'));
}

bool Waterfall::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const auto step = stepAt(help->pos());
  if (step) {
    QToolTip::showText(help->globalPos(), toolTipOf(m_view->steps[*step]), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

void Waterfall::mouseMoveEvent(QMouseEvent* event) {
  const auto step = stepAt(event->position());
  if (step == m_hovered) return;
  m_hovered = step;
  update();
}

void Waterfall::leaveEvent(QEvent*) {
  m_hovered.reset();
  update();
}

void Waterfall::mousePressEvent(QMouseEvent* event) {
  const auto step = stepAt(event->position());
  if (step && m_view->steps[*step].op >= 0) Q_EMIT opChosen(m_view->steps[*step].op);
}

void Waterfall::keyPressEvent(QKeyEvent* event) {
  const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (by == 0 || !m_view) {
    QWidget::keyPressEvent(event);
    return;
  }
  const auto& steps = m_view->steps;
  const auto found = std::ranges::find_if(
      steps, [this](const WaterfallStep& step) { return step.op >= 0 && step.op == m_selected; });
  const int ops = int(std::ranges::count(steps, Kind::Op, &WaterfallStep::kind));
  if (ops == 0) return;
  // Ops stand together, behind the old total.
  const int next = found == steps.end() ? (by > 0 ? 1 : ops) : int(found - steps.begin()) + by;
  if (next >= 1 && next <= ops) Q_EMIT opChosen(steps[std::size_t(next)].op);
}

}  // namespace opscope::ui
