// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/memory_builder.h"

#include <algorithm>
#include <string_view>

#include "engine/profile/memory_series.h"
#include "engine/profile/tensor_writers.h"

namespace opscope::profile {

namespace {

using runtime::MemoryEvent;
using runtime::MemoryEventKind;
using Place = RunTimeline::Place;

/// Builtins that make and grow the state of language models.
bool isCacheBuiltin(std::string_view name) {
  return name.starts_with("vm.builtin.") && (name.find("kv_cache") != std::string_view::npos ||
                                             name.find("kv_state") != std::string_view::npos ||
                                             name.find("rnn_state") != std::string_view::npos);
}

/// The storages of one repeat, followed from their taking to their release.
class RepeatReplay {
 public:
  RepeatReplay(const RunTimeline& timeline, const report::Run& run, std::size_t eventsBeforePeak,
               report::MemoryTrack& track)
      : m_timeline(timeline),
        m_run(run),
        m_writers(findTensorWriters(*timeline.input().file.data)),
        m_eventsBeforePeak(eventsBeforePeak),
        m_track(track) {}

  void apply(const MemoryEvent& event, const Place& place, std::size_t position) {
    if (position == m_eventsBeforePeak) {
      holdPeak();
    }
    const bool counts = place.repeat == m_track.repeat && (place.inStep || place.ns > 0);
    switch (event.kind) {
      case MemoryEventKind::StorageTaken:
        take(event, place, counts);
        break;
      case MemoryEventKind::StorageFreed:
        free(event, place, counts);
        break;
      case MemoryEventKind::TensorMade:
        makeTensor(event, place, counts);
        break;
      case MemoryEventKind::TensorFreed:
        freeTensor(event);
        break;
      case MemoryEventKind::WorkspaceTaken:
        takeWorkspace(event, place, counts);
        break;
      case MemoryEventKind::WorkspaceFreed:
        break;
    }
    if (position + 1 == m_eventsBeforePeak) {
      m_track.peakCall = counts ? m_timeline.callOf(place) : report::kNone;
    }
  }

  void finish() {
    holdPeak();
    for (auto& [key, storage] : m_live) {
      m_done.push_back(storage);
    }
    std::ranges::sort(m_done, {}, &Storage::number);
    for (const Storage& storage : m_done) {
      m_track.storages.push_back(storage.life);
    }
    fillHolders();
  }

 private:
  struct Storage {
    std::uint64_t number = 0;  // in the order of taking
    report::StorageLife life;
    std::int64_t liveTensorBytes = 0;
  };
  struct Tensor {
    std::uint64_t storage = 0;
    std::int64_t bytes = 0;
    std::uint32_t writer = report::kNone;
  };
  struct AtPeak {
    std::uint64_t number = 0;  // of the storage
    std::int64_t tensorBytes = 0;
    std::int64_t largestBytes = 0;
    std::uint32_t writer = report::kNone;  // of the largest tensor
  };

  void take(const MemoryEvent& event, const Place& place, bool counts) {
    Storage storage;
    storage.number = m_next++;
    storage.life.bytes = event.bytes;
    storage.life.givenBytes = event.givenBytes;
    storage.life.reused = event.reused;
    storage.life.before = !counts;
    if (counts) {
      storage.life.takenNs = place.ns;
      storage.life.call = m_timeline.callOf(place);
      ++m_track.taken;
      m_track.reused += event.reused ? 1 : 0;
      m_track.takenBytes += event.bytes;
    }
    m_live.insert_or_assign(event.key, storage);
  }

  void free(const MemoryEvent& event, const Place& place, bool counts) {
    const auto found = m_live.find(event.key);
    if (found == m_live.end()) {
      return;
    }
    if (counts) {
      found->second.life.freedNs = place.ns;
      found->second.life.freedBy = m_timeline.callOf(place);
      ++m_track.freed;
      m_done.push_back(found->second);
    }
    m_live.erase(found);
  }

  void makeTensor(const MemoryEvent& event, const Place& place, bool counts) {
    if (counts) {
      ++m_track.tensorsMade;
      m_track.tensorBytes += event.bytes;
    }
    const auto found = m_live.find(event.storage);
    if (found == m_live.end()) {
      return;
    }
    const std::uint32_t writer = counts ? writerOf(place) : report::kNone;
    m_tensors.insert_or_assign(event.key, Tensor{event.storage, event.bytes, writer});
    Storage& storage = found->second;
    storage.liveTensorBytes += event.bytes;
    ++storage.life.tensorCount;
    if (storage.life.tensorCount == 1 || event.bytes > storage.life.tensorBytes) {
      storage.life.tensorBytes = event.bytes;
      storage.life.writer = writer;
    }
  }

  void freeTensor(const MemoryEvent& event) {
    const auto tensor = m_tensors.find(event.key);
    if (tensor == m_tensors.end()) {
      return;
    }
    if (const auto storage = m_live.find(tensor->second.storage); storage != m_live.end()) {
      storage->second.liveTensorBytes -= tensor->second.bytes;
    }
    m_tensors.erase(tensor);
  }

  void takeWorkspace(const MemoryEvent& event, const Place& place, bool counts) {
    if (!counts) {
      return;
    }
    ++m_track.workspaceRequests;
    if (event.bytes > m_track.largestWorkspaceBytes) {
      m_track.largestWorkspaceBytes = event.bytes;
      m_track.largestWorkspaceCall = m_timeline.callOf(place);
    }
  }

  /// A tensor made by vm.builtin.alloc_tensor is written by who takes it first; other builtins write what
  /// they make.
  std::uint32_t writerOf(const Place& place) const {
    if (place.record == RunTimeline::kNoRecord) {
      return report::kNone;
    }
    const BuildInput& input = m_timeline.input();
    const base::CallRecord& record = input.records.at(place.record);
    if (input.functionName(record.function) != "vm.builtin.alloc_tensor") {
      return m_timeline.callOf(place);
    }
    if (record.function >= input.file.data->functions.size()) {
      return m_timeline.nextKernelCallOf(place.record, m_run);  // nobody knows what machine code does with it
    }
    const auto writer = m_writers.find(record.instruction);
    if (writer == m_writers.end()) {
      return report::kNone;
    }
    const std::size_t call = m_timeline.nextCallOf(place.record, writer->second);
    return call == RunTimeline::kNoRecord ? report::kNone : m_timeline.callOf(call);
  }

  void holdPeak() {
    if (m_peakHeld) {
      return;
    }
    m_peakHeld = true;
    for (const auto& [key, storage] : m_live) {
      // Tensors of a cache show the same pages to different kernels.
      const std::int64_t tensorBytes = std::min(storage.liveTensorBytes, storage.life.bytes);
      m_atPeak[key] = {storage.number, tensorBytes, -1, report::kNone};
      m_track.peakTensorBytes += tensorBytes;
      m_track.peakGivenBytes += storage.life.givenBytes;
    }
    for (const auto& [key, tensor] : m_tensors) {
      const auto held = m_atPeak.find(tensor.storage);
      if (held != m_atPeak.end() && tensor.bytes > held->second.largestBytes) {
        held->second.largestBytes = tensor.bytes;
        held->second.writer = tensor.writer;
      }
    }
  }

  void fillHolders() {
    for (const auto& [key, held] : m_atPeak) {
      const auto place = std::ranges::lower_bound(m_done, held.number, {}, &Storage::number);
      if (place != m_done.end() && place->number == held.number) {
        m_track.holders.push_back(
            {static_cast<std::uint32_t>(place - m_done.begin()), held.tensorBytes, held.writer});
      }
    }
    std::ranges::sort(m_track.holders, [this](const auto& a, const auto& b) {
      const std::int64_t left = m_track.storages[a.storage].bytes;
      const std::int64_t right = m_track.storages[b.storage].bytes;
      return left != right ? left > right : a.storage < b.storage;
    });
    for (const report::MemoryHolder& holder : m_track.holders) {
      const report::StorageLife& life = m_track.storages[holder.storage];
      if (life.call != report::kNone && isCacheBuiltin(m_run.names[m_run.calls[life.call].name])) {
        m_track.cacheBytes += life.bytes;
      }
    }
  }

  const RunTimeline& m_timeline;
  const report::Run& m_run;
  const TensorWriters m_writers;
  const std::size_t m_eventsBeforePeak;
  report::MemoryTrack& m_track;
  std::uint64_t m_next = 0;
  bool m_peakHeld = false;
  std::unordered_map<std::uint64_t, Storage> m_live;
  std::unordered_map<std::uint64_t, Tensor> m_tensors;
  std::vector<Storage> m_done;
  std::unordered_map<std::uint64_t, AtPeak> m_atPeak;  // by key of the storage
};

std::int64_t constantBytes(const vm::ExecutableData& data) {
  std::int64_t sum = 0;
  for (const vm::Constant& constant : data.constants) {
    if (const auto* tensor = std::get_if<vm::TensorConstant>(&constant)) {
      sum += static_cast<std::int64_t>(tensor->size);
    }
  }
  return sum;
}

}  // namespace

report::MemoryTrack buildMemory(const runtime::MemoryLog& log, const RunTimeline& timeline,
                                const report::Run& run) {
  report::MemoryTrack track;
  LiveBytes storage;
  LiveBytes tensors;
  LiveBytes workspaces;
  std::vector<Place> places;
  places.reserve(log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    const MemoryEvent& event = log.at(i);
    const Place place = timeline.at(event.ticks);
    if (place.repeat == report::kNone) {
      break;  // after the last repeat
    }
    places.push_back(place);
    switch (event.kind) {
      case MemoryEventKind::StorageTaken:
        storage.take(place, event.key, event.bytes, i);
        break;
      case MemoryEventKind::StorageFreed:
        storage.free(place, event.key, i);
        break;
      case MemoryEventKind::TensorMade:
        tensors.take(place, event.key, event.bytes, i);
        break;
      case MemoryEventKind::TensorFreed:
        tensors.free(place, event.key, i);
        break;
      case MemoryEventKind::WorkspaceTaken:
        workspaces.take(place, event.key, event.bytes, i);
        break;
      case MemoryEventKind::WorkspaceFreed:
        workspaces.free(place, event.key, i);
        break;
    }
  }
  track.storage = storage.finish(run.repeats);
  track.tensors = tensors.finish(run.repeats);
  track.workspaces = workspaces.finish(run.repeats);
  track.repeat = track.storage.peakRepeat;
  track.constantBytes = constantBytes(*timeline.input().file.data);
  track.lostEvents = log.lost();
  RepeatReplay replay(timeline, run, storage.eventsBeforePeak(), track);
  for (std::size_t i = 0; i < places.size() && places[i].repeat <= track.repeat; ++i) {
    replay.apply(log.at(i), places[i], i);
  }
  replay.finish();
  return track;
}

}  // namespace opscope::profile
