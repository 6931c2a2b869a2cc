// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/cli/compare_output.h"
#include "app/cli/text_table.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/report/comparison_words.h"

namespace opscope::cli {

namespace {

/// "conv2d  float32[1, 3]": shapes only where the name alone does not tell the op.
std::string nameCell(const report::ComparedOp& op, bool withShapes) {
  const report::ComparedSide& side = op.shown();
  std::string name = side.name;
  if (withShapes && !side.shapes.empty()) {
    name += " " + side.shapes;
  }
  return base::printable(name);
}

/// Names that several ops have.
std::map<std::string, int> timesOf(const report::Comparison& comparison) {
  std::map<std::string, int> times;
  for (const report::ComparedOp& op : comparison.ops) {
    ++times[op.shown().name];
  }
  return times;
}

std::string noteCell(const report::ComparedOp& op) {
  std::string note = report::noisyWords(op);
  if (!op.note.empty()) {
    report::appendNote(note, op.note);
  }
  return base::printable(note);
}

std::vector<std::string> rowOf(const report::ComparedOp& op, const std::string& name) {
  const bool tooShort = op.a && op.b && op.a->tooShort && op.b->tooShort;
  return {name,
          report::sideWords(op.a),
          report::sideWords(op.b),
          tooShort ? "" : report::changeWords(op.ratio),
          std::string(report::verdictName(op.verdict)),
          tooShort ? "" : report::intervalWords(op),
          noteCell(op)};
}

std::string sourceLine(const char* side, const std::string& source, const report::Run& run, bool hasSamples) {
  std::string line = fmt::format("{}  {}", side, source);
  if (!run.executablePath.empty()) {
    line += fmt::format(": {}, {}", run.executablePath, run.function);
  }
  if (hasSamples) {
    line += fmt::format(", {}", countText(run.repeats, "repeat", "repeats"));
  }
  return base::printable(line) + "\n";
}

}  // namespace

std::string compareText(const report::Comparison& comparison, const report::ComparisonContext& context,
                        const Console& console, std::optional<std::size_t> width) {
  std::string text = sourceLine("A", context.sourceA, *comparison.runA, comparison.hasSamples) +
                     sourceLine("B", context.sourceB, *comparison.runB, comparison.hasSamples);
  for (const std::string& difference : comparison.differences) {
    const std::string line = base::printable(difference);
    text += (width ? wrapped(line, *width, 2) : line) + "\n";
  }
  TextTable table;
  table.titles = {"Op", "A", "B", "Change", "Verdict", "95 % interval", "Note"};
  const std::map<std::string, int> times = timesOf(comparison);
  for (const report::ComparedOp& op : comparison.ops) {
    const bool isOneOfMany =
        comparison.options.matching == report::Matching::ByName && times.at(op.shown().name) > 1;
    table.rows.push_back(rowOf(op, nameCell(op, isOneOfMany)));
  }
  table.rows.push_back(rowOf(comparison.total, "Total"));
  text += "\n" + console.headed(toText(table, width)) + "\n";
  const char* const what = comparison.hasSamples ? "medians over the repeats" : "values, without samples";
  return text + fmt::format("By {}, {}: {}.\n", report::matchingName(comparison.options.matching), what,
                            report::countWords(comparison));
}

std::string failureText(const std::vector<const report::ComparedOp*>& failures, double percent) {
  constexpr std::size_t kMostNamed = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(failures.size(), kMostNamed); ++i) {
    const std::string change = report::changeWords(failures[i]->ratio);
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", base::printable(failures[i]->shown().name),
                         change.empty() ? "" : fmt::format(" ({})", change));
  }
  if (failures.size() > kMostNamed) {
    names += fmt::format(" and {} more", failures.size() - kMostNamed);
  }
  return fmt::format("Slower by more than {:g} %: {}.", percent, names);
}

}  // namespace opscope::cli
