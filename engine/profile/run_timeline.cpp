// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/run_timeline.h"

#include <algorithm>

namespace opscope::profile {

RunTimeline::RunTimeline(const BuildInput& input, const RunPlaces& places)
    : m_input(input), m_places(places), m_parents(input.records.size(), kNoRecord) {
  for (std::uint32_t repeat = 0; repeat < input.repeats.size(); ++repeat) {
    const RepeatMarks& marks = input.repeats[repeat];
    for (std::size_t i = 0; i < marks.size(); ++i) {
      m_steps.push_back({marks[i].beginTicks, marks[i].endTicks, repeat, places.stepStartNs[repeat][i],
                         marks[i].firstRecord, marks[i].endRecord});
      addParents(m_steps.back());
    }
  }
}

void RunTimeline::addParents(const Step& step) {
  std::vector<std::size_t> open;
  for (std::size_t at = step.firstRecord; at < step.endRecord; ++at) {
    const std::uint32_t depth = m_input.records.at(at).depth;
    while (!open.empty() && m_input.records.at(open.back()).depth >= depth) {
      open.pop_back();
    }
    m_parents[at] = open.empty() ? kNoRecord : open.back();
    open.push_back(at);
  }
}

std::size_t RunTimeline::recordAt(const Step& step, std::uint64_t ticks) const {
  // Records stand in the order in which their calls began.
  std::size_t low = step.firstRecord;
  std::size_t high = step.endRecord;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (m_input.records.at(middle).beginTicks <= ticks) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  std::size_t at = low == step.firstRecord ? kNoRecord : low - 1;
  while (at != kNoRecord && m_input.records.at(at).endTicks < ticks) {
    at = m_parents[at];
  }
  return at;
}

RunTimeline::Place RunTimeline::at(std::uint64_t ticks) const {
  const auto after = std::ranges::upper_bound(m_steps, ticks, {}, &Step::beginTicks);
  if (after != m_steps.begin()) {
    const Step& step = *std::prev(after);
    if (ticks <= step.endTicks) {
      return {step.repeat, step.startNs + m_input.scale.nsBetween(step.beginTicks, ticks), true,
              recordAt(step, ticks)};
    }
  }
  if (after == m_steps.end()) {
    return {};
  }
  return {after->repeat, after->startNs, false, kNoRecord};
}

std::uint32_t RunTimeline::callOf(const Place& place) const {
  return place.record == kNoRecord ? report::kNone : callOf(place.record);
}

/// End of the records after `record` in its step, as far as an allocation and its use may be apart.
std::size_t RunTimeline::endOfSearch(std::size_t record) const {
  constexpr std::size_t kNear = 4096;  // they are a few calls apart
  const auto after = std::ranges::upper_bound(m_steps, record, {}, &Step::firstRecord);
  return after == m_steps.begin() ? 0 : std::min(std::prev(after)->endRecord, record + kNear);
}

std::uint32_t RunTimeline::nextKernelCallOf(std::size_t record, const report::Run& run) const {
  const std::size_t end = endOfSearch(record);
  const std::uint32_t depth = m_input.records.at(record).depth;
  for (std::size_t at = record + 1; at < end && m_input.records.at(at).depth >= depth; ++at) {
    const std::uint32_t call = callOf(at);
    if (m_input.records.at(at).depth == depth && call != report::kNone && run.calls[call].kernel) {
      return call;
    }
  }
  return report::kNone;
}

std::size_t RunTimeline::nextCallOf(std::size_t record, std::uint32_t instruction) const {
  const std::size_t end = endOfSearch(record);
  const std::uint32_t depth = m_input.records.at(record).depth;
  for (std::size_t at = record + 1; at < end && m_input.records.at(at).depth >= depth; ++at) {
    const base::CallRecord& candidate = m_input.records.at(at);
    if (candidate.instruction == instruction && candidate.depth == depth) {
      return at;
    }
  }
  return kNoRecord;
}

}  // namespace opscope::profile
