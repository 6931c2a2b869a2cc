// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/keyboard_focus.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QDockWidget>
#include <QKeyEvent>
#include <QMenuBar>
#include <QPainter>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QStyleOption>
#include <QToolBar>

#include "ui/views/look/properties.h"
#include "ui/views/run_page.h"
#include "ui/views/widgets/reveal.h"

namespace opscope::ui {
namespace {

bool isReturn(const QEvent* event) {
  if (event->type() != QEvent::KeyPress) return false;
  const auto* key = static_cast<const QKeyEvent*>(event);
  return (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) &&
         (key->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
}

/// Buttons that Return does not reach by itself. Boxes leave it to the dialog, as everywhere.
bool takesReturn(const QAbstractButton* button) {
  if (qobject_cast<const QCheckBox*>(button) != nullptr ||
      qobject_cast<const QRadioButton*>(button) != nullptr) {
    return false;
  }
  const auto* push = qobject_cast<const QPushButton*>(button);
  return push == nullptr || !(push->autoDefault() || push->isDefault());
}

bool isStop(const QWidget* widget, const QWidget* within) {
  return (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->isEnabled() && widget->isVisibleTo(within) &&
         widget->focusProxy() == nullptr;
}

/// A view with no row to mark, or an area that only scrolls.
bool needsRing(const QAbstractScrollArea* area) {
  const auto* view = qobject_cast<const QAbstractItemView*>(area);
  return view == nullptr ? qobject_cast<const QScrollArea*>(area) != nullptr
                         : !view->currentIndex().isValid();
}

/// Hidden or disabled, itself or with what it is in.
bool isGone(const QWidget* widget) {
  if (!widget->isEnabled()) return true;
  for (const QWidget* part = widget; part != nullptr; part = part->parentWidget()) {
    if (part->isHidden()) return true;
    if (part->isWindow()) break;
  }
  return false;
}

/// The part of the window that F6 comes to, of those around a widget.
QWidget* areaOf(const QVector<QPointer<QWidget>>& around) {
  for (const QPointer<QWidget>& widget : around) {
    if (qobject_cast<RunPage*>(widget.data()) != nullptr ||
        qobject_cast<QDockWidget*>(widget.data()) != nullptr ||
        qobject_cast<QToolBar*>(widget.data()) != nullptr) {
      return widget;
    }
  }
  return nullptr;
}

/// A page knows where its keys go to.
QWidget* startOf(QWidget* widget) {
  auto* page = qobject_cast<RunPage*>(widget);
  QWidget* start = page == nullptr ? nullptr : page->keyboardStart();
  if (start != nullptr && start->isVisible() && start->isEnabled()) return start;
  return KeyboardFocus::firstStop(widget);
}

/// The ring of an area that scrolls: it lies over what the area holds. A view may lose its current row, and
/// get one, while it has the focus.
class AreaRing : public QWidget {
 public:
  /// `byKeys` outlives it.
  AreaRing(QAbstractScrollArea* area, const bool* byKeys) : QWidget(area), m_area(area), m_byKeys(byKeys) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setGeometry(area->viewport()->geometry());
    area->installEventFilter(this);
    show();
    raise();
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Resize)
      setGeometry(static_cast<QAbstractScrollArea*>(watched)->viewport()->geometry());
    return false;
  }
  void paintEvent(QPaintEvent*) override {
    if (!needsRing(m_area)) return;
    // A page that got the focus when something else went away is no news to who works with the mouse.
    if (!*m_byKeys && qobject_cast<const QAbstractItemView*>(m_area) == nullptr) return;
    QPainter painter(this);
    QStyleOptionFocusRect option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
  }

 private:
  const QAbstractScrollArea* m_area;
  const bool* m_byKeys;
};

}  // namespace

void KeyboardFocus::install() {
  if (qApp->findChild<KeyboardFocus*>() == nullptr) new KeyboardFocus(qApp);
}

KeyboardFocus::KeyboardFocus(QObject* parent) : QObject(parent) {
  connect(qApp, &QApplication::focusChanged, this, &KeyboardFocus::follow);
  qApp->installEventFilter(this);
}

QWidget* KeyboardFocus::firstStop(QWidget* area) {
  if (isStop(area, area)) return area;
  // In the order of Tab, which starts at any widget that is within.
  QWidget* first = nullptr;
  for (QWidget* next = area->nextInFocusChain(); next != nullptr && next != area;
       next = next->nextInFocusChain()) {
    if (!area->isAncestorOf(next) || !isStop(next, area)) continue;
    first = next;
    break;
  }
  return first;
}

bool KeyboardFocus::eventFilter(QObject* watched, QEvent* event) {
  const bool isPress = event->type() == QEvent::KeyPress;
  if (isPress || event->type() == QEvent::MouseButtonPress) setByKeys(isPress);
  if (isPress || event->type() == QEvent::KeyRelease) {
    if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Alt) showLetters(isPress);
  }
  if (!isReturn(event)) return false;
  auto* button = qobject_cast<QAbstractButton*>(watched);
  if (button == nullptr || !button->hasFocus() || !takesReturn(button)) return false;
  if (!static_cast<QKeyEvent*>(event)->isAutoRepeat()) button->click();
  return true;
}

void KeyboardFocus::setByKeys(bool byKeys) {
  if (byKeys == m_byKeys) return;
  m_byKeys = byKeys;
  if (!m_ring.isNull()) m_ring->update();
}

void KeyboardFocus::showLetters(bool shown) {
  QWidget* window = QApplication::activeWindow();
  if (shown && window != nullptr) m_letters = window->findChild<QMenuBar*>();
  if (m_letters.isNull()) return;
  m_letters->setProperty(kLetters, shown);
  m_letters->update();
}

void KeyboardFocus::follow(QWidget* before, QWidget* now) {
  delete m_ring;
  auto* area = qobject_cast<QAbstractScrollArea*>(now);
  const bool canNeed =
      qobject_cast<QAbstractItemView*>(area) != nullptr || qobject_cast<QScrollArea*>(area) != nullptr;
  if (canNeed) m_ring = new AreaRing(area, &m_byKeys);
  if (now == nullptr) {
    showLetters(false);
    // Another window took it, or the widget went away: which of them is known when the event is over.
    if (before != nullptr)
      QMetaObject::invokeMethod(
          this, [this]() { comeBack(); }, Qt::QueuedConnection);
    return;
  }
  if (before != nullptr && isGone(before)) bringBackLater(now);
  m_around.clear();
  for (QWidget* widget = now; widget != nullptr; widget = widget->parentWidget()) m_around << widget;
  // Under the mouse nothing may move between press and release.
  if (QGuiApplication::mouseButtons() != Qt::NoButton) return;
  const auto* view = qobject_cast<QAbstractItemView*>(now);
  const QRect current = view == nullptr ? QRect() : view->visualRect(view->currentIndex());
  revealInScrollAreas(now, current.isEmpty() ? now->rect() : current);
}

void KeyboardFocus::bringBackLater(QWidget* now) {
  // Qt hands the focus of what is hidden or disabled to the next control, which may be at the other end of
  // the window. It belongs into the same part of it, unless somebody places it meanwhile.
  QMetaObject::invokeMethod(
      this,
      [this, around = m_around, now = QPointer<QWidget>(now)]() {
        if (now.isNull() || QApplication::focusWidget() != now) return;
        const QWidget* area = areaOf(around);
        if (area == nullptr || area == now || area->isAncestorOf(now)) return;
        for (const QPointer<QWidget>& widget : around) {
          if (widget.isNull() || !widget->isVisible() || !widget->isEnabled()) continue;
          if (QWidget* stop = startOf(widget)) return stop->setFocus(Qt::OtherFocusReason);
        }
      },
      Qt::QueuedConnection);
}

void KeyboardFocus::comeBack() {
  if (QApplication::focusWidget() != nullptr || QApplication::activePopupWidget() != nullptr) return;
  for (const QPointer<QWidget>& widget : m_around) {
    if (widget.isNull() || !widget->isActiveWindow() || !widget->isVisible()) continue;
    if (QWidget* stop = startOf(widget)) {
      stop->setFocus(Qt::OtherFocusReason);
      return;
    }
  }
}

}  // namespace opscope::ui
