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

struct SceneRow {
  enum class Kind {
    Pinned,  ///< all calls of the pinned op
    Header,  ///< the title of a group, with a thin lane when it is folded
    Frame,   ///< the function that was run, from start to end
    Lane,
  };
  Kind kind = Kind::Lane;
  TimelineRow::Group group = TimelineRow::Group::Vm;
  bool startsGroup = false;  ///< a hairline above, and the chevron
  bool folded = false;
  bool twoLines = false;
  int top = 0;  ///< below the ruler, before scrolling
  int height = 0;
  int blockTop = 0;  ///< within the row
  int blockHeight = 0;
  const TimelineLane* lane = nullptr;  ///< null: nothing to hit
  bool plainKernels = false;           ///< kernels in grey: they have their colour in the rows of devices
  QString title;
  QString detail;

  LaneLayout layout;  ///< in device pixels, of `layoutScale`
  TimeScale layoutScale{0, 0, 0};
};

/// What lies under a point.
struct SceneHit {
  int row = -1;
  std::uint32_t block = report::kNone;
  /// Merged calls: blocks [firstBlock, endBlock) of the row's lane.
  bool merged = false;
  std::uint32_t firstBlock = 0;
  std::uint32_t endBlock = 0;
  bool isBlock() const { return row >= 0 && block != report::kNone; }
  bool operator==(const SceneHit&) const = default;
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
  int currentRow = -1;                 ///< where the keyboard is
  bool hasFocus = false;
  std::vector<std::uint8_t> matches;  ///< by op; empty: no search
  std::optional<TimeRange> range;
  std::optional<std::pair<double, double>> measure;  ///< while dragging, in ns
  std::optional<int> cursorX;                        ///< within the viewport
  SceneHit hover;
  std::vector<SceneRow> rows;

  int titleWidth() const { return theme->px(150); }
  int stripHeight() const { return theme->px(44); }
  int rulerHeight() const { return theme->px(24); }
  int lanesTop() const { return stripHeight() + rulerHeight(); }
  int lanesHeight() const { return std::max(0, size.height() - lanesTop()); }
  QRect strip() const;
  QRect ruler() const;
  QRect lanes() const;
  int contentHeight() const { return rows.empty() ? 0 : rows.back().top + rows.back().height; }

  /// Makes `rows` for the timeline; `pinned` may be null.
  void arrange(const TimelineLane* pinned, std::uint32_t pinnedOp, bool vmFolded, bool kernelsFolded);
  /// Computes the layout of a row if the view has changed since.
  void updateLayout(SceneRow& row) const;

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

  QString nameOf(const report::Span& ofSpan) const;
  const Fill& fillOf(std::uint32_t ofOp) const;
  const Fill& fillOfSlot(std::size_t slot) const;
  bool isDimmed(std::uint32_t ofOp) const { return ofOp < matches.size() && matches[ofOp] == 0; }

 private:
  const Fill* findFill(std::size_t slot) const;
  void addVmRows(bool folded);
  void addKernelRows(bool folded);
  void add(SceneRow row);

  /// The theme finds fills by their names, which is too slow for each block.
  mutable std::array<std::array<const Fill*, kColourSlots>, kTimelineColours> m_fills{};
};

/// `part` of `over` on `under`.
QColor mixed(const QColor& under, const QColor& over, double part);

}  // namespace opscope::ui
