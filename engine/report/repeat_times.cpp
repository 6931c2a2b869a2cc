// SPDX-License-Identifier: Apache-2.0
#include "engine/report/repeat_times.h"

#include <algorithm>
#include <unordered_map>

namespace opscope::report {

RepeatTimes repeatTimes(const Run& run, std::uint32_t from, std::uint32_t first) {
  RepeatTimes times;
  times.first = times.opsFirst = first;
  if (from >= run.repeats) {
    return times;
  }
  const std::size_t repeats = run.repeats - from;
  if (!run.totals.empty()) {
    const std::vector<double>& totals = run.totals.front().totalNs;
    times.totalNs.assign(totals.begin() + from, totals.end());
  }
  std::unordered_map<std::uint32_t, std::size_t> opOfName;
  std::vector<std::vector<std::uint32_t>> counts;  // [op][repeat]
  for (const Call& call : run.calls) {
    if (!call.inReport) {
      continue;
    }
    const auto [place, isNew] = opOfName.try_emplace(call.name, times.ops.size());
    if (isNew) {
      times.ops.push_back({run.names[call.name], 0, std::vector<double>(repeats)});
      counts.emplace_back(repeats);
    }
    for (std::uint64_t sample = call.firstSample; sample < call.firstSample + call.sampleCount; ++sample) {
      const std::uint32_t repeat = run.sampleRepeat[sample];
      if (repeat >= from) {
        times.ops[place->second].ownNs[repeat - from] += run.ownNs[sample];
        ++counts[place->second][repeat - from];
      }
    }
  }
  for (std::size_t op = 0; op < counts.size(); ++op) {
    times.ops[op].calls = *std::ranges::max_element(counts[op]);
  }
  std::erase_if(times.ops, [](const RepeatTimes::Op& op) { return op.calls == 0; });
  return times;
}

}  // namespace opscope::report
