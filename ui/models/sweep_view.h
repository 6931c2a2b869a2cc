// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep as the pages show it, and the sweeps among saved runs. Any thread; pure functions.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/report/scaling.h"
#include "ui/bridge/run_store.h"
#include "ui/models/run_view.h"

namespace opscope::ui {

struct SweepView {
  QString over;     ///< what was varied: "n", "threads"
  QString caption;  ///< "encoder.so · main · n = 1, 2, 4 · 10 repeats"
  report::Scaling scaling;
  std::vector<QString> problems;  ///< values that were not measured, in words
};

/// The ops of a run that rows of a sweep stand for, by name and device: the largest of each, and null where
/// the run has none. Parallel to `rows`; without a run all are null.
std::vector<OpId> opsOf(const RunView* run, std::span<const report::ScalingRow> rows);

/// Whether two ops are one row of a sweep, which puts all shapes of a name together; never for null ones.
inline bool isSameOp(const OpId& a, const OpId& b) {
  return !a.isNull() && !b.isNull() && a.name == b.name && a.device == b.device;
}

/// "4.14 ms", or why there is no time.
QString sweptTimeText(const report::ScalingRow& row, std::size_t value);

/// `points` in any order; values that come twice count once, the newest of them.
std::shared_ptr<const SweepView> makeSweepView(const QString& over, std::vector<report::ScalingPoint> points,
                                               std::vector<QString> problems = {});

/// Runs that were saved by one sweep: same executable, function, target and tags, and a note that ends in
/// "n=4".
struct SavedSweep {
  struct Point {
    std::int64_t value = 0;
    store::RunId id = 0;
  };
  QString over;
  QString words;              ///< "n = 1, 2, 4 · encoder.so · main"
  std::vector<Point> points;  ///< by value, at least two
  bool operator==(const SavedSweep& other) const {
    return words == other.words && idOfFirst() == other.idOfFirst();
  }
  store::RunId idOfFirst() const { return points.empty() ? 0 : points.front().id; }
};

/// Newest first; `runs` is the store's list, newest first.
std::vector<SavedSweep> savedSweeps(std::span<const store::StoredRun> runs);

/// The value that a note tells, as in "scaling, n=4"; nothing when it tells none.
struct SweptValue {
  QString over;
  std::int64_t value = 0;
};
std::optional<SweptValue> sweptValueOf(const QString& note);
QString noteOfSwept(const QString& over, std::int64_t value);

/// "1, 2, 4..8": each value once, in rising order. Empty with `problem` set when it is not such a list.
std::vector<std::int64_t> sweepValues(const QString& text, QString* problem);

/// "1, 2, 4".
QString valuesText(std::span<const std::int64_t> values);

}  // namespace opscope::ui
