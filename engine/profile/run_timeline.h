// SPDX-License-Identifier: Apache-2.0
// Finds the place of a moment in a run: which repeat, how long after its start, within which call. Made after
// the measuring is over; reads records and marks, which must outlive it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/profile/run_builder.h"

namespace opscope::profile {

class RunTimeline {
 public:
  static constexpr std::size_t kNoRecord = ~std::size_t{0};

  struct Place {
    std::uint32_t repeat = report::kNone;  ///< kNone: after the last repeat
    double ns = 0;                         ///< since the start of the repeat
    bool inStep = false;                   ///< false: between steps, placed at the next step's start
    std::size_t record = kNoRecord;        ///< of the innermost call in progress
  };

  RunTimeline(const BuildInput& input, const RunPlaces& places);

  /// What happens between repeats and before the first belongs to the repeat that follows, at its start.
  Place at(std::uint64_t ticks) const;

  /// Index into Run::calls; kNone: no call was in progress, or it is no part of the run.
  std::uint32_t callOf(const Place& place) const;
  std::uint32_t callOf(std::size_t record) const { return m_places.callOfRecord[record]; }

  /// The next record after `record` in the same step, at the same depth, that calls instruction
  /// `instruction`; kNoRecord when there is none near.
  std::size_t nextCallOf(std::size_t record, std::uint32_t instruction) const;

  /// The call of the next kernel after `record` in the same step, at the same depth; kNone when there is none
  /// near.
  std::uint32_t nextKernelCallOf(std::size_t record, const report::Run& run) const;

  const BuildInput& input() const { return m_input; }

 private:
  struct Step {
    std::uint64_t beginTicks = 0;
    std::uint64_t endTicks = 0;
    std::uint32_t repeat = 0;
    double startNs = 0;
    std::size_t firstRecord = 0;
    std::size_t endRecord = 0;
  };

  void addParents(const Step& step);
  std::size_t endOfSearch(std::size_t record) const;
  std::size_t recordAt(const Step& step, std::uint64_t ticks) const;

  const BuildInput& m_input;
  const RunPlaces& m_places;
  std::vector<Step> m_steps;           // in order of time
  std::vector<std::size_t> m_parents;  // by record: the one that encloses it
};

}  // namespace opscope::profile
