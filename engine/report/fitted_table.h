// SPDX-License-Identifier: Apache-2.0
// The table of a report laid out for a terminal: TVM's columns within a given width, and over several repeats
// the median and the standard deviation where there is room. For reading only; toTable is the table for
// files. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/report/run.h"
#include "engine/report/table.h"

namespace opscope::report {

struct FittedTable {
  std::string text;                 ///< lines of at most the width, the first one the titles
  bool shortened = false;           ///< some cell was cut
  std::vector<std::string> hidden;  ///< titles of TVM's columns that found no room
};

/// Names are cut in their middle, argument shapes (and other texts) at their end. Numbers are always whole.
/// Where even short texts do not fit, columns are left out from the right; Name, Duration and Percent never
/// are, so that below about 50 columns lines may be longer than `width`. `document.run` and `document.report`
/// are not null.
FittedTable toFittedTable(const Document& document, const TableOptions& options, std::size_t width);

}  // namespace opscope::report
