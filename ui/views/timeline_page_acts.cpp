// SPDX-License-Identifier: GPL-3.0-or-later
// What the Timeline page can do, as commands. Keys of the lanes do the same when the lanes have the focus.
#include <QKeyEvent>
#include <QToolButton>

#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {
namespace {

struct LaneKey {
  const char* id;
  const char* text;
  const char* tooltip;
  const char* keys;
  int key;
  Qt::KeyboardModifier modifier = Qt::NoModifier;
};

constexpr LaneKey kLaneKeys[] = {
    {"timeline.zoomIn", "Zoom in", "See a shorter time, larger", "W", Qt::Key_W},
    {"timeline.zoomOut", "Zoom out", "See a longer time", "S", Qt::Key_S},
    {"timeline.left", "Move to earlier", "See what came before", "A", Qt::Key_A},
    {"timeline.right", "Move to later", "See what came after", "D", Qt::Key_D},
    {"timeline.fit", "Zoom to the selection", "Fit the selection into the view, or all without one", "F",
     Qt::Key_F},
    {"timeline.nextCall", "Next call of the op", "Choose the next call of the op, or the next found one", ".",
     Qt::Key_Period},
    {"timeline.previousCall", "Previous call of the op", "Choose the call before", ",", Qt::Key_Comma},
    {"timeline.range", "Measure a range from the selection",
     "Mark the time of the selection; Ops and Charts hold only what lies within", "M", Qt::Key_M},
    {"timeline.pin", "Pin the op", "Keep the calls of the op in a lane at the top", "P", Qt::Key_P},
    {"timeline.pinLane", "Pin the lane", "Keep the lane at the top", "Shift+P", Qt::Key_P, Qt::ShiftModifier},
    {"timeline.fold", "Fold the group of lanes", "Fold the lanes of the same group", "-", Qt::Key_Minus},
    {"timeline.unfold", "Unfold the group of lanes", "Unfold the lanes of the same group", "+", Qt::Key_Plus},
    {"timeline.start", "Go to the start", "See the start of the repeat", "Home", Qt::Key_Home},
    {"timeline.end", "Go to the end", "See the end of the repeat", "End", Qt::Key_End},
    {"timeline.previousRepeat", "Previous repeat", "Show the repeat before", "PgUp", Qt::Key_PageUp},
    {"timeline.nextRepeat", "Next repeat", "Show the next repeat", "PgDown", Qt::Key_PageDown}};

}  // namespace

std::vector<PageAct> TimelinePage::acts() {
  const auto filled = [this]() { return run() != nullptr && m_view->timeline() != nullptr; };
  std::vector<PageAct> list;
  for (const LaneKey& lane : kLaneKeys) {
    list.push_back({lane.id, QString::fromUtf8(lane.text), QString::fromUtf8(lane.tooltip), nullptr,
                    lane.keys,
                    [this, &lane]() {
                      QKeyEvent press(QEvent::KeyPress, lane.key, lane.modifier);
                      m_view->takeKey(&press);
                    },
                    filled});
  }
  list.push_back({"timeline.all", QStringLiteral("Show the whole repeat"),
                  QStringLiteral("Fit the repeat that is shown into the view"), "Ctrl+K, W", nullptr,
                  [this]() { m_view->fitAll(); }, filled});
  list.push_back({"timeline.unpin", QStringLiteral("Unpin all"), QStringLiteral("Take away all pinned lanes"),
                  "Ctrl+K, U", nullptr, [this]() { m_view->unpinAll(); }, filled});
  list.push_back({"timeline.save", QStringLiteral("Save the timeline as a picture"), m_save->toolTip(),
                  "Ctrl+K, T", nullptr, [this]() { m_save->click(); }, filled});
  return list;
}

}  // namespace opscope::ui
