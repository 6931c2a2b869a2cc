// SPDX-License-Identifier: GPL-3.0-or-later
// Where the focus goes in the window: from area to area, and to a page that is shown by its key.
#include <QApplication>

#include "ui/shell/keyboard_focus.h"
#include "ui/shell/main_window.h"
#include "ui/shell/run_tool_bar.h"
#include "ui/shell/side_panel.h"
#include "ui/views/page_tabs.h"
#include "ui/views/runs_panel.h"

namespace opscope::ui {

QList<QWidget*> MainWindow::areas() const {
  QList<QWidget*> areas = {m_toolBar};
  if (m_centre->currentWidget() != m_work) return areas << m_centre->currentWidget();
  areas << m_tabs << m_pageStack->currentWidget();
  for (auto panel = m_panels.rbegin(); panel != m_panels.rend(); ++panel) {
    // Runs comes between the Inspector and the Executable.
    if (*panel == m_panels.front() && m_runs != nullptr) areas << m_runs;
    areas << (*panel)->area();
  }
  return areas;
}

QWidget* MainWindow::stopOf(QWidget* area) const {
  QWidget* last = m_lastFocus.value(area);
  if (last != nullptr && area->isAncestorOf(last) && last->isEnabled() && last->isVisible()) return last;
  const bool isPage = area == m_pageStack->currentWidget();
  QWidget* start = isPage           ? currentPage()->keyboardStart()
                   : area == m_runs ? m_runs->keyboardStart()
                                    : nullptr;
  if (start != nullptr && start->isEnabled() && start->isVisible()) return start;
  // What the panel holds comes before the button that folds it.
  for (const SidePanel* panel : m_panels) {
    QWidget* stop = panel == area ? KeyboardFocus::firstStop(panel->widget()) : nullptr;
    if (stop != nullptr) return stop;
  }
  return KeyboardFocus::firstStop(area);
}

void MainWindow::stepArea(int by) {
  const QList<QWidget*> list = areas();
  const int count = int(list.size());
  QWidget* focus = QApplication::focusWidget();
  int current = 0;
  for (int i = 0; i < count; ++i) {
    if (focus != nullptr && (list[i] == focus || list[i]->isAncestorOf(focus))) current = i;
  }
  // Where F6 itself went is no choice of the user.
  if (focus != nullptr && focus != m_areaStop && list[current]->isAncestorOf(focus))
    m_lastFocus[list[current]] = focus;
  // An area without anything to choose is passed by.
  for (int step = 1; step <= count; ++step) {
    QWidget* stop = stopOf(list[(current + by * step + count * step) % count]);
    if (stop == nullptr) continue;
    m_areaStop = stop;
    stop->setFocus(Qt::TabFocusReason);
    return;
  }
}

void MainWindow::enterPage() {
  if (m_centre->currentWidget() != m_work) return;
  QWidget* stop = stopOf(m_pageStack->currentWidget());
  (stop != nullptr ? stop : m_tabs)->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace opscope::ui
