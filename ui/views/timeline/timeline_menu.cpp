// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the Timeline.
#include <QContextMenuEvent>
#include <QMenu>

#include "ui/views/timeline/timeline_view.h"

namespace opscope::ui {

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
  if (!m_scene.timeline) return;
  m_tip->hide();
  m_tipTimer.stop();
  const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
  const SceneHit hit = byMouse ? m_scene.hitAt(event->pos()) : SceneHit();
  const std::uint32_t span =
      hit.isBlock() ? m_scene.spanOf(m_scene.rows[std::size_t(hit.row)], hit.block) : report::kNone;
  if (span != report::kNone) choose(span, hit.row);
  if (hit.isBlock() && holdsOthers(m_scene.rows[std::size_t(hit.row)].group)) chooseOther(hit.row, hit.block);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  fillMenu(menu, byMouse ? m_scene.rowAt(event->pos().y()) : m_scene.currentRow);
  menu->popup(byMouse ? event->globalPos() : viewport()->mapToGlobal(currentRect().bottomLeft()));
}

void TimelineView::fillMenu(QMenu* menu, int row) {
  const bool op = m_scene.op != report::kNone;
  const auto add = [menu](const QString& text, const QString& tooltip, bool possible) {
    QAction* action = menu->addAction(text);
    action->setToolTip(tooltip);
    action->setEnabled(possible);
    return action;
  };
  connect(add(QStringLiteral("Show in Ops"),
              m_scene.range ? QStringLiteral("Ops shows what lies within the range")
                            : QStringLiteral("Go to the row of the chosen op"),
              op || m_scene.range),
          &QAction::triggered, this, &TimelineView::opsRequested);
  menu->addSeparator();
  connect(add(isStepChosen() ? QStringLiteral("Mark the step as range\tM")
                             : QStringLiteral("Mark the call as range\tM"),
              isStepChosen() ? QStringLiteral("Limit Ops and Charts to this step")
                             : QStringLiteral("Limit Ops and Charts to this call"),
              canMark()),
          &QAction::triggered, this, &TimelineView::markRange);
  connect(add(QStringLiteral("Clear the range\tEsc"), QStringLiteral("Ops and Charts show the whole run"),
              m_scene.range.has_value()),
          &QAction::triggered, this, [this]() { m_selection->setRange(std::nullopt); });
  const bool pinned = op && isPinned(m_scene.timeline->ops().ops[m_scene.op]);
  connect(add(pinned ? QStringLiteral("Unpin the op\tP") : QStringLiteral("Pin the op\tP"),
              QStringLiteral("Give all calls of the op a lane of their own"), op),
          &QAction::triggered, this, qOverload<>(&TimelineView::togglePin));
  const auto lane = laneAt(row);
  connect(add(lane && isPinned(*lane) ? QStringLiteral("Unpin the lane\tShift+P")
                                      : QStringLiteral("Pin the lane\tShift+P"),
              QStringLiteral("Keep the lane above the others"), lane.has_value()),
          &QAction::triggered, this, [this, lane]() { togglePin(*lane); });
  connect(add(QStringLiteral("Unpin all"), QStringLiteral("Keep nothing above the lanes"), !m_pins.empty()),
          &QAction::triggered, this, &TimelineView::unpinAll);
  menu->addSeparator();
  connect(add(QStringLiteral("Fit the selection\tF"),
              QStringLiteral("Show the range, the chosen op, or else the whole repeat"), true),
          &QAction::triggered, this, &TimelineView::fitSelection);
  connect(add(QStringLiteral("Fit the whole repeat"), QStringLiteral("Show all of the repeat"), true),
          &QAction::triggered, this, &TimelineView::fitAll);
}

}  // namespace opscope::ui
