// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the Ops table over report::OpTable: what a cell says and how it compares. Any thread; immutable.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/report/op_table.h"
#include "ui/models/op_matcher.h"

namespace opscope::ui {

struct OpsColumn {
  enum class Kind { Name, Duration, Percent, Count, Metric, Device, OpKind, Depth, Step, Ops, Extra, Shapes };
  Kind kind = Kind::Name;
  std::size_t index = 0;  ///< of the metric or extra column
  QString id;             ///< stable, for settings
  QString title;          ///< "Duration (µs)"
  QString fileTitle;      ///< "Duration (us)"
  QString description;
  bool shownFirst = true;
  bool isNumber = true;
};

/// What percent is a part of, and durations are told within.
enum class OpsWhole { Run, Range };

/// A document's rows with their columns.
struct OpsData {
  report::Document document;
  report::OpTable table;
  std::vector<OpsColumn> columns;
  bool isFiltered = false;            ///< made only of calls that pass the filter: all rows pass
  double largestUs = 0;               ///< share bars are scaled to it
  bool meanIsDuration = false;        ///< in all rows, or there is none: one of both columns tells it
  std::vector<std::size_t> opCounts;  ///< of coarse rows: different ops in each
  std::vector<OpId> longestOps;       ///< of coarse rows: the op with the largest part of each
};

/// Whether rows are made only of calls that pass the filter, so that they change with it.
bool isOfFilteredCalls(report::Grouping grouping, const OpFilter& filter);

/// `document.run` is not null. Coarse rows are made of the calls that pass `filter`, and those of ops when it
/// tells calls of one op apart; for the others it does not matter here.
std::shared_ptr<const OpsData> makeOpsData(const report::Document& document, report::Grouping grouping,
                                           OpsWhole whole = OpsWhole::Run, const OpFilter& filter = {});

/// Some calls of a document in rows of their own: what a row unfolds to. The columns are those of the whole.
/// `grouping` is ByOp or EachCall.
std::shared_ptr<const OpsData> makeMembers(const OpsData& whole, report::Grouping grouping,
                                           std::span<const std::uint32_t> calls);

/// All ops of a row are of one kind.
bool hasKind(report::Grouping grouping);

/// The value of a number column; empty when missing.
std::optional<double> numberOf(const OpsData& data, std::uint32_t row, const OpsColumn& column);
/// The text of a text column.
std::string_view textOf(const OpsData& data, std::uint32_t row, const OpsColumn& column);
/// What the screen shows, and what a copied cell holds.
QString shownText(const OpsData& data, std::uint32_t row, const OpsColumn& column);
QString plainText(const OpsData& data, std::uint32_t row, const OpsColumn& column);

/// Rows that pass `filter`, sorted by columns[column] (below 0: the table's own order). Missing values come
/// last in both directions; equal rows keep the table's order.
std::vector<std::uint32_t> orderRows(const OpsData& data, const OpFilter& filter, int column,
                                     Qt::SortOrder order);

/// Regrouping and sorting take a few milliseconds, and a queued answer would only flicker.
bool isSmall(const report::Run& run);

}  // namespace opscope::ui
