// SPDX-License-Identifier: Apache-2.0
// The rows of the Ops page and of summaries: each call, or calls grouped by op, with typed columns and
// statistics over repeats. Built once from a Document, then immutable; building and reading in any thread.
// Texts stay in the Run; rows hold indices, so that a million calls are quick.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/report/kinds.h"
#include "engine/report/run.h"
#include "engine/report/statistics.h"

namespace opscope::report {

enum class Grouping {
  EachCall,  ///< one row for each call of the report, in order of execution
  ByOp,  ///< one row for each Name (Hash, where a report has it), Argument Shapes and Device; longest first
  ByName,
  ByKind,
  ByDevice,
  ByShapes,
  ByDepth,  ///< VM frames around the call
  ByStep,   ///< step of a scenario; in order of the steps
};

/// Whether its rows are larger than ops: sums over ops that share one thing.
inline bool isCoarse(Grouping grouping) {
  return grouping != Grouping::EachCall && grouping != Grouping::ByOp;
}

/// One row. Indices point into the document's Run; kNone where the report does not tell, and where the calls
/// of a coarse row differ.
struct OpRow {
  std::uint32_t name = 0;
  std::uint32_t shapes = kNone;
  std::uint32_t device = kNone;
  OpKind kind = OpKind::Other;
  std::uint32_t depth = kNone;    ///< VM frames around its calls; kNone: they differ
  std::uint32_t step = kNone;     ///< of Run::steps; kNone: they differ
  bool kernel = false;            ///< calls a kernel of the library
  double durationUs = 0;          ///< own time of one repeat: the mean over repeats, summed over the calls
  std::optional<double> percent;  ///< 0 to 100; empty when the report does not tell
  std::int64_t count = 0;         ///< calls in one repeat
  std::uint64_t firstCall = 0;    ///< calls of the row are OpTable::calls[firstCall, firstCall + callCount)
  std::uint32_t callCount = 0;
};

/// A further column of an imported report (Hash, hardware counters, ...).
struct ExtraColumn {
  enum class Type { Count, Duration, Percent, Ratio, Text };
  std::string title;
  Type type = Type::Text;
  std::vector<std::optional<double>> numbers;  ///< one value a row, empty for Text
  std::vector<std::string> texts;              ///< one value a row, empty unless Text
};

/// The numbers above and below the rows.
struct OpTotals {
  double totalUs = 0;                ///< mean over repeats, of the device with the largest
  double opsUs = 0;                  ///< sum over the rows
  double betweenUs = 0;              ///< between ops: total - ops, at least 0
  std::optional<double> opsPercent;  ///< ops' part of the total, 0 to 100
  std::optional<double> betweenPercent;
  double medianTotalUs = 0;  ///< the headline: median over repeats
  Statistics total;          ///< of the total over repeats, in us
  std::uint32_t repeats = 0;
  std::int64_t calls = 0;  ///< sum of the rows' counts
};

struct OpTable {
  Grouping grouping = Grouping::EachCall;
  std::vector<OpRow> rows;
  std::vector<std::uint32_t> calls;    ///< indices into Run::calls, row by row, each in order of execution
  std::vector<Statistics> statistics;  ///< one a row, in us; empty with fewer than 2 repeats
  std::vector<ExtraColumn> extras;
  OpTotals totals;

  std::span<const std::uint32_t> callsOf(const OpRow& row) const {
    return {calls.data() + row.firstCall, row.callCount};
  }
};

/// `document.run` is not null; `document.report` may be (then there are no further columns).
OpTable buildOpTable(const Document& document, Grouping grouping);

/// Of those calls only that `takes`; the totals stay those of all.
OpTable buildOpTable(const Document& document, Grouping grouping,
                     const std::function<bool(const Call&)>& takes);

/// The samples of a row, in us, in order of repeats: for each repeat in which one of `calls` was made, the
/// sum of their own times.
std::vector<double> samplesOf(const Run& run, std::span<const std::uint32_t> calls);

/// Own times of one call, in ns, and its repeats. No bounds are checked.
std::span<const double> ownSamples(const Run& run, const Call& call);

/// Text of a row's cell, empty for kNone.
std::string_view nameOf(const Run& run, const OpRow& row);
std::string_view shapesOf(const Run& run, const OpRow& row);
std::string_view deviceOf(const Run& run, const OpRow& row);
std::string_view stepOf(const Run& run, const OpRow& row);

}  // namespace opscope::report
