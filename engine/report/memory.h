// SPDX-License-Identifier: Apache-2.0
// What a run did with memory: how much was live when, each storage of one repeat, and who holds the peak.
// Plain values, part of a Run. Times are nanoseconds since the start of their repeat, calls are indices into
// Run::calls.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/report/index.h"

namespace opscope::report {

/// From this time on, so many bytes were live, until the next point of the same repeat.
struct MemoryPoint {
  double ns = 0;
  std::int64_t bytes = 0;
  std::uint32_t repeat = 0;
  bool operator==(const MemoryPoint&) const = default;
};

/// A quantity over time. Each repeat begins with a point at 0 that tells what it found.
struct MemorySeries {
  std::vector<MemoryPoint> points;  ///< sorted by repeat, then time
  std::int64_t peakBytes = 0;       ///< highest of all points
  double peakNs = 0;                ///< when it was first reached
  std::uint32_t peakRepeat = 0;
  bool operator==(const MemorySeries&) const = default;
};

/// One storage: a block of memory from the machine's allocator, which tensors lie in.
struct StorageLife {
  double takenNs = 0;             ///< 0 where it was there before the repeat began
  double freedNs = -1;            ///< -1: it outlives the repeat
  std::int64_t bytes = 0;         ///< asked for
  std::int64_t givenBytes = 0;    ///< size of its block
  bool reused = false;            ///< the block was kept from an earlier storage
  bool before = false;            ///< taken before the repeat began
  std::uint32_t call = kNone;     ///< the call that took it; kNone: between calls, or before the repeat
  std::uint32_t writer = kNone;   ///< the call that writes the largest of its tensors first
  std::uint32_t freedBy = kNone;  ///< the call in progress when it was freed
  std::uint32_t tensorCount = 0;  ///< tensors that lay in it over its life in the repeat
  std::int64_t tensorBytes = 0;   ///< of the largest of them
  bool operator==(const StorageLife&) const = default;
};

/// A storage that was live at the peak.
struct MemoryHolder {
  std::uint32_t storage = 0;     ///< index into MemoryTrack::storages
  std::int64_t tensorBytes = 0;  ///< of the tensors that were live in it at that moment
  std::uint32_t writer = kNone;  ///< the call that wrote the largest of these first; kNone: none was live
  bool operator==(const MemoryHolder&) const = default;
};

struct MemoryTrack {
  MemorySeries storage;     ///< bytes asked for by live storages
  MemorySeries tensors;     ///< bytes of live tensors that lie in them
  MemorySeries workspaces;  ///< scratch memory that kernels had taken, all threads together

  // The repeat in which `storage` has its peak.
  std::uint32_t repeat = 0;
  std::vector<StorageLife> storages;  ///< in the order they were taken; first those from before the repeat
  std::uint32_t peakCall = kNone;     ///< in progress when the peak was reached
  std::vector<MemoryHolder> holders;  ///< largest first
  std::int64_t peakGivenBytes = 0;    ///< blocks of the holders
  std::int64_t peakTensorBytes = 0;   ///< tensors that were live at that moment
  std::uint64_t taken = 0;            ///< storages taken in the repeat
  std::uint64_t reused = 0;           ///< of these, from kept blocks
  std::uint64_t freed = 0;
  std::uint64_t tensorsMade = 0;
  std::int64_t takenBytes = 0;   ///< asked for by `taken`
  std::int64_t tensorBytes = 0;  ///< of `tensorsMade`
  std::uint64_t workspaceRequests = 0;
  std::int64_t largestWorkspaceBytes = 0;
  std::uint32_t largestWorkspaceCall = kNone;

  std::int64_t constantBytes = 0;  ///< tensors among the executable's constants
  std::int64_t cacheBytes = 0;     ///< live at the peak in storages taken by builtins of key-value caches
  std::uint64_t lostEvents = 0;    ///< not recorded since memory was out: the numbers are too low
  bool operator==(const MemoryTrack&) const = default;
};

}  // namespace opscope::report
