// SPDX-License-Identifier: GPL-3.0-or-later
// Tabs over the pages: flat, the chosen one bold with a 2 px line. GUI thread.
#pragma once

#include <QTabBar>

#include "ui/views/look/theme.h"

namespace opscope::ui {

class PageTabs : public QTabBar {
  Q_OBJECT
 public:
  explicit PageTabs(const Theme* theme, QWidget* parent = nullptr);

 protected:
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  const Theme* m_theme;
  int m_hovered = -1;
};

}  // namespace opscope::ui
