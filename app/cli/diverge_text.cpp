// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/cli/cut_text.h"
#include "app/cli/diverge_output.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/base/text_width.h"

namespace opscope::cli {

namespace {

constexpr std::size_t kMostRows = 10;

std::string toleranceText(const session::Divergence& found) {
  return fmt::format("rtol {:g}, atol {:g}", found.rtol, found.atol);
}

std::string errorText(const session::TensorDifference& difference) {
  return difference.maxAbsolute > 0
             ? fmt::format("{:.3g} absolute, {:.3g} relative", difference.maxAbsolute, difference.maxRelative)
             : std::string("none between finite values");
}

/// "float32 [4]", or both where they differ.
std::string typesText(const session::TensorDifference& difference) {
  const std::string& a = difference.descriptionA;
  const std::string& b = difference.descriptionB;
  if (a == b) {
    return a;
  }
  return fmt::format("{} in A, {} in B", a.empty() ? "missing" : a, b.empty() ? "missing" : b);
}

std::string detailLines(const session::TensorDifference& difference) {
  std::string text = fmt::format("  {}, {}", difference.place, typesText(difference));
  if (!difference.comparable) {
    return text + ": cannot be compared\n";
  }
  text += fmt::format(": {} of {} do not agree\n", difference.beyond,
                      countText(difference.elements, "value", "values"));
  text += fmt::format("  largest error {}\n", errorText(difference));
  return text + fmt::format("  first at {}: {} in A, {} in B\n", difference.position, difference.valueA,
                            difference.valueB);
}

std::string placeText(const session::CallPlace& place) {
  if (!place.isPlaced) {
    return fmt::format("call {} (instruction not known)", place.sequence);
  }
  return fmt::format("call {} ({}, instruction {})", place.sequence, place.function, place.instruction);
}

std::string firstText(const session::ComparedCall& call, const Console& console) {
  std::string text = console.heading("First op that differs: " + base::printable(call.a.name)) + "\n";
  text += "  A: " + base::printable(placeText(call.a)) + "\n";
  text += "  B: " + base::printable(placeText(call.b)) +
          (call.a.name == call.b.name ? "" : ", there " + base::printable(call.b.name)) + "\n";
  for (const session::TensorDifference& output : call.outputs) {
    if (output.differs()) {
      text += detailLines(output);
    }
  }
  return text;
}

/// A call of a list.
struct Row {
  std::uint64_t sequence = 0;
  std::string name;
  std::string words;
};

/// The differing output of a call that is the farthest off, as one row.
Row rowOf(const session::ComparedCall& call) {
  const auto worst = std::ranges::max_element(call.outputs, {}, [](const session::TensorDifference& output) {
    return output.differs() ? 1 + output.maxAbsolute : 0;
  });
  const std::string numbers =
      worst->comparable ? fmt::format("{:.3g} absolute, {:.3g} relative, {} of {} values", worst->maxAbsolute,
                                      worst->maxRelative, worst->beyond, worst->elements)
                        : typesText(*worst);
  return {call.a.sequence, base::printable(call.a.name), numbers};
}

/// Names are shortened before what is said of them.
std::string lineOf(const Row& row, std::optional<std::size_t> width) {
  constexpr std::size_t kLeastName = 12;
  const std::string place = fmt::format("  {:>6}  ", row.sequence);
  if (!width) {
    return place + row.name + "  " + row.words;
  }
  const std::size_t taken = place.size() + 2 + base::displayWidth(row.words);
  const std::string name =
      base::elideMiddle(row.name, std::max(*width - std::min(taken, *width), kLeastName));
  return base::elideEnd(place + name + "  " + row.words, *width);
}

std::string rowsText(const std::vector<Row>& rows, std::optional<std::size_t> width, std::string_view more) {
  std::string text;
  bool cut = false;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const std::string line = lineOf(rows[i], width);
    cut = cut || line != lineOf(rows[i], std::nullopt);
    text += line + "\n";
  }
  if (rows.size() > kMostRows) {
    text += fmt::format("  and {} more {}\n", rows.size() - kMostRows, more);
  }
  return cut ? text + "\n" + cutText(*width, {}) : text;
}

std::string othersText(const session::Divergence& found, const Console& console,
                       std::optional<std::size_t> width) {
  const std::optional<std::size_t> first = found.first();
  std::vector<Row> lines;
  for (std::size_t i = first ? *first + 1 : found.calls.size(); i < found.calls.size(); ++i) {
    if (found.calls[i].differs()) {
      lines.push_back(rowOf(found.calls[i]));
    }
  }
  return lines.empty() ? ""
                       : "\n" + console.heading("Ops that differ after it") + "\n" +
                             rowsText(lines, width, "(--json lists all)");
}

std::string unmatchedText(const std::vector<session::UnmatchedCall>& calls, std::string_view side,
                          const Console& console, std::optional<std::size_t> width) {
  std::vector<Row> lines;
  for (const session::UnmatchedCall& call : calls) {
    lines.push_back({call.call.sequence, base::printable(call.call.name), call.outputs});
  }
  return lines.empty() ? ""
                       : "\n" + console.heading(fmt::format("Calls that only {} has", side)) + "\n" +
                             rowsText(lines, width, "(--json lists all)");
}

std::string resultsText(const session::Divergence& found, const Console& console) {
  std::string text;
  std::size_t agreeing = 0;
  for (const session::TensorDifference& result : found.results) {
    if (result.differs()) {
      text += detailLines(result);
    } else {
      ++agreeing;
    }
  }
  return "\n" + console.heading("Results") +
         fmt::format("  {} of {} agree\n", agreeing, found.results.size()) + text;
}

std::string sideText(std::string_view side, const std::string& file, const std::string& target) {
  return fmt::format("{}  {}{}\n", side, base::printable(file), onTarget(target));
}

/// What is not known, so that nobody takes it for agreeing.
std::string notesText(const session::Divergence& found) {
  std::string text;
  for (const std::string& note : found.notes) {
    text += "Not known  " + base::printable(note) + "\n";
  }
  return text;
}

}  // namespace

std::string divergeText(const DivergeOptions& options, const session::Divergence& found,
                        const Console& console) {
  std::string text = sideText("A", options.fileA, found.targetA) +
                     sideText("B", options.fileB, found.targetB) + notesText(found) + "\n";
  const std::optional<std::size_t> first = found.first();
  if (first) {
    text += firstText(found.calls[*first], console);
  } else if (!found.calls.empty()) {
    text += console.heading("No op differs") + "\n";
  }
  text += fmt::format("  {} compared, paired by {}; {} differ beyond {}\n",
                      countText(found.calls.size(), "call", "calls"),
                      found.matching == session::CallMatching::ByOrder ? "order" : "name and output shapes",
                      found.differingCalls(), toleranceText(found));
  const std::optional<std::size_t> width = options.wide ? std::nullopt : console.width();
  text += othersText(found, console, width);
  text += unmatchedText(found.onlyA, "A", console, width);
  text += unmatchedText(found.onlyB, "B", console, width);
  return text + resultsText(found, console);
}

}  // namespace opscope::cli
