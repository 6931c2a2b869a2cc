// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs, or two groups of runs, held against each other with what the page says of it: computed once away
// from the GUI thread, then immutable and shared.
#pragma once

#include <QHash>
#include <QString>
#include <memory>
#include <vector>

#include "engine/report/comparison.h"
#include "ui/models/chart_data.h"
#include "ui/models/run_view.h"

namespace opscope::ui {

/// One of the two runs, or a group with all its runs as one.
struct CompareSide {
  std::shared_ptr<const RunView> view;
  std::shared_ptr<const report::RunPool> pool;
  QString title;   ///< "basic_pitch.v3.so", "3 runs of basic_pitch.v3.so"
  QString detail;  ///< "main · This computer · cpu0 · 30 repeats"
};

/// A step of the way from the old total to the new one.
struct WaterfallStep {
  enum class Kind { OldTotal, Op, OtherOps, Rest, NewTotal };
  Kind kind = Kind::Op;
  int op = -1;        ///< of Comparison::ops
  int others = 0;     ///< ops that OtherOps stands for
  double fromUs = 0;  ///< where the step begins and ends
  double toUs = 0;
  double deltaUs() const { return toUs - fromUs; }
};

struct CompareView {
  CompareSide a;
  CompareSide b;
  std::shared_ptr<const report::Comparison> comparison;
  std::vector<OpId> opsA;             ///< of each op in the old run; null when it has none
  std::vector<OpId> opsB;             ///< likewise in the new run
  std::vector<report::OpKind> kinds;  ///< of each op
  std::vector<WaterfallStep> steps;

  const report::ComparedOp& op(int index) const { return comparison->ops[std::size_t(index)]; }
};

inline constexpr std::size_t kWaterfallOps = 9;

/// Both views are not null.
std::shared_ptr<const CompareView> makeCompareView(const CompareSide& a, const CompareSide& b,
                                                   const report::CompareOptions& options);

/// The side of a run: its title and its words.
CompareSide compareSideOf(const std::shared_ptr<const RunView>& view);
/// The same of a group; each document has a run, and there is at least one. Slow: for the background.
CompareSide compareSideOf(const std::vector<report::Document>& documents);

/// The op of `view` with these texts; null when it has none.
OpId findOp(const RunView& view, const report::ComparedSide& side);
/// The compared op that is `op` of `view`, or has its texts; -1 when there is none.
int comparedOpOf(const CompareView& compare, const RunView& view, const OpId& op);

/// The samples of a compared op in us, over the repeats; empty when it is not there.
std::vector<double> samplesOf(const CompareSide& side, const OpId& op);

/// Sentences of the engine call the runs A and B; here they are the old and the new one.
QString oldAndNew(const std::string& sentence, bool ofGroups = false);
/// "3 runs of net.so", "3 runs of net.so and others".
QString groupTitle(const QStringList& executables);

/// "▼", "▲", "=", "~", "+", "−", "·".
QString verdictGlyph(report::Verdict verdict);
/// "faster", "noisy", "values only".
QString verdictText(report::Verdict verdict);
/// "+275.3", "−29 355.1", with the sign always; µs.
QString signedMicroseconds(double us);
/// A change in the unit of an axis with its sign: "−11.08"; what is too small for it has a unit of its own:
/// "+3.1 µs".
QString stepText(double us, const TimeUnit& unit);
/// Which changes the steps are: "9 largest changes, then the rest", "4 ops changed, 54 did not".
QString stepsText(const CompareView& view);
/// "0.35 – 0.62", with a third digit where both ends round alike; missing without an interval.
QString intervalText(const report::ComparedOp& op);
/// "39.6 %": how much less or more; "×12.50" from twice on; missing without a ratio.
QString changeText(const std::optional<double>& ratio);

}  // namespace opscope::ui
