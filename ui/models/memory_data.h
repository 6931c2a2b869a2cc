// SPDX-License-Identifier: GPL-3.0-or-later
// What the Memory page shows of a run: the storages of the repeat with the highest peak, each with a place of
// its own in a map of bytes and time. Made once away from the GUI thread, then immutable; any thread.
#pragma once

#include <QString>
#include <memory>
#include <span>
#include <vector>

#include "engine/report/memory.h"
#include "ui/models/run_view.h"

namespace opscope::ui {

/// A storage as a box: bytes from `place` on, time from `fromNs` to `untilNs`.
struct StorageBox {
  std::uint32_t storage = 0;  ///< index into MemoryTrack::storages
  std::int64_t place = 0;     ///< lower edge in the map, in bytes
  std::int64_t bytes = 0;
  double fromNs = 0;
  double untilNs = 0;                  ///< end of the repeat when it outlives that
  std::uint32_t call = report::kNone;  ///< whose it is: the writer of its largest tensor, else who took it
  OpId op;                             ///< of `call`
  report::OpKind kind = report::OpKind::Other;
  std::int64_t peakTensorBytes = -1;  ///< in tensors that were live at the peak; -1: it was not live then
};

struct MemoryData {
  std::shared_ptr<const RunView> run;
  double endNs = 0;                                                   ///< of the repeat
  std::int64_t topBytes = 0;                                          ///< highest edge of the map
  std::vector<StorageBox> boxes;                                      ///< in the order they were taken
  std::span<const report::MemoryPoint> storage, tensors, workspaces;  ///< of that repeat

  const report::MemoryTrack& track() const { return *run->run().memory; }
  const report::StorageLife& life(std::size_t box) const { return track().storages[boxes[box].storage]; }
  /// "fused_conv2d18", or what to say where no call is known.
  QString nameOf(std::size_t box) const;
  /// Live at a moment, largest first.
  std::vector<std::uint32_t> aliveAt(double ns) const;
  double peakNs() const { return track().storage.peakNs; }
};

/// Null when the run has no record of memory. `run` is not null.
std::shared_ptr<const MemoryData> makeMemoryData(const std::shared_ptr<const RunView>& run);

/// The value of a series at a moment: that of the last point at or before it; 0 before the first.
std::int64_t bytesAt(std::span<const report::MemoryPoint> points, double ns);

}  // namespace opscope::ui
