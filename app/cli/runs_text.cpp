// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/grid_text.h"
#include "app/cli/runs_output.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/report/overhead.h"
#include "engine/report/quantity_words.h"

namespace opscope::cli {

namespace {

/// "2026-01-02 03:04" of "2026-01-02T03:04:05Z".
std::string minuteText(std::string_view time) {
  constexpr std::size_t kMinute = 16;
  std::string text(time.substr(0, kMinute));
  if (const std::size_t separator = text.find('T'); separator != std::string::npos) {
    text[separator] = ' ';
  }
  return base::printable(text);
}

std::string repeatsText(const store::StoredRun& run) {
  return run.repeats < run.repeatsWanted ? fmt::format("{} of {}", run.repeats, run.repeatsWanted)
                                         : std::to_string(run.repeats);
}

std::string tagsText(const store::StoredRun& run) {
  return base::printable(fmt::format("{}", fmt::join(run.tags, ", ")));
}

void addFact(std::string& text, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    text += fmt::format("{:<13}{}\n", name, base::printable(value));
  }
}

}  // namespace

std::string runsText(const std::vector<store::StoredRun>& runs, std::optional<std::size_t> width) {
  Grid grid;
  grid.columns = {{"Run", true},     {"Started (UTC)", false}, {"Executable", false}, {"Function", false},
                  {"Repeats", true}, {"Median", true},         {"Tags", false},       {"Note", false}};
  for (const store::StoredRun& run : runs) {
    grid.rows.push_back({std::to_string(run.id),
                         minuteText(run.startedAt.empty() ? run.savedAt : run.startedAt),
                         base::printable(run.executable), base::printable(run.function), repeatsText(run),
                         run.medianUs ? report::durationWords(*run.medianUs * 1e3) : "", tagsText(run),
                         base::printable(run.note)});
  }
  return toText(grid, width);
}

std::string storeText(const store::StoreInfo& info, std::size_t shown) {
  const auto runs = static_cast<std::size_t>(info.runs);
  const std::string count = shown < runs ? fmt::format("{} of {}", shown, countText(runs, "run", "runs"))
                                         : countText(runs, "run", "runs");
  return fmt::format("{}, {} in {}", count, bytesText(static_cast<std::uint64_t>(info.bytes)),
                     base::printable(info.path.string()));
}

std::string runFactsText(const store::StoredRun& run, const report::Run& measured) {
  std::string text;
  addFact(text, "Run", fmt::format("{}, {}", run.id, bytesText(static_cast<std::uint64_t>(run.bytes))));
  addFact(text, "Executable", run.path);
  addFact(text, "Hash", run.hash);
  addFact(text, "Function", run.function);
  addFact(text, "Inputs", run.inputs);
  addFact(text, "Where", run.device.empty() ? run.target : fmt::format("{}, {}", run.target, run.device));
  addFact(text, "Started", run.startedAt);
  addFact(text, "Saved", run.savedAt);
  for (const report::Fact& fact : measured.environment) {
    if (fact.name == "CPU") {
      addFact(text, "CPU", fact.value);
    }
  }
  addFact(text, "Noise grade", measured.noise ? report::noiseWords(*measured.noise) : "");
  addFact(text, "Profiling", report::overheadWords(measured));
  addFact(text, "Not kernels", report::vmShareWords(measured));
  addFact(text, "Tags", tagsText(run));
  addFact(text, "Note", run.note);
  if (!run.complete) {
    const std::string why = run.failure.empty() ? "" : ": " + run.failure;
    addFact(text, "Incomplete", fmt::format("{} of {} repeats{}", run.repeats, run.repeatsWanted, why));
  }
  return text;
}

}  // namespace opscope::cli
