// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "ui/models/format.h"
#include "ui/views/widgets/picture.h"

namespace opscope::ui {

Chart::Chart(const ChartContext& context, QWidget* parent) : QWidget(parent), m_context(context) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  connect(context.theme, &Theme::changed, this, &Chart::rebuildAll);
  connect(context.selection, &Selection::colourChanged, this, &Chart::rebuildAll);
  connect(context.selection, &Selection::opChanged, this, [this]() {
    if (!hasData() || putOff()) return;
    if (isOfOneOp()) {
      rebuild();
    } else {
      showSelection();
    }
    readOut();
    Q_EMIT textsChanged();
  });
}

void Chart::setRun(std::shared_ptr<const RunView> run) {
  m_run = std::move(run);
  rebuildAll();
}

void Chart::setWaits(bool waits) {
  m_waits = waits;
  if (!waits) bringUpToDate();
}

void Chart::bringUpToDate() {
  if (!m_outOfDate) return;
  m_outOfDate = false;
  const bool waits = std::exchange(m_waits, false);
  rebuildAll();
  m_waits = waits;
}

bool Chart::putOff() {
  if (m_waits) m_outOfDate = true;
  return m_waits;
}

void Chart::rebuildAll() {
  if (!hasData() || putOff()) return;
  rebuild();
  showSelection();
  readOut();
  Q_EMIT textsChanged();
}

void Chart::readOut() {
  const QString words = emptyText().isEmpty() ? detail() : emptyText();
  setAccessibleName(words.isEmpty() ? title() : title() + QLatin1String(", ") + words);
  const report::OpRow* row = rowOf(selection()->op());
  setAccessibleDescription(row == nullptr ? QString()
                                          : describe(*row).replace(QLatin1Char('\n'), QLatin1String(", ")));
}

QString Chart::caption() const {
  return m_run == nullptr ? QString() : pictureCaption(*m_run);
}

OpId Chart::opAt(const QPointF& point) const {
  for (const OpId& op : ops()) {
    const auto area = areaOf(op);
    if (area && area->contains(point)) return op;
  }
  return {};
}

std::optional<QRectF> Chart::areaOf(const OpId& op) const {
  Q_UNUSED(op);
  return std::nullopt;
}

const report::OpRow* Chart::rowOf(const OpId& op) const {
  if (m_run == nullptr || op.isNull()) return nullptr;
  const auto& rows = m_run->byOp.rows;
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const report::OpRow& row) { return opOf(row) == op; });
  return found == rows.end() ? nullptr : &*found;
}

const report::OpRow* Chart::shownRow() const {
  const report::OpRow* chosen = rowOf(selection()->op());
  if (chosen != nullptr || m_run == nullptr || m_run->byOp.rows.empty()) return chosen;
  return &m_run->byOp.rows.front();
}

const Fill& Chart::fillOf(const report::OpRow& row) const {
  switch (selection()->colourBy()) {
    case ColourBy::Device:
      return theme()->deviceFill(row.device == report::kNone ? 0 : int(row.device));
    case ColourBy::Op:
      return theme()->nameFill(format::fromUtf8(report::nameOf(m_run->run(), row)));
    case ColourBy::Kind:
      break;
  }
  return theme()->kindFill(row.kind);
}

QString Chart::describe(const report::OpRow& row) const {
  QStringList lines = format::brokenName(format::fromUtf8(report::nameOf(m_run->run(), row)));
  QString numbers = format::duration(row.durationUs).text();
  if (row.percent) numbers += QStringLiteral(" · %1 % of the total").arg(format::percent(row.percent));
  lines << numbers;
  lines << QStringLiteral("%1 · %2").arg(format::counted(row.count, "call", "calls"), kindText(row.kind));
  return lines.join(QLatin1Char('\n'));
}

QString Chart::hoverText(const QPointF& point) const {
  const report::OpRow* row = rowOf(opAt(point));
  return row == nullptr ? QString() : describe(*row);
}

QString Chart::kindText(report::OpKind kind) const {
  const Fill& fill = theme()->kindFill(kind);
  // Kinds without a fill of their own share the last; their own name tells them apart.
  const QString name = format::fromUtf8(report::kindName(kind));
  return fill.kind.startsWith(name) ? fill.kind : name;
}

void Chart::paintFocus(QPainter* painter) const {
  if (!hasFocus()) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(theme()->colours().focus, 2));
  painter->setBrush(Qt::NoBrush);
  painter->drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
  painter->restore();
}

bool Chart::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const QString text = !hasData() ? QString() : hoverText(help->pos());
    if (text.isEmpty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(),
                         text.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")), this);
    }
    return true;
  }
  return QWidget::event(event);
}

void Chart::mouseMoveEvent(QMouseEvent* event) {
  if (hasData()) showHover(event->position());
}

void Chart::leaveEvent(QEvent*) {
  if (hasData()) showHover(std::nullopt);
}

void Chart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !hasData()) {
    QWidget::mousePressEvent(event);
    return;
  }
  const OpId op = opAt(event->position());
  if (!op.isNull()) selection()->setOp(op);
}

void Chart::keyPressEvent(QKeyEvent* event) {
  const auto all = !hasData() ? std::vector<OpId>() : ops();
  const auto current = std::find(all.begin(), all.end(), selection()->op());
  const auto place = current == all.end() ? -1 : int(current - all.begin());
  int next = -1;
  switch (event->key()) {
    case Qt::Key_Down:
    case Qt::Key_Right:
      next = place + 1;
      break;
    case Qt::Key_Up:
    case Qt::Key_Left:
      next = std::max(0, place - 1);
      break;
    case Qt::Key_Home:
      next = 0;
      break;
    case Qt::Key_End:
      next = int(all.size()) - 1;
      break;
    default:
      QWidget::keyPressEvent(event);
      return;
  }
  if (next >= 0 && next < int(all.size())) selection()->setOp(all[std::size_t(next)]);
}

}  // namespace opscope::ui
