// SPDX-License-Identifier: GPL-3.0-or-later
// What is chosen, for the whole program: the current op and call, the range of time, the filter. GUI thread;
// the workspace owns it. A row, a bar, a block and a kernel in the tree are the same op: choosing it anywhere
// chooses it everywhere.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "engine/report/run.h"
#include "ui/models/undo_step.h"

namespace opscope::ui {

/// An op by its indices in the document's Run; null when name is kNone.
struct OpId {
  std::uint32_t name = report::kNone;
  std::uint32_t shapes = report::kNone;
  std::uint32_t device = report::kNone;
  bool isNull() const { return name == report::kNone; }
  bool operator==(const OpId&) const = default;
};

OpId opOf(const report::Call& call);

/// A part of one repeat's time.
struct TimeRange {
  double startNs = 0;
  double endNs = 0;
  std::uint32_t repeat = 0;
  bool operator==(const TimeRange&) const = default;
};

/// What the colours of blocks, bars and boxes mean, the same on all pages.
enum class ColourBy { Kind, Device, Op };
inline constexpr std::size_t kColourModes = 3;

struct OpFilter {
  QString text;
  bool isRegularExpression = false;
  bool isEmpty() const { return text.isEmpty(); }
  bool operator==(const OpFilter&) const = default;
};

class Selection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const OpId& op() const { return m_op; }
  /// Index into Run::calls of the one call that was chosen, when it was one call.
  std::optional<std::uint32_t> call() const { return m_call; }
  const std::optional<TimeRange>& range() const { return m_range; }
  const OpFilter& filter() const { return m_filter; }
  ColourBy colourBy() const { return m_colourBy; }

  void setOp(const OpId& op);
  /// Chooses one call and with it its op.
  void setCall(const report::Run& run, std::uint32_t call);
  void setRange(const std::optional<TimeRange>& range);
  /// Filters can be undone; typing on within one filter is one step.
  void setFilter(const OpFilter& filter);
  void setColourBy(ColourBy colourBy);
  /// When the filter was set that undo() takes back, or redo() sets again; 0: there is none.
  UndoStep undoStep() const { return m_past.empty() ? 0 : m_past.back().step; }
  UndoStep redoStep() const { return m_future.empty() ? 0 : m_future.back().step; }
  void undo();
  void redo();
  /// Forgets what was chosen of a document: another one is shown.
  void reset();
  /// What Esc does: clears the filter, else the range, else the op. False when nothing was left to clear.
  bool clearOne();

 Q_SIGNALS:
  void opChanged();
  void rangeChanged();
  void filterChanged();
  void colourChanged();

 private:
  void applyFilter(const OpFilter& filter);

  OpId m_op;
  std::optional<std::uint32_t> m_call;
  std::optional<TimeRange> m_range;
  OpFilter m_filter;
  ColourBy m_colourBy = ColourBy::Kind;
  struct Step {
    OpFilter filter;
    UndoStep step = 0;
  };
  void goBack(std::vector<Step>& from, std::vector<Step>& to);

  std::vector<Step> m_past;
  std::vector<Step> m_future;
};

}  // namespace opscope::ui
