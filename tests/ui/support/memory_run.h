// SPDX-License-Identifier: GPL-3.0-or-later
// The made-up run with a record of memory: a few large storages over the whole of the repeat and many small
// ones, with the sums that belong to them.
#pragma once

#include <algorithm>
#include <map>

#include "engine/report/run_report.h"
#include "tests/ui/support/synthetic_run.h"

namespace opscope::ui::testing {

inline void addStorage(report::MemoryTrack& track, double fromNs, double untilNs, std::int64_t bytes,
                       std::uint32_t call) {
  report::StorageLife life;
  life.takenNs = fromNs;
  life.freedNs = untilNs;
  life.bytes = life.givenBytes = bytes;
  life.call = life.writer = call;
  life.freedBy = untilNs < 0 ? report::kNone : call + 1;
  life.tensorCount = 2;
  life.tensorBytes = bytes / 2;
  track.storages.push_back(life);
  ++track.taken;
  track.takenBytes += bytes;
  track.freed += untilNs < 0 ? 0 : 1;
}

/// The series of sums over the storages of one repeat, and the holders of its peak.
inline void sumUp(report::MemoryTrack& track, std::uint32_t repeat) {
  std::map<double, std::int64_t> changes;
  for (const report::StorageLife& life : track.storages) {
    changes[life.takenNs] += life.bytes;
    if (life.freedNs >= 0) changes[life.freedNs] -= life.bytes;
  }
  track.repeat = track.storage.peakRepeat = repeat;
  std::int64_t live = 0;
  track.storage.points.push_back({0, 0, repeat});
  for (const auto& [ns, change] : changes) {
    live += change;
    track.storage.points.push_back({ns, live, repeat});
    track.tensors.points.push_back({ns, live / 2, repeat});
    if (live <= track.storage.peakBytes) continue;
    track.storage.peakBytes = live;
    track.storage.peakNs = ns;
  }
  track.tensors.peakBytes = track.peakTensorBytes = track.storage.peakBytes / 2;
  for (std::uint32_t i = 0; i < track.storages.size(); ++i) {
    const report::StorageLife& life = track.storages[i];
    const double peak = track.storage.peakNs;
    if (life.takenNs <= peak && (life.freedNs < 0 || peak < life.freedNs))
      track.holders.push_back({i, life.bytes / 2, life.writer});
  }
  std::stable_sort(track.holders.begin(), track.holders.end(), [&](const auto& a, const auto& b) {
    return track.storages[a.storage].bytes > track.storages[b.storage].bytes;
  });
}

inline report::Document memoryDocument(const SyntheticOptions& options = {}) {
  const report::Document plain = syntheticDocument(options);
  auto run = std::make_shared<report::Run>(*plain.run);
  report::MemoryTrack track;
  const double end = run->totals[0].totalNs[0];
  addStorage(track, 0.01 * end, -1, 1951 * 1024, 0);
  addStorage(track, 0.02 * end, 0.98 * end, 1892 * 1024, 2);
  addStorage(track, 0.16 * end, 0.93 * end, 1419 * 1024, 7);
  const auto calls = std::uint32_t(run->calls.size());
  for (std::uint32_t i = 0; i + 12 < calls; i += 5) {
    const double from = 0.03 * end + 0.9 * end * double(i) / double(calls);
    addStorage(track, from, from + end * (0.01 + 0.002 * (i % 40)), 24200 + 700 * (i % 17), i);
  }
  track.constantBytes = 5 << 20;
  sumUp(track, 0);
  run->memory = std::move(track);
  return report::makeDocument(run);
}

}  // namespace opscope::ui::testing
