// SPDX-License-Identifier: GPL-3.0-or-later
// A hand on the keyboard: keys go to the window that has the focus, as those of a platform do, and wherever
// the focus comes to, it must be seen. GUI thread.
#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QButtonGroup>
#include <QFileDialog>
#include <QScrollArea>
#include <QtTest>
#include <vector>

#include "ui/views/look/properties.h"
#include "ui/views/look/theme.h"

namespace opscope::ui::testing {

/// Points of the focus colour that a ring has at least.
inline constexpr int kRingPoints = 12;
/// A whole round by Tab is shorter.
inline constexpr int kTabsAtMost = 120;

class KeyboardHand {
 public:
  KeyboardHand(const Theme* theme, QWidget* home) : m_theme(theme), m_home(home) {}

  static QWidget* focus() { return QApplication::focusWidget(); }
  static QString nameOf(const QWidget* widget) {
    if (widget == nullptr) return QStringLiteral("nothing");
    if (!widget->accessibleName().isEmpty()) return widget->accessibleName();
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    if (button != nullptr && !button->text().isEmpty()) return button->text();
    return QString::fromLatin1(widget->metaObject()->className());
  }

  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    // When a dialog closes a window manager gives the focus back; this platform has none.
    if (QGuiApplication::focusWindow() == nullptr) {
      m_home->activateWindow();
      QVERIFY(QTest::qWaitForWindowActive(m_home));
    }
    QTest::keyClick(QGuiApplication::focusWindow(), Qt::Key(key), modifiers);
    QCoreApplication::processEvents();
  }
  void type(const QString& text) {
    for (const QChar c : text) {
      QTest::sendKeyEvent(QTest::Click, QGuiApplication::focusWindow(), Qt::Key_unknown, QString(c),
                          Qt::NoModifier);
    }
    QCoreApplication::processEvents();
  }

  /// The focus is on screen, not scrolled away, and something around it has the colour of the ring.
  void seeFocus() {
    QCoreApplication::processEvents();
    QWidget* widget = focus();
    QVERIFY2(widget != nullptr && widget->isVisible(), "nothing has the focus");
    const QString name = nameOf(widget);
    QRect part = partOf(widget);
    QVERIFY2(!part.isEmpty(), qPrintable(name + QStringLiteral(" has the focus and shows nothing of it")));
    // What comes to the page a moment later (notes, rows) may move it once more.
    QRect shown = shownOf(widget, part);
    for (int i = 0; i < 100 && shown.height() < std::min(part.height(), roomFor(widget)); ++i) {
      QTest::qWait(20);
      part = partOf(widget);
      shown = shownOf(widget, part);
    }
    QVERIFY2(shown.height() >= std::min(part.height(), roomFor(widget)),
             qPrintable(QStringLiteral("\"%1\" has the focus and is cut: %2 of %3 pixels high")
                            .arg(name)
                            .arg(shown.height())
                            .arg(part.height())));
    QVERIFY2(ringPoints(widget, shown) >= kRingPoints,
             qPrintable(QStringLiteral("the focus on \"%1\" is not seen").arg(name)));
  }

  /// From stop to stop until one of that name; each must be seen on the way.
  void tabTo(const QString& name) {
    QStringList passed;
    for (int i = 0; i < kTabsAtMost; ++i) {
      if (nameOf(focus()) == name) return;
      press(Qt::Key_Tab);
      seeFocus();
      if (QTest::currentTestFailed()) return;
      passed << nameOf(focus());
    }
    QFAIL(qPrintable(
        QStringLiteral("Tab never comes to \"%1\", but to %2").arg(name, passed.join(QStringLiteral(", ")))));
  }
  /// The names on a whole round by Tab, which comes back to its first stop.
  QStringList round() {
    QStringList names;
    press(Qt::Key_Tab);
    const QWidget* start = focus();
    for (int i = 0; i < 2 * kTabsAtMost; ++i) {
      seeFocus();
      if (QTest::currentTestFailed()) return names;
      names << nameOf(focus());
      press(Qt::Key_Tab);
      if (focus() == start) return names;
    }
    qWarning("Tab does not come back to %s: it stays among %s", qPrintable(nameOf(start)),
             qPrintable(names.mid(names.size() - 20).join(QStringLiteral(", "))));
    return {};
  }
  template <class Area>
  static bool isWithin() {
    for (const QWidget* widget = focus(); widget != nullptr; widget = widget->parentWidget()) {
      if (qobject_cast<const Area*>(widget) != nullptr) return true;
    }
    return false;
  }
  /// By F6 until the focus is within an area of that class.
  template <class Area>
  void goTo() {
    for (int i = 0; i < 8; ++i) {
      if (isWithin<Area>()) return;
      press(Qt::Key_F6);
      seeFocus();
    }
    QFAIL(qPrintable(QStringLiteral("F6 never comes to %1; the focus is on %2")
                         .arg(QLatin1String(Area::staticMetaObject.className()), nameOf(focus()))));
  }
  /// Into the file dialog that is open.
  void giveFile(const QString& path) {
    QTRY_VERIFY(qobject_cast<QFileDialog*>(QApplication::activeWindow()) != nullptr);
    press(Qt::Key_A, Qt::ControlModifier);
    type(path);
    press(Qt::Key_Return);
  }

 private:
  /// In a view the cell, else the whole control.
  static QRect partOf(const QWidget* widget) {
    const auto* view = qobject_cast<const QAbstractItemView*>(widget);
    if (view == nullptr) return widget->rect();
    if (!view->currentIndex().isValid()) return view->viewport()->geometry();
    const QRect cell = view->visualRect(view->currentIndex());
    return {view->viewport()->mapTo(view, cell.topLeft()), cell.size()};
  }
  /// What of it no widget around cuts away.
  static QRect shownOf(const QWidget* widget, const QRect& part) {
    QRect shown = part;
    const QWidget* around = widget;
    const auto* view = qobject_cast<const QAbstractItemView*>(widget);
    if (view != nullptr) shown &= view->viewport()->geometry();
    while (!around->isWindow()) {
      shown.translate(around->pos());
      around = around->parentWidget();
      shown &= around->rect();
    }
    return shown.translated(-widget->mapTo(widget->window(), QPoint()));
  }
  /// What cannot be higher than the area that it scrolls in.
  static int roomFor(const QWidget* widget) {
    int room = widget->window()->height();
    for (const QWidget* around = widget; around != nullptr; around = around->parentWidget()) {
      const auto* area = qobject_cast<const QAbstractScrollArea*>(around);
      if (area != nullptr && area != widget) room = std::min(room, area->viewport()->height() - 8);
    }
    return room;
  }
  int ringPoints(QWidget* widget, const QRect& shown) const {
    QWidget* window = widget->window();
    const QRect at = shown.translated(widget->mapTo(window, QPoint())).adjusted(-3, -3, 3, 3);
    const QImage image = window->grab(at & window->rect()).toImage().convertToFormat(QImage::Format_RGB32);
    // On a button that is filled with the accent the ring is within it, in the ink of its text.
    const bool filled = widget->property(kPrimary).toBool();
    const QRgb ring = (filled ? m_theme->colours().onAccent : m_theme->colours().focus).rgb();
    int points = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) points += image.pixel(x, y) == ring ? 1 : 0;
    }
    return points;
  }

  const Theme* m_theme;
  QWidget* m_home;
};

}  // namespace opscope::ui::testing
