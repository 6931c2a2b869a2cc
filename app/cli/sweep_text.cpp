// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/sweep_output.h"
#include "app/cli/text_table.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/report/csv.h"
#include "engine/report/measuring_limit.h"
#include "engine/report/quantity_words.h"

namespace opscope::cli {

namespace {

std::vector<std::string> cellsOf(const report::ScalingRow& row, const std::string& variable) {
  std::vector<std::string> cells = {base::printable(row.name), report::growthWords(row, variable),
                                    row.fit ? fmt::format("{:.3f}", row.fit->rSquared) : ""};
  for (std::size_t i = 0; i < row.us.size(); ++i) {
    const std::string time = row.us[i] ? report::timeWords(*row.us[i]) : "failed";
    cells.push_back(row.tooShort[i] ? std::string(report::kTooShort) : time);
  }
  return cells;
}

void appendCsvRow(std::string& text, std::int64_t value, const report::ScalingRow& row, double us) {
  text += fmt::format("{},{},{},{}\n", value, report::csvField(row.name), report::csvField(row.device), us);
}

}  // namespace

std::string pointName(const SweepOptions& options, std::int64_t value) {
  return fmt::format("{}={}", options.over, value);
}

std::string sweepText(const SweepOptions& options, const report::Scaling& scaling, const Console& console,
                      std::optional<std::size_t> width) {
  TextTable table;
  table.titles = {"Op", "Growth", "R²"};
  for (const std::int64_t value : scaling.values) {
    table.titles.push_back(pointName(options, value));
  }
  const std::string variable = options.over;
  for (const report::ScalingRow& row : scaling.rows) {
    table.rows.push_back(cellsOf(row, variable));
  }
  table.rows.push_back(cellsOf(scaling.total, variable));
  const std::string note = fmt::format(
      "Medians of {}. Growth is the exponent of {} that fits best, where 3 values or more allow one.",
      countText(options.repeats, "repeat", "repeats"), options.over);
  return console.headed(toText(table, width)) + "\n" + (width ? wrapped(note, *width, 0) : note) + "\n";
}

std::string sweepCsv(const SweepOptions& options, const report::Scaling& scaling) {
  std::string text = fmt::format("{},Name,Device,Median (us)\n", report::csvField(options.over));
  for (std::size_t i = 0; i < scaling.values.size(); ++i) {
    for (const report::ScalingRow& row : scaling.rows) {
      if (row.us[i]) {
        appendCsvRow(text, scaling.values[i], row, *row.us[i]);
      }
    }
    if (scaling.total.us[i]) {
      appendCsvRow(text, scaling.values[i], scaling.total, *scaling.total.us[i]);
    }
  }
  return text;
}

}  // namespace opscope::cli
