// SPDX-License-Identifier: Apache-2.0
// Several runs of one thing as one, for comparing groups: the samples of all, and which run each is of. Built
// once, then immutable; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/report/run.h"

namespace opscope::report {

struct RunPool {
  Document document;  ///< of one run the run itself; of several, see poolRuns
  std::vector<std::shared_ptr<const Run>> runs;
  std::vector<std::uint32_t> firstRepeats;  ///< of each run in the document's, and its number of repeats

  std::size_t size() const { return runs.size(); }
};

/// At least one document, each with a run. Of several the document holds ops and samples alone: the calls of
/// an op (name, shapes and device) that a run has more than another are calls that not each repeat makes, and
/// repeats are numbered on from run to run. There are no spans, counters, memory or lanes; what the first run
/// tells of itself stands for all.
RunPool poolRuns(std::span<const Document> documents);

/// Own time of `calls` of the pool's run in us, for each of its runs over its repeats, as samplesOf.
std::vector<std::vector<double>> samplesByRun(const RunPool& pool, std::span<const std::uint32_t> calls);

/// Whether each of the runs has samples, and not only means.
bool hasSamples(const RunPool& pool);

}  // namespace opscope::report
