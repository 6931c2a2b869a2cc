// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sweep_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/document_output.h"
#include "app/cli/option_builders.h"
#include "app/cli/option_checks.h"
#include "app/cli/runs_options.h"
#include "app/cli/words.h"

namespace opscope::cli {

namespace {

constexpr std::int64_t kMostRepeats = 1'000'000;
constexpr std::size_t kMostValues = 1000;
constexpr std::string_view kRange = "..";

base::Error wrongOver(const std::string& text, std::string found) {
  return {base::ErrorCode::InvalidArgument, fmt::format("--over {} is no sweep.", text), std::move(found),
          "Name a free dimension or threads, and its values: n=1,2,4,8 or threads=1..4"};
}

/// "4", or "1..8". False when it is neither, or too long.
bool addValues(std::string_view text, std::vector<std::int64_t>& values) {
  const std::size_t range = text.find(kRange);
  const auto first = wholeNumberIn(text.substr(0, range));
  const auto last =
      range == std::string_view::npos ? first : wholeNumberIn(text.substr(range + kRange.size()));
  if (!first || !last || *last < *first || *last - *first >= static_cast<std::int64_t>(kMostValues)) {
    return false;
  }
  for (std::int64_t value = *first; value <= *last; ++value) {
    values.push_back(value);
  }
  return values.size() <= kMostValues;
}

std::optional<base::Error> takeOver(SweepOptions& options) {
  const std::string& text = options.overText;
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return wrongOver(text, "Expected NAME=VALUES.");
  }
  options.over = text.substr(0, equals);
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (!addValues(part, options.values)) {
      return wrongOver(
          text,
          fmt::format("Expected whole numbers from 0 on or ranges of them, {} in all at most, found \"{}\".",
                      kMostValues, part));
    }
    begin = end + 1;
  }
  std::vector<std::int64_t> sorted = options.values;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    return wrongOver(text, fmt::format("{} is there twice.", *twice));
  }
  return std::nullopt;
}

std::optional<base::Error> clashOf(const SweepOptions& options) {
  if (options.over == session::kSweepThreads && options.settings.runtime.threads != 0) {
    return base::Error{base::ErrorCode::InvalidArgument, "--threads is given, and --over varies it.", "",
                       "Leave out --threads."};
  }
  if (options.plan.inputs.dimensions.contains(options.over)) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("--dim {} is given, and --over varies it.", options.over), "",
                       fmt::format("Leave out --dim {}.", options.over)};
  }
  const bool hasNotes = !options.save.notes.note.empty() || !options.save.notes.tags.empty();
  if (!options.save.wanted && (hasNotes || !options.save.store.empty())) {
    return base::Error{base::ErrorCode::InvalidArgument, "--note, --tag and --store go with --save.", "",
                       "Add --save to keep the runs in the store."};
  }
  return std::nullopt;
}

}  // namespace

void addSweepOptions(CLI::App& command, SweepOptions& options) {
  const std::string group = "Measuring";
  command
      .add_option("--over", options.overText,
                  "What to vary: a free dimension, or threads, with its values; ranges such as 1..8 too")
      ->check(notEmpty())
      ->type_name("NAME=VALUES")
      ->required()
      ->group(group);
  command.add_option("--warmup", options.warmup, "Runs before measuring, for each value (default 1)")
      ->check(wholeNumber(0, kMostRepeats))
      ->type_name("N")
      ->group(group);
  command.add_option("--repeat", options.repeats, "Measured runs, for each value (default 10)")
      ->check(wholeNumber(1, kMostRepeats))
      ->type_name("N")
      ->group(group);
  addFlag(command, "--json", options.json, "Print JSON (schema opscope.sweep/1)");
  addFlag(command, "--wide", options.wide, kWideTableHelp);
  command
      .add_option("--csv", options.csv, "Medians as CSV, a line for each value and op; - is standard output")
      ->check(notEmpty())
      ->type_name("FILE");
  addSave(command, options.save);
}

std::optional<base::Error> finishSweep(SweepOptions& options) {
  if (auto problem = takeOver(options)) {
    return problem;
  }
  if (auto problem = clashOf(options)) {
    return problem;
  }
  return conflictOfStreams({{"json", options.json ? "-" : ""}, {"csv", options.csv}});
}

}  // namespace opscope::cli
