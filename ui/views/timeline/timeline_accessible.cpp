// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline for screen readers: a list with the current block as its item.
#include <QAccessibleWidget>
#include <QPointer>

#include "ui/views/timeline/timeline_view.h"

namespace opscope::ui {
namespace {

/// The current block. Qt's cache owns it from registration on.
class BlockInterface : public QAccessibleInterface {
 public:
  explicit BlockInterface(TimelineView* view) : m_view(view) {}
  bool isValid() const override { return !m_view.isNull() && !m_view->currentText().isEmpty(); }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override {
    return m_view.isNull() ? nullptr : QAccessible::queryAccessibleInterface(m_view);
  }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override {
    return kind == QAccessible::Name && !m_view.isNull() ? m_view->currentText() : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (m_view.isNull()) return {};
    const QRect inside = m_view->currentRect();
    return {m_view->viewport()->mapToGlobal(inside.topLeft()), inside.size()};
  }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.focusable = state.selectable = state.selected = true;
    state.focused = !m_view.isNull() && m_view->hasFocus();
    state.invalid = !isValid();
    return state;
  }

 private:
  QPointer<TimelineView> m_view;
};

class TimelineInterface : public QAccessibleWidget {
 public:
  explicit TimelineInterface(TimelineView* view)
      : QAccessibleWidget(view, QAccessible::List, view->accessibleName()),
        m_block(QAccessible::registerAccessibleInterface(new BlockInterface(view))) {}
  ~TimelineInterface() override { QAccessible::deleteAccessibleInterface(m_block); }

  int childCount() const override { return block()->isValid() ? 1 : 0; }
  QAccessibleInterface* child(int index) const override {
    return index == 0 && childCount() == 1 ? block() : nullptr;
  }
  int indexOfChild(const QAccessibleInterface* child) const override { return child == block() ? 0 : -1; }
  QAccessibleInterface* focusChild() const override {
    return childCount() == 1 && widget()->hasFocus() ? block() : nullptr;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    return childCount() == 1 && block()->rect().contains(x, y) ? block() : nullptr;
  }
  QString text(QAccessible::Text kind) const override {
    if (kind == QAccessible::Value) return static_cast<TimelineView*>(widget())->currentText();
    return QAccessibleWidget::text(kind);
  }

 private:
  QAccessibleInterface* block() const { return QAccessible::accessibleInterface(m_block); }

  QAccessible::Id m_block;
};

QAccessibleInterface* makeTimelineInterface(const QString&, QObject* object) {
  auto* view = qobject_cast<TimelineView*>(object);
  return view == nullptr ? nullptr : new TimelineInterface(view);
}

}  // namespace

void installTimelineAccessibility() {
  QAccessible::installFactory(makeTimelineInterface);
}

}  // namespace opscope::ui
