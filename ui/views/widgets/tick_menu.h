// SPDX-License-Identifier: GPL-3.0-or-later
// A menu that stays open while its entries are ticked, so that several can be chosen at once. GUI thread; its
// parent owns it.
#pragma once

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

namespace opscope::ui {

class TickMenu : public QMenu {
 public:
  using QMenu::QMenu;

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (event->button() != Qt::LeftButton || !tick(actionAt(event->pos()))) QMenu::mouseReleaseEvent(event);
  }
  void keyPressEvent(QKeyEvent* event) override {
    const bool chooses =
        event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!chooses || !tick(activeAction())) QMenu::keyPressEvent(event);
  }

 private:
  static bool tick(QAction* action) {
    if (action == nullptr || !action->isCheckable() || !action->isEnabled()) return false;
    action->trigger();
    return true;
  }
};

}  // namespace opscope::ui
