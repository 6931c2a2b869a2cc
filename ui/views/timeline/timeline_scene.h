// SPDX-License-Identifier: GPL-3.0-or-later
// What the Timeline shows at a moment, as plain data: rows with their places, view, what is chosen and what
// the mouse is at. The view fills it, the painter reads it. GUI thread; no widgets.
#pragma once

#include <QRect>
#include <memory>
#include <optional>
#include <vector>

#include "ui/models/selection.h"
#include "ui/models/timeline_data.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

/// Which lane a row shows: it stays the same in other repeats.
struct LaneId {
  TimelineRow::Group group = TimelineRow::Group::Vm;
  std::uint32_t key = 0;   ///< as TimelineRow::key
  std::uint32_t part = 0;  ///< 0: the first of its key
  bool operator==(const LaneId&) const = default;
};

/// Of each group, by TimelineRow::Group.
using GroupFolds = std::array<bool, 6>;

/// Blocks of these groups are the calls of the repeat.
constexpr bool holdsCalls(TimelineRow::Group group) {
  return group != TimelineRow::Group::Pool && group != TimelineRow::Group::Rpc &&
         group != TimelineRow::Group::Steps;
}

/// Blocks of these groups can be chosen though they are no calls.
constexpr bool holdsOthers(TimelineRow::Group group) {
  return group == TimelineRow::Group::Rpc || group == TimelineRow::Group::Steps;
}

/// A request or a step: index into the spans of the timeline's traffic or steps.
struct OtherBlock {
  TimelineRow::Group group = TimelineRow::Group::Rpc;
  std::uint32_t span = report::kNone;
};

/// What the painter needs of a piece's call, fetched once a layout: the calls lie all over the memory.
struct PieceLook {
  std::uint32_t op = report::kNone;
  bool isFunction = false;  ///< it made other calls
  bool isKernel = false;
  const Fill* fill = nullptr;  ///< of what is no call; null: that of the op
};

struct SceneRow {
  enum class Kind {
    PinnedOp,  ///< all calls of a pinned op
    Header,    ///< the title of a group, with a thin lane when it is folded
    Frame,     ///< the function that was run, from start to end
    Lane,
    Curve,  ///< memory
  };
  Kind kind = Kind::Lane;
  TimelineRow::Group group = TimelineRow::Group::Vm;
  std::optional<LaneId> id;  ///< of a lane that can be pinned
  std::uint32_t pinnedOp = report::kNone;
  bool pinned = false;       ///< among the rows that stay above the others
  bool startsGroup = false;  ///< a hairline above, and the chevron
  bool folded = false;
  bool foldable = false;  ///< of the RPC group, which may have nothing to unfold
  bool twoLines = false;
  int top = 0;  ///< below the ruler, or below the pinned rows and before scrolling
  int height = 0;
  int blockTop = 0;  ///< within the row
  int blockHeight = 0;
  const TimelineLane* lane = nullptr;  ///< null: nothing to hit
  bool plainKernels = false;           ///< kernels in grey: they have their colour in the rows of devices
  QString title;
  QString detail;
  QString note;  ///< in words, where there are no blocks

  LaneLayout layout;                          ///< in device pixels, of `layoutScale`
  std::vector<PieceLook> looks;               ///< parallel to layout.pieces
  std::vector<CurveColumn> storage, tensors;  ///< of a curve; the same
  TimeScale layoutScale{0, 0, 0};

  bool showsCurve() const { return kind == Kind::Curve && note.isEmpty(); }
};

/// What lies under a point.
struct SceneHit {
  int row = -1;
  std::uint32_t block = report::kNone;
  /// Merged calls: blocks [firstBlock, endBlock) of the row's lane.
  bool merged = false;
  std::uint32_t firstBlock = 0;
  std::uint32_t endBlock = 0;
  bool curve = false;  ///< within the memory curve
  bool isBlock() const { return row >= 0 && block != report::kNone; }
  bool tells() const { return isBlock() || curve; }
  bool operator==(const SceneHit&) const = default;
};

/// What is kept above the lanes: all calls of an op, or a lane.
struct ScenePin {
  OpId op;                             ///< null: `row` it is
  const TimelineLane* lane = nullptr;  ///< of the op
  LaneId row;
};

class TimelineScene {
 public:
  explicit TimelineScene(const Theme* look) : theme(look) {}

  const Theme* theme;
  std::shared_ptr<const Timeline> timeline;
  TimeScale scale;
  QSize size;
  double pixelRatio = 1;
  int scrollY = 0;
  TimelineColour colour = TimelineColour::Kind;
  std::uint32_t op = report::kNone;    ///< chosen: index into TimelineOps::ops
  std::uint32_t span = report::kNone;  ///< the chosen call's, in this repeat
  std::optional<OtherBlock> other;     ///< chosen though it is no call; it stands before `span`
  int currentRow = -1;                 ///< where the keyboard is
  bool hasFocus = false;
  bool isPicture = false;             ///< painted into a file: no caches, nothing that only a screen can do
  std::vector<std::uint8_t> matches;  ///< by op; empty: no search
  std::optional<TimeRange> range;
  std::optional<std::pair<double, double>> measure;  ///< while dragging, in ns
  std::optional<int> cursorX;                        ///< within the viewport
  SceneHit hover;
  int hoverTitle = -1;         ///< the row whose title the mouse is at
  std::vector<SceneRow> rows;  ///< first the pinned ones
  int pinnedHeight = 0;        ///< they stay at their place while the others scroll

  int titleWidth() const { return theme->px(150); }
  int stripHeight() const { return theme->px(44); }
  int rulerHeight() const { return theme->px(24); }
  int lanesTop() const { return stripHeight() + rulerHeight(); }
  int lanesHeight() const { return std::max(0, size.height() - lanesTop()); }
  int scrollTop() const { return lanesTop() + pinnedHeight; }
  int scrollHeight() const { return std::max(0, size.height() - scrollTop()); }
  QRect strip() const;
  QRect ruler() const;
  QRect lanes() const;
  /// The part of lanes() in which a row may be seen.
  QRect placeOf(const SceneRow& row) const;
  /// Of the rows that scroll.
  int contentHeight() const;

  /// Makes `rows` for the timeline.
  void arrange(const std::vector<ScenePin>& pins, const GroupFolds& folds);
  /// Computes the layout of a row if the view has changed since.
  void updateLayout(SceneRow& row) const;

  /// Where a time lies on the strip.
  double stripX(double ns) const;
  int xOf(double ns) const { return titleWidth() + int(std::lround(scale.toPixel(ns))); }
  double timeAt(double x) const { return scale.toTime(x - titleWidth()); }
  /// Of the row on screen.
  QRect rowRect(const SceneRow& row) const;
  /// Of a block on screen, at least 2 px wide, not cut at the edges of the view.
  QRectF blockRect(const SceneRow& row, std::uint32_t block) const;
  int rowAt(int y) const;
  /// Blocks count from 3 px beside them on.
  SceneHit hitAt(const QPoint& point);
  /// The row for the span `wanted`; prefers `preferred`. -1 when no row has it.
  int rowOfSpan(std::uint32_t wanted, int preferred) const;
  std::uint32_t blockOf(int row, std::uint32_t wanted) const;
  /// The block of what is chosen: in a row of requests or steps of such a one, else of the call.
  std::uint32_t currentBlock(int row) const;
  /// The call of a block, as an index into the timeline's spans; kNone for a task without a call.
  std::uint32_t spanOf(const SceneRow& row, std::uint32_t block) const;

  QString nameOf(const report::Span& ofSpan) const;
  /// "copy to board 1.2 MiB": of a span of the timeline's traffic.
  QString requestText(const report::Span& ofSpan) const;
  /// "decode #2": of a span of the timeline's steps.
  QString stepText(const report::Span& ofSpan) const;
  /// Of the traffic or the steps.
  std::span<const report::Span> otherSpans(TimelineRow::Group group) const;
  const Fill& fillOfRequest(report::TrafficKind kind) const;
  const Fill& fillOf(std::uint32_t ofOp) const;
  const Fill& fillOfSlot(std::size_t slot) const;
  bool isDimmed(std::uint32_t ofOp) const { return ofOp < matches.size() && matches[ofOp] == 0; }

 private:
  void fillLooks(SceneRow& row) const;
  const Fill* findFill(std::size_t slot) const;
  std::uint32_t taskOf(const SceneRow& row, std::uint32_t wanted) const;
  std::optional<SceneRow> pinnedRow(const ScenePin& pin) const;
  void addVmRows(bool folded);
  void addKernelRows(bool folded);
  void addPoolRows(bool folded);
  void addRpcRows(bool folded);
  void addMemoryRow(bool folded);
  SceneRow header(TimelineRow::Group group, const QString& title, bool folded) const;
  SceneRow laneRow(const TimelineRow& lane, std::uint32_t part) const;
  void add(SceneRow row);

  /// The theme finds fills by their names, which is too slow for each block.
  mutable std::array<std::array<const Fill*, kColourSlots>, kTimelineColours> m_fills{};
};

/// "3 070.6 µs"; from ten seconds on with the unit of the axis.
QString blockTime(double ns);

/// `part` of `over` on `under`.
QColor mixed(const QColor& under, const QColor& over, double part);

}  // namespace opscope::ui
