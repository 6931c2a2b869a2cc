// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline itself: strip of the whole run, ruler, lanes, all by mouse and by keyboard. It shows one
// repeat at a time; what is chosen is the Selection's. GUI thread; theme and selection outlive it.
#pragma once

#include <QAbstractScrollArea>
#include <QTimer>
#include <QVariantAnimation>

#include "ui/views/timeline/timeline_painter.h"
#include "ui/views/timeline/timeline_tip.h"
#include "ui/views/timeline/zoom_history.h"
#include "ui/views/widgets/picture.h"

class QMenu;

namespace opscope::ui {

class TimelineView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  TimelineView(const Theme* theme, Selection* selection, QWidget* parent = nullptr);
  ~TimelineView() override;

  /// Another repeat of the same run keeps the view; another run is shown whole. Null: nothing.
  void setTimeline(std::shared_ptr<const Timeline> timeline);
  const std::shared_ptr<const Timeline>& timeline() const { return m_scene.timeline; }
  const TimelineScene& scene() const { return m_scene; }
  /// Said in the middle while there is no timeline; empty: nothing.
  void setWaitingText(const QString& text);
  void setColour(TimelineColour colour);
  /// Off: zooms jump.
  void setAnimated(bool animated) { m_animated = animated; }

  /// The range, else the chosen call, else all calls of the chosen op, else the whole run.
  void fitSelection();
  void fitAll();
  void showTimes(double startNs, double endNs, double margin);
  /// Chooses the next or previous call that fits the search, or without one the next call of the op.
  void stepCall(int by);
  /// What the search found: its calls in this repeat, and which of them is the chosen one (from 1; 0: none).
  struct Search {
    bool active = false;
    bool counted = true;  ///< false: setHits() is waited for
    std::size_t hits = 0;
    std::size_t current = 0;
  };
  Search search() const;
  /// Answers hitsWanted(): hitsOf() for this timeline and these matches; others are dropped.
  void setHits(const std::shared_ptr<const Timeline>& timeline, const std::vector<std::uint8_t>& matches,
               std::vector<std::uint32_t> hits);
  const std::vector<std::uint8_t>& matches() const { return m_scene.matches; }
  /// Pins or unpins the chosen op, or a lane, above the others.
  void togglePin();
  void togglePin(const LaneId& lane);
  bool isPinned(const OpId& op) const;
  bool isPinned(const LaneId& lane) const;
  void unpinAll();
  /// The chosen call or step is the range.
  void markRange();
  /// Brings what was chosen elsewhere into view: the call, or the longest call of the op.
  void reveal();
  /// Chooses the chosen op's longest call, or keeps the chosen one, and comes so close that it fills a good
  /// part of the view, with what ran before and after it on both sides.
  void showChosenCall();
  void undoZoom();
  void redoZoom();
  /// When the zoom was made that can be undone, or done again; 0: there is none.
  UndoStep undoStep() const { return m_history.undoStep(); }
  UndoStep redoStep() const { return m_history.redoStep(); }
  bool standsStill() const { return !m_history.isMoving(); }
  /// What can be done with what is chosen, and with the lane of a row (-1: none).
  void fillMenu(QMenu* menu, int row = -1);
  /// "conv2d8, 3 070.6 µs, starts at 42.767 ms"; empty when no call is chosen.
  QString currentText() const;
  QRect currentRect() const;
  /// The part in view with all rows, for a file. There is a timeline.
  Picture picture(PictureFormat format) const;
  /// For keys that reach the page and not the view. False: not one of the timeline's.
  bool takeKey(QKeyEvent* event);

 Q_SIGNALS:
  /// The part of the time that is shown, or the repeat.
  void viewChanged();
  /// Lanes came, went, were folded or unfolded.
  void rowsChanged();
  /// undoStep() or redoStep() may say something else now.
  void historyChanged();
  /// What is chosen is to be seen in Ops.
  void opsRequested();
  /// search() may say something else.
  void searchChanged();
  /// Too many calls to look for hits here: setHits() is to come from the background.
  void hitsWanted();
  /// PageUp and PageDown: the repeat before or after.
  void repeatRequested(int by);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void leaveViewport();
  bool viewportEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  enum class Drag { None, Measure, Range, Pan, WindowMove, WindowStart, WindowEnd };

  void setView(const TimeScale& view, bool animate);
  void goTo(const std::optional<TimeScale>& view);
  void applyView(const TimeScale& view);
  void arrange();
  void measureWidth();
  void takeSelection();
  void takeFilter();
  void takeRange();
  void choose(std::uint32_t span, int row);
  void keepVisible(std::uint32_t span);
  /// The chosen call, else the longest of the chosen op, of those in the range if it has any; kNone: none.
  std::uint32_t spanToShow() const;
  void hoverAt(const QPoint& point);
  void showTip();
  void startDrag(QMouseEvent* event);
  void startStripDrag(double x);
  void dragStrip(double x);
  void dragTimes(const QPoint& point);
  double snapped(double ns, const QPoint& point) const;
  void pressTitle(const QPoint& point);
  void stepBlock(int by);
  /// A request or a step.
  void chooseOther(int row, std::uint32_t block);
  /// What is chosen is a call again, or nothing.
  void dropOther();
  /// False: neither a request nor a step is chosen.
  bool stepOther(int by);
  /// The first request in view. False: there is none.
  bool enterRequests();
  void showOtherTip();
  void showRow(int row);
  void tellCurrent();
  bool isStepChosen() const { return m_scene.other && m_scene.other->group == TimelineRow::Group::Steps; }
  /// A call or a step is chosen.
  bool canMark() const { return isStepChosen() || (!m_scene.other && m_scene.span != report::kNone); }
  /// The request, the step or the call that is chosen; null: none.
  const report::Span* chosenSpan() const;
  void stepRow(int by);
  bool isOwnKey(const QKeyEvent* event) const;
  bool navigate(int key);
  bool act(int key);
  double anchorX() const;
  std::uint32_t startingSpan() const;
  const TimeScale& target() const {
    return m_animation.state() == QAbstractAnimation::Running ? m_to : m_scene.scale;
  }

  Selection* m_selection;
  TimelineScene m_scene;
  TimelinePainter m_painter;
  TimelineTip* m_tip;
  QTimer m_tipTimer;
  QTimer m_settleTimer;
  QVariantAnimation m_animation;
  TimeScale m_from;
  TimeScale m_to;
  ZoomHistory m_history;
  struct Pin {
    OpId op;
    LaneId row;
    std::unique_ptr<TimelineLane> lane;  ///< of the op, in this repeat
  };
  void fillPin(Pin& pin) const;
  std::vector<ScenePin> scenePins() const;
  std::optional<LaneId> laneAt(int row) const;

  std::vector<Pin> m_pins;
  std::vector<std::uint32_t> m_hits;  ///< spans that fit the search, in rising order
  bool m_hitsKnown = true;
  QString m_waitingText;
  GroupFolds m_folds{};
  bool m_animated = true;
  bool m_choosing = false;
  bool m_mustReveal = false;
  Drag m_drag = Drag::None;
  bool m_dragMoved = false;
  bool m_dragMakesRange = false;
  QPoint m_pressed;
  QPoint m_mouse{-1, -1};
  double m_pressedNs = 0;
  TimeScale m_pressedScale;
};

/// Lets screen readers reach the current block. Call before views are made; more calls do nothing.
void installTimelineAccessibility();

}  // namespace opscope::ui
