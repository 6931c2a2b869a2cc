// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/device_shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

double usable(double us) {
  return std::isfinite(us) ? std::max(us, 0.0) : 0.0;
}

}  // namespace

DeviceShares deviceShares(const RunView& run) {
  DeviceShares result;
  struct Sums {
    std::array<DevicePart, report::kOpKinds.size()> kinds;
    std::array<double, report::kOpKinds.size()> longest;
    Sums() { longest.fill(-1); }
  };
  std::map<std::uint32_t, Sums> byDevice;
  for (std::uint32_t index = 0; index < run.byOp.rows.size(); ++index) {
    const report::OpRow& row = run.byOp.rows[index];
    const std::uint32_t device = row.device < run.run().devices.size() ? row.device : report::kNone;
    Sums& sums = byDevice[device];
    DevicePart& part = sums.kinds[std::size_t(row.kind)];
    const double us = usable(row.durationUs);
    part.kind = row.kind;
    part.us += us;
    part.calls += row.count;
    if (us > sums.longest[std::size_t(row.kind)]) {
      sums.longest[std::size_t(row.kind)] = us;
      part.largestRow = index;
    }
    result.opsUs += us;
  }
  result.totalUs = std::max(usable(run.byOp.totals.totalUs), result.opsUs);
  for (const auto& [device, sums] : byDevice) {
    DeviceShare share;
    share.device = device;
    share.name =
        device == report::kNone ? QStringLiteral("no device") : format::fromUtf8(run.run().devices[device]);
    for (const DevicePart& part : sums.kinds) {
      if (part.calls == 0) continue;
      share.us += part.us;
      share.calls += part.calls;
      share.parts.push_back(part);
    }
    std::stable_sort(share.parts.begin(), share.parts.end(),
                     [](const DevicePart& a, const DevicePart& b) { return a.us > b.us; });
    if (result.totalUs > 0) share.percent = std::clamp(share.us / result.totalUs * 100, 0.0, 100.0);
    result.largestUs = std::max(result.largestUs, share.us);
    if (share.calls > 0) result.devices.push_back(std::move(share));
  }
  std::stable_sort(result.devices.begin(), result.devices.end(),
                   [](const DeviceShare& a, const DeviceShare& b) { return a.us > b.us; });
  return result;
}

std::vector<DeviceTotals> deviceTotals(const report::Run& run) {
  std::vector<DeviceTotals> result;
  for (const report::DeviceTotal& total : run.totals) {
    DeviceTotals own;
    const auto place = std::find(run.devices.begin(), run.devices.end(), total.device);
    if (place != run.devices.end()) own.device = std::uint32_t(place - run.devices.begin());
    own.name = format::fromUtf8(total.device);
    for (const double ns : total.totalNs) own.us.push_back(usable(ns / 1000));
    result.push_back(std::move(own));
  }
  return result;
}

}  // namespace opscope::ui
