// SPDX-License-Identifier: Apache-2.0
#include "engine/report/lanes.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "engine/report/run.h"

namespace opscope::report {

namespace {

constexpr std::array<std::pair<LaunchKind, std::string_view>, 5> kKinds = {{
    {LaunchKind::Pool, "pool"},
    {LaunchKind::OneTask, "one task"},
    {LaunchKind::OneThread, "one thread"},
    {LaunchKind::Nested, "nested"},
    {LaunchKind::PoolBusy, "pool busy"},
}};

/// Sums over launches, from which the percentages follow.
struct LaneSums {
  std::uint64_t launches = 0;
  std::uint64_t tasks = 0;
  std::uint64_t neverStarted = 0;
  std::uint64_t workers = 0;
  double wallNs = 0;
  double used = 0;
  double wanted = 0;
  double busyNs = 0;
  double capacityNs = 0;    ///< time that the wanted lanes had
  double untilLongest = 0;  ///< time of the lanes used until the longest of them ended
  double stolenNs = 0;
  double workerDelayNs = 0;

  void add(const Launch& launch, const LaunchUse& use) {
    ++launches;
    tasks += launch.tasks;
    neverStarted += use.used < use.wanted && !launch.failed ? 1 : 0;
    workers += use.workers;
    wallNs += launch.durationNs;
    used += use.used;
    wanted += use.wanted;
    busyNs += use.busyNs;
    capacityNs += std::max(use.wanted, use.used) * launch.durationNs;
    untilLongest += use.used * use.longestLaneNs;
    stolenNs += use.stolenNs;
    workerDelayNs += use.workerDelayNs;
  }
};

std::optional<double> percentOf(double part, double whole) {
  constexpr double kPercent = 100;
  return whole > 0 ? std::optional(std::clamp(part / whole, 0.0, 1.0) * kPercent) : std::nullopt;
}

KernelLanes rowOf(std::uint32_t name, const LaneSums& sums) {
  KernelLanes row;
  row.name = name;
  row.launches = sums.launches;
  row.tasks = sums.tasks;
  row.wallNs = sums.wallNs;
  row.neverStarted = sums.neverStarted;
  row.usePercent = percentOf(sums.busyNs, sums.capacityNs);
  row.imbalancePercent = percentOf(sums.untilLongest - sums.busyNs, sums.untilLongest);
  row.stolenPercent = percentOf(sums.stolenNs, sums.busyNs);
  if (sums.launches > 0) {
    row.lanesUsed = sums.used / static_cast<double>(sums.launches);
    row.lanesWanted = sums.wanted / static_cast<double>(sums.launches);
  }
  if (sums.workers > 0) {
    row.workerDelayNs = sums.workerDelayNs / static_cast<double>(sums.workers);
  }
  return row;
}

std::uint32_t nameOfCall(const Run& run, std::uint32_t call) {
  return call == kNone ? kNone : run.calls[call].name;
}

}  // namespace

std::string_view launchKindName(LaunchKind kind) {
  const auto found = std::ranges::find(kKinds, kind, &std::pair<LaunchKind, std::string_view>::first);
  return found == kKinds.end() ? std::string_view() : found->second;
}

std::optional<LaunchKind> launchKindOf(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &std::pair<LaunchKind, std::string_view>::second);
  return found == kKinds.end() ? std::nullopt : std::optional(found->first);
}

LaunchUse useOf(const LaneTrack& track, const Launch& launch) {
  struct Lane {
    double busyNs = 0;
    double firstNs = 0;
  };
  std::map<std::uint32_t, Lane> lanes;
  LaunchUse use;
  use.wanted = launch.kind == LaunchKind::Pool ? std::max(std::min(launch.tasks, track.threads), 1u) : 1;
  for (const LaneTask& task : std::span(track.tasks).subspan(launch.firstTask, launch.taskCount)) {
    const double delayNs = std::max(task.startNs - launch.startNs, 0.0);
    const auto [entry, isNew] = lanes.try_emplace(task.lane, Lane{0, delayNs});
    entry->second.busyNs += task.durationNs;
    entry->second.firstNs = std::min(entry->second.firstNs, delayNs);
    use.stolenNs += std::max(task.durationNs - task.cpuNs, 0.0);
  }
  use.used = static_cast<std::uint32_t>(lanes.size());
  for (const auto& [number, lane] : lanes) {
    use.busyNs += lane.busyNs;
    use.longestLaneNs = std::max(use.longestLaneNs, lane.busyNs);
    if (number > 0) {
      ++use.workers;
      use.workerDelayNs += lane.firstNs;
    }
  }
  return use;
}

std::vector<KernelLanes> lanesByKernel(const Run& run) {
  std::map<std::uint32_t, LaneSums> sums;
  for (const Launch& launch : run.lanes->launches) {
    if (launch.kind != LaunchKind::Nested) {
      sums[nameOfCall(run, launch.call)].add(launch, useOf(*run.lanes, launch));
    }
  }
  std::vector<KernelLanes> rows;
  for (const auto& [name, sum] : sums) {
    rows.push_back(rowOf(name, sum));
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, &KernelLanes::wallNs);
  return rows;
}

KernelLanes allLanes(const Run& run) {
  LaneSums sums;
  for (const Launch& launch : run.lanes->launches) {
    if (launch.kind != LaunchKind::Nested) {
      sums.add(launch, useOf(*run.lanes, launch));
    }
  }
  return rowOf(kNone, sums);
}

}  // namespace opscope::report
