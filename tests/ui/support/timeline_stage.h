// SPDX-License-Identifier: GPL-3.0-or-later
// A Timeline page with all that it needs, driven by real events. GUI thread.
#pragma once

#include <QtTest>

#include "ui/shell/application.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui::testing {

struct TimelineStage {
  Theme look;
  Selection selection;
  std::unique_ptr<Background> background = std::make_unique<Background>();
  std::unique_ptr<TimelinePage> page;

  explicit TimelineStage(const report::Document& document, QSize size = {1110, 720},
                         ThemeChoice theme = ThemeChoice::Light) {
    dressApplication(&look, theme);
    page = std::make_unique<TimelinePage>(PageContext{&look, &selection, background.get()});
    page->setAnimated(false);
    page->resize(size);
    page->show();
    page->setDocument(document);
  }
  ~TimelineStage() { background.reset(); }

  TimelineView* view() { return page->view(); }
  const TimelineScene& scene() { return view()->scene(); }
  bool isReady(std::uint32_t repeat = 0) {
    return view()->timeline() != nullptr && view()->timeline()->repeat() == repeat;
  }
  void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(view(), Qt::Key(key), modifiers);
  }
  int rowOf(TimelineRow::Group group, SceneRow::Kind kind = SceneRow::Kind::Lane) {
    for (int i = 0; i < int(scene().rows.size()); ++i) {
      const SceneRow& row = scene().rows[std::size_t(i)];
      if (row.group == group && row.kind == kind && !row.pinned) return i;
    }
    return -1;
  }
  int rowOfKernels() { return rowOf(TimelineRow::Group::Kernels); }
  /// The middle of the widest block of a row.
  QPoint blockPoint(int row) {
    const SceneRow& shown = scene().rows[std::size_t(row)];
    const LaneLayout layout = shown.lane->layout(scene().scale);
    LanePiece widest;
    for (const LanePiece& piece : layout.pieces) {
      if (!piece.merged && piece.x1 - piece.x0 > widest.x1 - widest.x0) widest = piece;
    }
    return {scene().titleWidth() + (widest.x0 + widest.x1) / 2,
            scene().rowRect(shown).top() + shown.blockTop + shown.blockHeight / 2};
  }
  void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWidget* area = view()->viewport();
    QTest::mousePress(area, Qt::LeftButton, modifiers, from);
    send(QEvent::MouseMove, (from + to) / 2, modifiers, Qt::LeftButton);
    send(QEvent::MouseMove, to, modifiers, Qt::LeftButton);
    QTest::mouseRelease(area, Qt::LeftButton, modifiers, to);
  }
  void send(QEvent::Type type, QPoint point, Qt::KeyboardModifiers modifiers = Qt::NoModifier,
            Qt::MouseButtons buttons = Qt::NoButton) {
    QWidget* area = view()->viewport();
    QMouseEvent event(type, point, area->mapToGlobal(point), Qt::NoButton, buttons, modifiers);
    QCoreApplication::sendEvent(area, &event);
  }
  /// With the environment variable OPSCOPE_PICTURES naming a folder the page is kept there.
  void keep(const QString& name) {
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (!folder.isEmpty()) QVERIFY(page->grab().save(QStringLiteral("%1/%2.png").arg(folder, name)));
  }
};

}  // namespace opscope::ui::testing
