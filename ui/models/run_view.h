// SPDX-License-Identifier: GPL-3.0-or-later
// A document with what the pages say of it, computed once away from the GUI thread, then immutable (but for
// what is remembered of the chosen op) and shared.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/report/op_table.h"
#include "ui/models/selection.h"

namespace opscope::ui {

/// Summary's headlines, in us.
struct RunFigures {
  double totalUs = 0;  ///< median over repeats
  double minUs = 0;
  double maxUs = 0;
  std::optional<double> kernelsUs;  ///< median over repeats of the sum of kernels; empty when none is known
  std::optional<double> kernelsPercent;
  /// The ops take more than the total: calls nest, or run at the same time. There is no part and no rest
  /// then.
  bool opsOverlap = false;
  std::optional<double> betweenUs;  ///< the rest of the total
  std::optional<double> betweenPercent;
  std::optional<double> noisePercent;  ///< standard deviation / mean of totals; empty with one repeat
  std::vector<double> totalsUs;        ///< of each repeat
};

/// A note of "What to know before you trust these numbers".
struct RunNote {
  bool isWarning = true;
  QString title;
  QString detail;
};

/// What the Inspector shows of one op, or of one call of it.
struct OpDetails {
  OpId op;
  QString name;
  QString device;
  QString shapes;
  report::OpKind kind = report::OpKind::Other;
  bool kernel = false;
  std::int64_t count = 0;
  double durationUs = 0;
  std::optional<double> percent;
  std::vector<double> samplesUs;     ///< over repeats
  report::Statistics statistics;     ///< of samplesUs
  std::vector<double> callsUs;       ///< mean of each call
  std::vector<std::uint32_t> calls;  ///< indices into Run::calls
  std::size_t reportCalls = 0;       ///< calls of the whole report
};

struct RunView {
  report::Document document;
  report::OpTable byOp;
  RunFigures figures;
  std::vector<RunNote> notes;
  QString rangeText;  ///< "1.2 – 3.4 ms of repeat 3" when this is a part of a run, else empty
  /// What detailsOf() told last: all who show the chosen op ask one after the other. GUI thread only.
  mutable std::shared_ptr<const OpDetails> lastDetails;

  const report::Run& run() const { return *document.run; }
  /// The run holds fewer repeats than were asked for.
  bool isPartial() const { return run().repeats < run().repeatsWanted; }
  /// "30" or "7 of 30".
  QString repeatsText() const;
  /// "basic_pitch.so".
  QString fileName() const;
};

/// `document.run` is not null.
std::shared_ptr<const RunView> makeRunView(const report::Document& document);

/// Null when the document has no such op. GUI thread.
std::shared_ptr<const OpDetails> detailsOf(const RunView& view, const OpId& op);

/// One tensor argument, told from the text of shapes: "float32[1, 272, 14, 14]" and its bytes (0: unknown).
struct ArgumentText {
  QString text;
  double bytes = 0;
};
std::vector<ArgumentText> argumentsOf(const QString& shapes);

}  // namespace opscope::ui
