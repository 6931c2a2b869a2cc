// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page_tabs.h"

#include <QMouseEvent>
#include <QPainter>

namespace opscope::ui {

PageTabs::PageTabs(const Theme* theme, QWidget* parent) : QTabBar(parent), m_theme(theme) {
  setDrawBase(false);
  setExpanding(false);
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(QStringLiteral("Pages"));
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize PageTabs::tabSizeHint(int index) const {
  const QFontMetrics metrics(m_theme->font(13, QFont::DemiBold));
  return {metrics.horizontalAdvance(tabText(index)) + m_theme->px(26), m_theme->px(34)};
}

void PageTabs::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colours& c = m_theme->colours();
  painter.fillRect(rect(), c.window);
  painter.fillRect(QRect(0, height() - 1, width(), 1), c.line);
  for (int i = 0; i < count(); ++i) {
    const QRect tab = tabRect(i);
    const bool current = i == currentIndex();
    if (i == m_hovered && !current) painter.fillRect(tab.adjusted(0, 0, 0, -1), c.hover);
    painter.setFont(m_theme->font(13, current ? QFont::DemiBold : QFont::Normal));
    painter.setPen(current ? c.text : c.textSecondary);
    painter.drawText(tab, Qt::AlignCenter | Qt::TextSingleLine, tabText(i));
    if (current) painter.fillRect(QRect(tab.left(), tab.bottom() - 1, tab.width(), 2), c.accent);
    if (current && hasFocus()) {
      painter.setPen(QPen(c.focus, 2));
      painter.drawRect(tab.adjusted(2, 2, -2, -4));
    }
  }
}

void PageTabs::mouseMoveEvent(QMouseEvent* event) {
  m_hovered = tabAt(event->position().toPoint());
  update();
  QTabBar::mouseMoveEvent(event);
}

void PageTabs::leaveEvent(QEvent* event) {
  m_hovered = -1;
  update();
  QTabBar::leaveEvent(event);
}

}  // namespace opscope::ui
