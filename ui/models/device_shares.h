// SPDX-License-Identifier: GPL-3.0-or-later
// How the time of ops is split between devices. Any thread; pure functions over immutable data. Times in us.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/models/run_view.h"

namespace opscope::ui {

/// Ops of one kind on one device.
struct DevicePart {
  report::OpKind kind = report::OpKind::Other;
  double us = 0;
  std::int64_t calls = 0;
  std::uint32_t largestRow = 0;  ///< of RunView::byOp
};

struct DeviceShare {
  std::uint32_t device = report::kNone;  ///< index into Run::devices; kNone: ops without a device
  QString name;
  double us = 0;       ///< own time of its ops, mean over repeats
  double percent = 0;  ///< of DeviceShares::totalUs, 0 to 100, as in KindShare
  std::int64_t calls = 0;
  std::vector<DevicePart> parts;  ///< largest first
};

struct DeviceShares {
  std::vector<DeviceShare> devices;  ///< largest first; those without an op are left out
  double opsUs = 0;
  double totalUs = 0;  ///< of the run; opsUs where that is more
  double largestUs = 0;
};

DeviceShares deviceShares(const RunView& run);

/// Total of each repeat on one device.
struct DeviceTotals {
  std::uint32_t device = report::kNone;
  QString name;
  std::vector<double> us;  ///< finite, at least 0
};

std::vector<DeviceTotals> deviceTotals(const report::Run& run);

}  // namespace opscope::ui
