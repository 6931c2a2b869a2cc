// SPDX-License-Identifier: Apache-2.0
#include "app/cli/lanes_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/text_table.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/report/quantity_words.h"

namespace opscope::cli {

namespace {

using report::KernelLanes;

std::string percentOr(const std::optional<double>& percent) {
  return percent ? report::partWords(*percent) : "-";
}

/// A count that is the same in each repeat is a whole number.
std::string perRepeat(std::uint64_t count, const report::Run& run) {
  const double value = static_cast<double>(count) / std::max(run.repeats, 1u);
  std::string text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::vector<std::string> cells(const report::Run& run, const KernelLanes& row, std::string name) {
  const double repeats = std::max(run.repeats, 1u);
  return {std::move(name),
          report::durationWords(row.wallNs / repeats),
          perRepeat(row.launches, run),
          perRepeat(row.tasks, run),
          fmt::format("{:.1f} of {:.1f}", row.lanesUsed, row.lanesWanted),
          percentOr(row.usePercent),
          percentOr(row.imbalancePercent),
          row.neverStarted == 0 ? std::string("-") : fmt::format("{} of {}", row.neverStarted, row.launches),
          row.workerDelayNs ? report::durationWords(*row.workerDelayNs) : std::string("-"),
          percentOr(row.stolenPercent)};
}

std::string nameOf(const report::Run& run, const KernelLanes& row) {
  return row.name == report::kNone ? std::string("(outside of calls)") : base::printable(run.names[row.name]);
}

std::uint64_t countKind(const report::LaneTrack& lanes, report::LaunchKind kind) {
  return static_cast<std::uint64_t>(std::ranges::count(lanes.launches, kind, &report::Launch::kind));
}

/// What the numbers say about the pool rather than about the kernels.
std::string adviceLines(const report::Run& run, const KernelLanes& all) {
  constexpr double kManyPercent = 5;
  const report::LaneTrack& lanes = *run.lanes;
  std::string text;
  if (lanes.threads == 1) {
    text += "The pool has one thread: all tasks ran on it, one after the other.\n";
  }
  if (all.neverStarted * 100 > all.launches * static_cast<std::uint64_t>(kManyPercent)) {
    text += fmt::format(
        "In {} of {} a thread of the pool ran no task: it slept too long or had no processor. Try a longer "
        "--spin-us, --pin on, or fewer --threads.\n",
        all.neverStarted, countText(all.launches, "launch", "launches"));
  }
  if (all.stolenPercent && *all.stolenPercent > kManyPercent) {
    text +=
        fmt::format("{} of the working time threads waited for a processor: other programs were running.\n",
                    report::partWords(*all.stolenPercent));
  }
  if (const std::uint64_t nested = countKind(lanes, report::LaunchKind::Nested); nested > 0) {
    text += fmt::format("{} from within a task ran on the task's thread and not in these numbers.\n",
                        countText(nested, "launch", "launches"));
  }
  if (const std::uint64_t busy = countKind(lanes, report::LaunchKind::PoolBusy); busy > 0) {
    text += fmt::format("{} found the pool in use and ran on the calling thread alone.\n",
                        countText(busy, "launch", "launches"));
  }
  if (lanes.lostRecords > 0) {
    text += fmt::format("{} not kept, memory was out.\n",
                        countText(lanes.lostRecords, "record was", "records were"));
  }
  return text;
}

}  // namespace

std::string lanesView(const report::Run& run, std::optional<std::size_t> width) {
  const KernelLanes all = report::allLanes(run);
  if (all.launches == 0) {
    return "Parallel parts  none was run\n";
  }
  TextTable table;
  table.titles = {"Parallel parts of", "Time",          "Launches",   "Tasks", "Lanes", "Use",
                  "Imbalance",         "Never started", "First task", "Stolen"};
  const std::vector<KernelLanes> rows = report::lanesByKernel(run);
  for (const KernelLanes& row : rows) {
    table.rows.push_back(cells(run, row, nameOf(run, row)));
  }
  if (rows.size() > 1) {
    table.rows.push_back(cells(run, all, "All"));
  }
  std::string text = toText(table, width);
  const std::string advice = adviceLines(run, all);
  for (std::size_t begin = 0; begin < advice.size();) {
    const std::size_t end = advice.find('\n', begin);
    const std::string line = advice.substr(begin, end - begin);
    text += (begin == 0 ? "\n" : "") + (width ? wrapped(line, *width, 0) : line) + "\n";
    begin = end + 1;
  }
  return text;
}

}  // namespace opscope::cli
