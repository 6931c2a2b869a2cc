// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "engine/base/printable.h"
#include "engine/report/comparison_formats.h"
#include "engine/report/comparison_words.h"
#include "engine/report/json_text.h"
#include "engine/report/quantity_words.h"

namespace opscope::report {

namespace {

constexpr std::size_t kMostRows = 200;  // comments have a limit of length

/// Text that Markdown shows as it is, also within a table.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : base::printable(wellFormed(text))) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '@':
        out += "&#64;";  // names nobody
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '{':
      case '}':
      case '[':
      case ']':
      case '|':
      case '#':
      case '~':
        out += '\\';
        [[fallthrough]];
      default:
        out += letter;
    }
  }
  return out;
}

/// The name of a file alone: folders of one machine say nothing to others.
std::string shortSource(const std::string& source) {
  const std::string name = std::filesystem::path(source).filename().string();
  return escaped(name.empty() ? source : name);
}

bool isChanged(const ComparedOp& op, const ComparisonContext& context) {
  return op.verdict == Verdict::Slower || op.verdict == Verdict::Faster || op.verdict == Verdict::New ||
         op.verdict == Verdict::Gone || isFailure(op, context);
}

void appendRow(std::string& out, const ComparedOp& op, const ComparisonContext& context) {
  const bool fails = isFailure(op, context);
  std::string note = op.note;
  if (op.verdict == Verdict::TooNoisy) appendNote(note, noisyWords(op));
  const std::string mark = fails ? "**" : "";
  out += fmt::format(
      "| {} | {} | {} | {} | {} | {}{}{} | {} |\n", escaped(op.shown().name), escaped(op.shown().shapes),
      sideWords(op.a), sideWords(op.b),
      op.ratioLow ? fmt::format("{} ({})", changeWords(op.ratio), intervalWords(op)) : changeWords(op.ratio),
      mark, verdictName(op.verdict), mark, escaped(note));
}

void appendTable(std::string& out, const std::vector<const ComparedOp*>& ops,
                 const ComparisonContext& context) {
  out += "| Op | Shapes | A | B | Change (95 % interval) | Verdict | Note |\n";
  out += "|:---|:---|---:|---:|---:|:---|:---|\n";
  for (std::size_t i = 0; i < std::min(ops.size(), kMostRows); ++i) appendRow(out, *ops[i], context);
  if (ops.size() > kMostRows) out += fmt::format("\n{} more ops are not listed.\n", ops.size() - kMostRows);
}

}  // namespace

std::string toMarkdown(const Comparison& comparison, const ComparisonContext& context) {
  std::vector<const ComparedOp*> changed;
  std::vector<const ComparedOp*> others;
  for (const ComparedOp& op : comparison.ops) (isChanged(op, context) ? changed : others).push_back(&op);
  const ComparedOp& total = comparison.total;
  std::string out = fmt::format("### Opscope: total {}, {} → {}", verdictWords(total),
                                timeWords(total.a->valueUs), timeWords(total.b->valueUs));
  if (total.ratio) out += fmt::format(" ({})", changeWords(total.ratio));
  out += fmt::format("\n\nA: {}, B: {}. By {}: {}.\n\n", shortSource(context.sourceA),
                     shortSource(context.sourceB), matchingName(comparison.options.matching),
                     countWords(comparison));
  changed.insert(changed.begin(), &total);
  appendTable(out, changed, context);
  if (!others.empty()) {
    out += fmt::format("\n<details><summary>{} ops without a change</summary>\n\n", others.size());
    appendTable(out, others, context);
    out += "\n</details>\n";
  }
  std::string notes;
  for (const std::string& difference : differencesOf(*comparison.runA, *comparison.runB, FileWords::Name))
    notes += fmt::format("- {}\n", escaped(difference));
  for (const Warning& warning : comparison.warnings) {
    notes += fmt::format("- {} {}\n", escaped(warning.message), escaped(warning.hint));
  }
  return notes.empty() ? out : out + "\n" + notes;
}

}  // namespace opscope::report
