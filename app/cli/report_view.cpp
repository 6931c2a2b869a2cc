// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_view.h"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "app/cli/cut_text.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/base/text_width.h"
#include "engine/report/fitted_table.h"
#include "engine/report/op_table.h"
#include "engine/report/overhead.h"
#include "engine/report/quantity_words.h"

namespace opscope::cli {

namespace {

constexpr double kNsPerUs = 1e3;

std::string line(std::string_view name, double microseconds, const std::string& words) {
  const std::string duration = report::durationWords(microseconds * kNsPerUs);
  constexpr std::size_t kDurationWidth = 10;
  const std::size_t width = base::displayWidth(duration);
  const std::string padding(width < kDurationWidth ? kDurationWidth - width : 0, ' ');
  std::string text = fmt::format("{:<12} {}{}  {}", name, padding, duration, words);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string totalWords(const report::Run& run, const report::OpTotals& totals) {
  const bool imported = run.executableHash.empty() && !run.hasStartTimes;
  if (totals.repeats < 2) {
    return imported ? "as the report tells" : "one repeat";
  }
  std::string words = fmt::format(
      "median of {}{} repeats, {} to {}", totals.repeats,
      run.repeats < run.repeatsWanted ? fmt::format(" of {}", run.repeatsWanted) : "",
      report::durationWords(totals.total.min * kNsPerUs), report::durationWords(totals.total.max * kNsPerUs));
  if (totals.total.noise) {
    constexpr double kPercent = 100;
    words += fmt::format(", noise {}", report::percentWords(*totals.total.noise * kPercent));
  }
  return words;
}

std::string configurationText(const report::MetricMap& configuration) {
  std::vector<std::string> parts;
  for (const auto& [name, metric] : configuration.entries()) {
    parts.push_back(fmt::format("{}: {}", base::printable(name), report::cellText(metric)));
  }
  return parts.empty() ? "" : fmt::format("{}\n", fmt::join(parts, ", "));
}

/// What the run says of its own making.
std::string findingsText(const report::Run& run) {
  std::string text;
  if (const auto share = report::vmShareOf(run)) {
    text += line("Not kernels", share->ns / kNsPerUs, report::partWords(share->percent) + " of the total");
  }
  if (run.noise) {
    text += fmt::format("{:<25}{}\n", "Noise grade", report::noiseWords(*run.noise));
  }
  if (const std::string words = report::overheadWords(run); !words.empty()) {
    text += fmt::format("{:<25}{}\n", "Profiling", words);
  }
  return text;
}

}  // namespace

std::string summaryText(const report::Document& document) {
  const report::OpTotals totals = report::buildOpTable(document, report::Grouping::EachCall).totals;
  std::string text;
  if (totals.repeats > 0) {
    text += line("Total", totals.medianTotalUs, totalWords(*document.run, totals));
  }
  if (totals.opsPercent) {
    const std::string whole =
        totals.repeats < 2
            ? "of the total"
            : fmt::format("of the mean total, {}", report::durationWords(totals.totalUs * kNsPerUs));
    text += line("In ops", totals.opsUs, fmt::format("{} {}", report::partWords(*totals.opsPercent), whole));
  }
  if (totals.betweenUs > 0 && totals.betweenPercent) {
    text += line("Between ops", totals.betweenUs, report::partWords(*totals.betweenPercent));
  }
  return text + findingsText(*document.run) + configurationText(document.report.configuration());
}

std::string reportView(const report::Document& document, const report::TableOptions& options,
                       std::size_t width) {
  const report::FittedTable table = report::toFittedTable(document, options, width);
  constexpr std::size_t kWordsAt = 25;
  std::string text = table.text + "\n";
  std::istringstream summary(summaryText(document));
  for (std::string each; std::getline(summary, each);) {
    text += wrapped(each, width, kWordsAt) + "\n";
  }
  const bool isCut = table.shortened || !table.hidden.empty();
  return isCut ? text + "\n" + cutText(width, table.hidden) : text;
}

}  // namespace opscope::cli
