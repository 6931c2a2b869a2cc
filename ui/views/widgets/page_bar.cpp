// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/page_bar.h"

#include <QPainter>

namespace opscope::ui {

PageBar::PageBar(const Theme* theme, Place place, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_place(place) {
  setFixedHeight(theme->px(place == Place::Top ? 40 : 26));
  m_row = new QHBoxLayout(this);
  m_row->setContentsMargins(theme->px(10), 0, theme->px(10), 0);
  m_row->setSpacing(theme->px(6));
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().window);
  painter.fillRect(QRect(0, m_place == Place::Top ? height() - 1 : 0, width(), 1), m_theme->colours().line);
}

}  // namespace opscope::ui
