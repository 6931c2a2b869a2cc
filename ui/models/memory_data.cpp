// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/memory_data.h"

#include <algorithm>
#include <map>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/models/step_curve.h"

namespace opscope::ui {
namespace {

using report::kNone;

double endOf(const report::Run& run, std::uint32_t repeat) {
  double end = 0;
  for (const report::DeviceTotal& total : run.totals) {
    if (repeat < total.totalNs.size()) end = std::max(end, total.totalNs[repeat]);
  }
  const report::MemoryTrack& track = *run.memory;
  for (const report::MemorySeries* series : {&track.storage, &track.tensors, &track.workspaces}) {
    const auto points = pointsOf(*series, repeat);
    if (!points.empty()) end = std::max(end, points.back().ns);
  }
  for (const report::StorageLife& life : track.storages) end = std::max({end, life.takenNs, life.freedNs});
  return end;
}

/// Gives each box the lowest room that is free over all of its life, one after the other as they were taken:
/// what a first-fit allocator with one block of memory would do.
class Packing {
 public:
  explicit Packing(MemoryData& data) : m_data(data) {}

  void place() {
    std::vector<std::uint32_t> order(m_data.boxes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return m_data.boxes[a].fromNs < m_data.boxes[b].fromNs;
    });
    for (const std::uint32_t index : order) {
      StorageBox& box = m_data.boxes[index];
      release(box.fromNs);
      box.place = lowestRoom(box.bytes);
      m_ends.emplace(box.untilNs, m_taken.emplace(box.place, box.place + box.bytes));
      m_data.topBytes = std::max(m_data.topBytes, box.place + box.bytes);
    }
  }

 private:
  void release(double ns) {
    while (!m_ends.empty() && m_ends.begin()->first <= ns) {
      m_taken.erase(m_ends.begin()->second);
      m_ends.erase(m_ends.begin());
    }
  }

  std::int64_t lowestRoom(std::int64_t bytes) const {
    std::int64_t at = 0;
    for (const auto& [begin, end] : m_taken) {
      if (begin - at >= bytes) return at;
      at = std::max(at, end);
    }
    return at;
  }

  MemoryData& m_data;
  using Taken = std::multimap<std::int64_t, std::int64_t>;  ///< begin to end of what is live
  Taken m_taken;
  std::multimap<double, Taken::iterator> m_ends;
};

}  // namespace

QString MemoryData::nameOf(std::size_t box) const {
  const StorageBox& about = boxes[box];
  if (about.call != kNone) return format::fromUtf8(run->run().names[about.op.name]);
  return life(box).before ? QStringLiteral("from before the repeat") : QStringLiteral("between calls");
}

std::vector<std::uint32_t> MemoryData::aliveAt(double ns) const {
  std::vector<std::uint32_t> alive;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    const bool outlives = life(i).freedNs < 0;
    if (boxes[i].fromNs <= ns && (outlives || ns < boxes[i].untilNs)) alive.push_back(i);
  }
  std::stable_sort(alive.begin(), alive.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return boxes[a].bytes > boxes[b].bytes; });
  return alive;
}

std::shared_ptr<const MemoryData> makeMemoryData(const std::shared_ptr<const RunView>& run) {
  const SlowWork work("the memory of a run");
  const report::Run& source = run->run();
  if (!source.memory) return nullptr;
  auto data = std::make_shared<MemoryData>();
  data->run = run;
  const report::MemoryTrack& track = *source.memory;
  data->storage = pointsOf(track.storage, track.repeat);
  data->tensors = pointsOf(track.tensors, track.repeat);
  data->workspaces = pointsOf(track.workspaces, track.repeat);
  data->endNs = endOf(source, track.repeat);
  for (std::uint32_t i = 0; i < track.storages.size(); ++i) {
    const report::StorageLife& life = track.storages[i];
    StorageBox box;
    box.storage = i;
    box.bytes = std::max<std::int64_t>(life.bytes, 0);
    box.fromNs = life.takenNs;
    box.untilNs = std::max(life.takenNs, life.freedNs < 0 ? data->endNs : life.freedNs);
    box.call = life.writer != kNone ? life.writer : life.call;
    if (box.call < source.calls.size()) {
      box.op = opOf(source.calls[box.call]);
      box.kind = report::kindOf(source.names[box.op.name]);
    } else {
      box.call = kNone;
    }
    data->boxes.push_back(box);
  }
  for (const report::MemoryHolder& holder : track.holders) {
    data->boxes[holder.storage].peakTensorBytes = holder.tensorBytes;
  }
  Packing(*data).place();
  return data;
}

std::int64_t bytesAt(std::span<const report::MemoryPoint> points, double ns) {
  const auto after =
      std::upper_bound(points.begin(), points.end(), ns,
                       [](double time, const report::MemoryPoint& point) { return time < point.ns; });
  return after == points.begin() ? 0 : std::prev(after)->bytes;
}

}  // namespace opscope::ui
