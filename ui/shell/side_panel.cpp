// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/side_panel.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QMainWindow>
#include <QPainter>
#include <QStyle>
#include <QStyleOption>
#include <utility>

#include "ui/shell/keyboard_focus.h"
#include "ui/views/widgets/buttons.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {
namespace {

/// The folded panel: icon and title, written upwards; a click opens the panel.
class RailButton : public QAbstractButton {
 public:
  RailButton(const Theme* theme, const char* iconName, const QString& title)
      : m_theme(theme), m_iconName(iconName) {
    setText(title);
    setToolTip(QStringLiteral("Open %1").arg(title));
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
  }
  QSize sizeHint() const override { return {m_theme->px(29), m_theme->px(130)}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Colours& c = m_theme->colours();
    if (underMouse()) painter.fillRect(rect(), c.hover);
    const int size = m_theme->px(16);
    lookIcon(m_theme, m_iconName, IconInk::Secondary)
        .paint(&painter, QRect((width() - size) / 2, m_theme->px(8), size, size));
    painter.setFont(m_theme->font(12));
    painter.setPen(c.textSecondary);
    painter.save();
    painter.translate(width(), m_theme->px(34));
    painter.rotate(90);
    painter.drawText(QRect(0, 0, height() - m_theme->px(34), width()), Qt::AlignVCenter | Qt::AlignLeft,
                     text());
    painter.restore();
    if (hasFocus()) {
      QStyleOptionFocusRect option;
      option.initFrom(this);
      style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
    }
  }

 private:
  const Theme* m_theme;
  const char* m_iconName;
};

/// The edge of the window that the button stands in, with a line towards the page.
class Rail : public QToolBar {
 public:
  Rail(const Theme* theme, const QString& title, bool left, QWidget* parent)
      : QToolBar(title, parent), m_theme(theme), m_left(left) {}

 protected:
  void paintEvent(QPaintEvent* event) override {
    QToolBar::paintEvent(event);
    QPainter(this).fillRect(QRect(m_left ? width() - 1 : 0, 0, 1, height()), m_theme->colours().line);
  }

 private:
  const Theme* m_theme;
  bool m_left;
};

}  // namespace

SidePanel::SidePanel(const Theme* theme, const QString& id, const QString& title, const char* iconName,
                     Qt::Edge edge, QWidget* content, QMainWindow* window)
    : QDockWidget(title, window), m_id(id), m_width(theme->px(edge == Qt::LeftEdge ? 280 : 300)) {
  setObjectName(id);
  setFeatures(DockWidgetClosable);
  setAllowedAreas(edge == Qt::LeftEdge ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea);
  auto* bar = new QWidget;
  auto* layout = new QVBoxLayout(bar);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(theme->px(10), 0, theme->px(4), 0);
  m_titleText = new ElidedText(theme, 12, &Colours::text, QFont::DemiBold);
  m_titleText->setText(title);
  row->addWidget(m_titleText, 1);
  auto* fold = iconButton(theme, "close", QStringLiteral("Fold %1").arg(title), bar);
  connect(fold, &QToolButton::clicked, this, [this]() { Q_EMIT foldRequested(true); });
  row->addWidget(fold);
  layout->addLayout(row);
  layout->addWidget(new Hairline(theme));
  bar->setFixedHeight(theme->px(28));
  setTitleBarWidget(bar);
  setWidget(content);
  const bool left = edge == Qt::LeftEdge;
  window->addDockWidget(left ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea, this);
  m_rail = new Rail(theme, title, left, window);
  m_rail->setObjectName(id + QLatin1String("Rail"));
  m_rail->setMovable(false);
  m_rail->setContentsMargins(left ? 0 : 1, 0, left ? 1 : 0, 0);
  auto* button = new RailButton(theme, iconName, title);
  connect(button, &QAbstractButton::clicked, this, [this]() { Q_EMIT foldRequested(false); });
  m_rail->addWidget(button);
  m_rail->toggleViewAction()->setVisible(false);
  window->installEventFilter(this);
  window->addToolBar(left ? Qt::LeftToolBarArea : Qt::RightToolBarArea, m_rail);
  apply();
}

void SidePanel::setTitle(const QString& title) {
  m_titleText->setText(title);
}

void SidePanel::setFolded(bool folded) {
  if (folded == m_folded) {
    apply();
    return;
  }
  const QWidget* focus = QApplication::focusWidget();
  const bool within = focus != nullptr && area()->isAncestorOf(focus);
  m_folded = folded;
  if (!within) {
    apply();
    return;
  }
  // The focus stays at this edge of the window: what is shown comes first, so that it can take it.
  (folded ? static_cast<QWidget*>(m_rail) : this)->setVisible(!m_away);
  QWidget* stop = KeyboardFocus::firstStop(folded ? static_cast<QWidget*>(m_rail) : widget());
  if (stop == nullptr) stop = KeyboardFocus::firstStop(area());
  if (stop != nullptr) stop->setFocus(Qt::OtherFocusReason);
  apply();
}

void SidePanel::setAway(bool away) {
  m_away = away;
  apply();
}

bool SidePanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseButtonPress) m_pressedWidth = width();
  if (event->type() == QEvent::MouseButtonRelease && m_pressedWidth > 0) {
    // After the window has taken what it was dragged to.
    QMetaObject::invokeMethod(
        this,
        [this, pressed = std::exchange(m_pressedWidth, 0)]() {
          if (isVisible() && width() != pressed) m_width = width();
        },
        Qt::QueuedConnection);
  }
  return QDockWidget::eventFilter(watched, event);
}

void SidePanel::apply() {
  setVisible(!m_away && !m_folded);
  m_rail->setVisible(!m_away && m_folded);
}

}  // namespace opscope::ui
