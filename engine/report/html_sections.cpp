// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_sections.h"
#include "engine/report/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/report/html_charts.h"
#include "engine/report/html_style.h"
#include "engine/report/html_text.h"
#include "engine/report/html_timeline.h"
#include "engine/report/table.h"

namespace opscope::report {

namespace {

constexpr double kHundred = 100;
constexpr std::size_t kLongText = 400;  ///< characters of one fact or warning
constexpr double kNsPerUs = 1e3;

std::string factText(std::string_view text) {
  return htmlText(cutInTheMiddle(withoutPlaces(text), kLongText));
}

std::string card(std::string_view title, const HtmlQuantity& quantity, std::string_view under) {
  return fmt::format(
      R"(<div class="panel card"><b>{}</b><strong>{}<small>{}</small></strong><span>{}</span></div>)", title,
      quantity.number, quantity.unit, under);
}

std::string callName(const Run& run, std::uint32_t call) {
  constexpr std::size_t kLength = 100;
  return call == kNone ? std::string(kHtmlMissing)
                       : htmlText(cutInTheMiddle(run.names[run.calls[call].name], kLength));
}

class Facts {
 public:
  void add(std::string_view name, const std::string& value) {
    if (!value.empty()) m_rows += fmt::format("<dt>{}</dt><dd>{}</dd>", name, value);
  }
  std::string finish() const { return m_rows.empty() ? "" : "<dl>" + m_rows + "</dl>"; }

 private:
  std::string m_rows;
};

std::string repeatsText(const Run& run) {
  std::string text = htmlCount(run.repeats);
  if (run.repeats < run.repeatsWanted) text += fmt::format(" of {}", htmlCount(run.repeatsWanted));
  return text;
}

}  // namespace

std::string htmlPanel(std::string_view classes, std::string_view title, std::string_view under,
                      std::string_view content) {
  if (content.empty()) return {};
  const std::string small = under.empty() ? std::string() : fmt::format("<small>{}</small>", under);
  return fmt::format("<section class=\"panel {}\"><h2>{}{}</h2>{}</section>\n", classes, title, small,
                     content);
}

std::string summaryCards(const Run& run, const OpTable& table) {
  const OpTotals& totals = table.totals;
  const Statistics& all = totals.total;
  if (totals.repeats == 0) return {};
  std::string out = "<div class=\"cards\">";
  const bool hasSpread = all.count > 1;
  out += card(hasSpread ? fmt::format("Total, median of {}", htmlCount(all.count)) : "Total",
              htmlDuration(totals.medianTotalUs),
              hasSpread ? fmt::format("{} – {}", htmlDurationText(all.min), htmlDurationText(all.max))
                        : std::string(run.hasStartTimes ? "one repeat" : "as the report tells"));
  const std::string_view whole = hasSpread ? "of the mean total" : "of the total";
  const auto part = [whole](const std::optional<double>& percent) {
    return percent && *percent > 0 ? fmt::format("{} {}", htmlPercent(percent), whole) : std::string();
  };
  constexpr double kRounding = 1 + 1e-9;
  const bool overlap = totals.opsUs > totals.totalUs * kRounding;
  out += card("In ops", htmlDuration(totals.opsUs),
              overlap ? "more than the total: devices or threads overlap" : part(totals.opsPercent));
  out += card("Between ops", htmlDuration(totals.betweenUs),
              overlap ? "cannot be told where ops overlap" : part(totals.betweenPercent));
  const auto noise = all.noise ? std::optional(*all.noise * kHundred) : std::nullopt;
  out += card("Noise",
              HtmlQuantity{noise ? htmlNumber(std::min(*noise, kHundred), 1) : std::string(kHtmlMissing),
                           noise ? "%" : ""},
              !noise              ? "1 repeat: the noise of this run is unknown"
              : *noise > kHundred ? "more than 100 %: standard deviation / mean"
                                  : "standard deviation / mean");
  return out + "</div>\n";
}

constexpr std::string_view kBoardFact = "Board";  // its address

/// Why a run ended early. Errors of a connection name the board's address, which pages do not tell.
std::string failureText(const Run& run) {
  constexpr std::string_view kBoard = "the board";
  std::string text = run.failure;
  for (const Fact& fact : run.remote ? run.remote->board : std::vector<Fact>()) {
    if (fact.name != kBoardFact || fact.value.empty()) continue;
    for (std::size_t at = 0; (at = text.find(fact.value, at)) != text.npos; at += kBoard.size()) {
      text.replace(at, fact.value.size(), kBoard);
    }
  }
  return factText(text);
}

std::string warningsPanel(const Run& run) {
  std::string notes;
  if (!run.failure.empty() || run.repeats < run.repeatsWanted) {
    const std::string what = fmt::format("Only {} repeats were measured", repeatsText(run));
    notes +=
        fmt::format(R"(<div class="note failed"><b>{}</b><span>{}</span></div>)", what, failureText(run));
  }
  for (const Warning& warning : run.warnings) {
    notes += fmt::format(R"(<div class="note"><b>{}</b><span>{}</span></div>)", factText(warning.message),
                         factText(warning.hint));
  }
  return htmlPanel("", "What to know before you trust these numbers", "", notes);
}

std::string kindsPanel(const OpTable& table, std::string_view classes) {
  struct Sum {
    double us = 0;
    std::uint64_t calls = 0;
  };
  std::array<Sum, kOpKinds.size()> sums;
  for (const OpRow& row : table.rows) {
    Sum& sum = sums[static_cast<std::size_t>(row.kind)];
    sum.us += std::isfinite(row.durationUs) ? std::max(row.durationUs, 0.0) : 0;
    sum.calls += static_cast<std::uint64_t>(std::max<std::int64_t>(row.count, 0));
  }
  const double between = std::max(table.totals.betweenUs, 0.0);
  double whole = between;
  for (const Sum& sum : sums) whole += sum.us;
  if (!(whole > 0) || !std::isfinite(whole)) return {};
  std::vector<OpKind> order(kOpKinds.begin(), kOpKinds.end());
  const auto usOf = [&sums](OpKind kind) { return sums[static_cast<std::size_t>(kind)].us; };
  std::ranges::stable_sort(order, std::ranges::greater{}, usOf);
  std::string bar;
  std::string legend;
  const auto add = [&](std::string_view fill, std::string_view name, double us, const std::string& calls) {
    bar += fmt::format(R"(<i class="{}" style="width:{:.3f}%" title="{}"></i>)", fill, us / whole * kHundred,
                       name);
    legend +=
        fmt::format(R"(<li><i class="swatch {}"></i><span>{}</span><em>{}</em><em>{}</em><em>{}</em></li>)",
                    fill, name, calls, htmlDurationText(us), htmlPercent(us / whole * kHundred, 2));
  };
  for (const OpKind kind : order) {
    const Sum& sum = sums[static_cast<std::size_t>(kind)];
    if (sum.us <= 0) continue;
    add(kindClass(kind), kindName(kind), sum.us,
        fmt::format("{} {}", htmlCount(sum.calls), sum.calls == 1 ? "call" : "calls"));
  }
  if (between > 0) add("between", "Between ops", between, "");
  return htmlPanel(classes, "Time by kind", "parts of the mean total",
                   fmt::format(R"(<div class="stack">{}</div><ul class="legend">{}</ul>)", bar, legend));
}

std::string stepsPanel(const Run& run) {
  if (run.stepNs.empty()) return {};
  constexpr std::size_t kMostSteps = 200;
  std::string rows;
  for (std::size_t step = 0; step < std::min(run.stepNs.size(), kMostSteps); ++step) {
    const Statistics statistics = computeStatistics(run.stepNs[step]);
    rows += fmt::format(
        R"(<tr><td class="name">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td></tr>)",
        htmlText(cutInTheMiddle(run.steps[step], 160)), htmlNumber(statistics.median / kNsPerUs, 1),
        htmlNumber(statistics.min / kNsPerUs, 1), htmlNumber(statistics.max / kNsPerUs, 1));
  }
  std::string content =
      R"(<div class="scroll"><table><thead><tr><th>Step</th><th class="n">Median (µs)</th><th class="n">Min (µs)</th><th class="n">Max (µs)</th></tr></thead><tbody>)" +
      rows + "</tbody></table></div>";
  if (run.stepNs.size() > kMostSteps) {
    content += fmt::format(R"(<p class="foot">The first {} of {} steps.</p>)", kMostSteps,
                           htmlCount(run.stepNs.size()));
  }
  return htmlPanel("long", "Steps", "of the scenario, over the repeats", content);
}

std::string memoryPanel(const Run& run) {
  if (!run.memory) return {};
  const MemoryTrack& memory = *run.memory;
  const auto bytes = [](std::int64_t value) { return htmlBytes(static_cast<double>(value)); };
  Facts facts;
  facts.add("Peak of live storage", bytes(memory.storage.peakBytes));
  if (memory.peakCall != kNone) facts.add("reached in", callName(run, memory.peakCall));
  facts.add("Tensors at the peak", bytes(memory.peakTensorBytes));
  facts.add("Largest sum of workspaces", bytes(memory.workspaces.peakBytes));
  facts.add("Constants", bytes(memory.constantBytes));
  if (memory.cacheBytes > 0) facts.add("Key-value caches", bytes(memory.cacheBytes));
  if (memory.lostEvents > 0) {
    facts.add("Not recorded",
              fmt::format("{} events: the numbers are too low", htmlCount(memory.lostEvents)));
  }
  std::string content;
  if (const std::string chart = memoryChart(run, memory.storage.peakRepeat); !chart.empty()) {
    content += "<div class=\"chart\">" + chart + "</div>";
  }
  content += facts.finish();
  std::string rows;
  constexpr std::size_t kMostHolders = 10;
  for (std::size_t i = 0; i < std::min(memory.holders.size(), kMostHolders); ++i) {
    const MemoryHolder& holder = memory.holders[i];
    const StorageLife& storage = memory.storages[holder.storage];
    const double part =
        memory.storage.peakBytes > 0
            ? static_cast<double>(storage.bytes) / static_cast<double>(memory.storage.peakBytes) * kHundred
            : 0;
    rows += fmt::format(R"(<tr><td class="name">{}</td><td class="n">{}</td><td class="n">{}</td></tr>)",
                        callName(run, holder.writer != kNone ? holder.writer : storage.call),
                        bytes(storage.bytes), htmlPercent(part, 1));
  }
  if (!rows.empty()) {
    content +=
        R"(<div class="scroll"><table><thead><tr><th>Holds the peak: written by</th><th class="n">Bytes</th><th class="n">Part</th></tr></thead><tbody>)" +
        rows + "</tbody></table></div>";
    if (memory.holders.size() > kMostHolders) {
      content += fmt::format(R"(<p class="foot">The {} largest of {} storages.</p>)", kMostHolders,
                             htmlCount(memory.holders.size()));
    }
  }
  return htmlPanel("", "Memory", "live storage over the repeat with the peak", content);
}

std::string threadsPanel(const Run& run) {
  if (!run.lanes || run.lanes->launches.empty()) return {};
  const std::vector<KernelLanes> kernels = lanesByKernel(run);
  constexpr std::size_t kMostRows = 15;
  std::string rows;
  const auto add = [&rows](const std::string& name, const KernelLanes& row) {
    rows += fmt::format(
        R"(<tr><td class="name">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td></tr>)",
        name, htmlCount(row.launches), htmlNumber(row.wallNs / kNsPerUs, 1), htmlPercent(row.usePercent),
        htmlPercent(row.imbalancePercent), htmlPercent(row.stolenPercent), htmlCount(row.neverStarted));
  };
  for (std::size_t i = 0; i < std::min(kernels.size(), kMostRows); ++i) {
    add(kernels[i].name == kNone ? "between calls"
                                 : htmlText(cutInTheMiddle(run.names[kernels[i].name], 100)),
        kernels[i]);
  }
  if (kernels.size() > 1) add("All", allLanes(run));
  std::string content =
      R"(<div class="scroll"><table><thead><tr><th>Kernel</th><th class="n">Launches</th><th class="n">Duration (µs)</th><th class="n">Use</th><th class="n">Imbalance</th><th class="n">Stolen</th><th class="n">Worker never started</th></tr></thead><tbody>)" +
      rows + "</tbody></table></div>";
  if (kernels.size() > kMostRows) {
    content += fmt::format(R"(<p class="foot">The {} longest of {} kernels.</p>)", kMostRows,
                           htmlCount(kernels.size()));
  }
  return htmlPanel(
      "", "Threads",
      fmt::format("parallel parts of kernels on {} threads, over all repeats", htmlCount(run.lanes->threads)),
      content);
}

/// Pages are sent around: the kind of a target is told, not its host.
std::string targetText(const std::string& target) {
  const std::size_t address = target.find("://");
  return factText(address == std::string::npos ? target : "a board (" + target.substr(0, address) + ")");
}

std::string factsPanels(const Document& document) {
  const Run& run = *document.run;
  Facts ran;
  ran.add("Executable", factText(fileNameOf(run.executablePath)));
  ran.add("Hash", factText(run.executableHash));
  ran.add("Function", factText(run.function));
  ran.add("Inputs", factText(withoutFolders(run.inputs)));
  const bool isImported = run.executableHash.empty() && run.startedAt.empty();
  if (!isImported) ran.add("Target", targetText(run.target));
  ran.add("Started", factText(run.startedAt));
  if (!isImported)
    ran.add("Warm-up, repeats", fmt::format("{}, {}", htmlCount(run.warmup), repeatsText(run)));
  Facts configuration;
  if (document.report != nullptr) {
    const MetricMap told = document.report.configuration();
    for (const auto& [name, metric] : told.entries()) {
      if (name == "Repeats" || name == "Warm-up") continue;
      configuration.add(factText(name), factText(cellText(metric)));
    }
  }
  Facts environment;
  const bool isRemote = run.remote.has_value();
  for (const Fact& fact : run.environment) {
    if (isRemote && fact.name == kBoardFact) continue;
    environment.add(factText(fact.name), factText(fact.value));
  }
  return "<div class=\"two\">" + htmlPanel("", "What was run", "", ran.finish() + configuration.finish()) +
         htmlPanel("", "Measured on", "", environment.finish()) + "</div>";
}

}  // namespace opscope::report
