// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/page_bar.h"

#include <QApplication>
#include <QPainter>
#include <algorithm>

#include "ui/views/widgets/buttons.h"

namespace opscope::ui {

PageBar::PageBar(const Theme* theme, Place place, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_place(place) {
  setFixedHeight(theme->px(place == Place::Top ? 40 : 26));
  m_content = new QWidget(this);
  m_row = new QHBoxLayout(m_content);
  m_row->setContentsMargins(theme->px(10), 0, theme->px(10), 0);
  m_row->setSpacing(theme->px(6));
  m_arrows = new QWidget(this);
  m_arrows->setAutoFillBackground(true);
  auto* arrows = new QHBoxLayout(m_arrows);
  arrows->setContentsMargins(theme->px(4), 0, theme->px(4), 0);
  arrows->setSpacing(0);
  m_back = addArrow("previous", QStringLiteral("Show what is further left in this bar"), -1);
  m_forward = addArrow("next", QStringLiteral("Show what is further right in this bar"), 1);
  arrows->addWidget(m_back);
  arrows->addWidget(m_forward);
  m_arrows->hide();
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

QToolButton* PageBar::addArrow(const char* icon, const QString& words, int direction) {
  QToolButton* arrow = iconButton(m_theme, icon, words, m_arrows);
  // Tab goes to what stands in the bar, and the bar follows.
  arrow->setFocusPolicy(Qt::NoFocus);
  connect(arrow, &QToolButton::clicked, this, [this, direction]() { moveBy(direction * width() / 2); });
  return arrow;
}

QSize PageBar::sizeHint() const {
  return {m_row->sizeHint().width(), height()};
}

QSize PageBar::minimumSizeHint() const {
  return {m_theme->px(120), height()};
}

int PageBar::most() const {
  return std::max(0, m_content->width() + (isTooNarrow() ? m_arrows->width() : 0) - width());
}

void PageBar::arrange() {
  const int needed = m_row->minimumSize().width();
  m_arrows->setVisible(needed > width());
  m_arrows->setGeometry(width() - m_arrows->sizeHint().width(), m_place == Place::Top ? 0 : 1,
                        m_arrows->sizeHint().width(), height() - 1);
  m_content->resize(std::max(needed, width()), height());
  moveBy(0);
}

void PageBar::moveBy(int pixels) {
  m_offset = std::clamp(m_offset + pixels, 0, most());
  m_content->move(-m_offset, 0);
  m_back->setEnabled(m_offset > 0);
  m_forward->setEnabled(m_offset < most());
}

void PageBar::follow(QWidget* focus) {
  if (focus == nullptr || !isTooNarrow() || !m_content->isAncestorOf(focus)) return;
  const int left = focus->mapTo(m_content, QPoint(0, 0)).x(), right = left + focus->width();
  const int room = width() - m_arrows->width();
  if (right - m_offset > room) moveBy(right - m_offset - room + m_theme->px(6));
  if (left < m_offset) moveBy(left - m_offset - m_theme->px(6));
}

bool PageBar::event(QEvent* event) {
  // The row wants another size.
  if (event->type() == QEvent::LayoutRequest) {
    updateGeometry();
    arrange();
  }
  return QWidget::event(event);
}

void PageBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void PageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().window);
  painter.fillRect(QRect(0, m_place == Place::Top ? height() - 1 : 0, width(), 1), m_theme->colours().line);
}

}  // namespace opscope::ui
