// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_append.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace opscope::report {

namespace {

std::string_view textAt(const std::vector<std::string>& texts, std::uint32_t index) {
  return index < texts.size() ? std::string_view(texts[index]) : std::string_view();
}

bool isSameCall(const Run& a, const Call& one, const Run& b, const Call& other) {
  return textAt(a.names, one.name) == textAt(b.names, other.name) &&
         textAt(a.shapes, one.shapes) == textAt(b.shapes, other.shapes) &&
         textAt(a.devices, one.device) == textAt(b.devices, other.device) &&
         one.instruction == other.instruction && one.depth == other.depth && one.step == other.step &&
         one.inReport == other.inReport && one.kernel == other.kernel;
}

/// The samples of a call are where it says that they are.
bool hasItsSamples(const Run& run, const Call& call) {
  const std::size_t end = call.firstSample + call.sampleCount;
  return call.firstSample <= end && end <= run.ownNs.size() && end <= run.inclusiveNs.size() &&
         end <= run.sampleRepeat.size();
}

bool canAppend(const Run& run, const Run& more) {
  const auto isWhole = [](const Run& each) {
    return std::ranges::all_of(each.calls, [&](const Call& call) { return hasItsSamples(each, call); }) &&
           std::ranges::all_of(
               each.totals, [&](const DeviceTotal& total) { return total.totalNs.size() == each.repeats; });
  };
  return run.calls.size() == more.calls.size() && run.stepNs.size() == more.stepNs.size() && isWhole(run) &&
         isWhole(more) &&
         std::ranges::equal(run.totals, more.totals, {}, &DeviceTotal::device, &DeviceTotal::device) &&
         std::ranges::equal(run.calls, more.calls, [&](const Call& one, const Call& other) {
           return isSameCall(run, one, more, other);
         });
}

/// Values of one column for each call: those of the run, then the new ones.
template <class Value, class New>
std::vector<Value> joined(const Run& run, const Run& more, const std::vector<Value>& values, New newValue) {
  std::vector<Value> result;
  result.reserve(values.size() + more.ownNs.size());
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const Call& before = run.calls[i];
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(before.firstSample);
    result.insert(result.end(), first, first + before.sampleCount);
    const Call& behind = more.calls[i];
    for (std::uint64_t at = behind.firstSample; at < behind.firstSample + behind.sampleCount; ++at) {
      result.push_back(newValue(at));
    }
  }
  return result;
}

void appendCounters(Run& run, const Run& more) {
  constexpr double kNotTold = std::numeric_limits<double>::quiet_NaN();
  for (CounterColumn& column : run.counters) {
    if (column.values.size() == run.ownNs.size()) {
      column.values = joined(run, more, column.values, [](std::uint64_t) { return kNotTold; });
    }
    if (!column.totals.empty()) {
      column.totals.resize(column.totals.size() + more.repeats, kNotTold);
    }
  }
}

}  // namespace

bool appendRepeats(Run& run, const Run& more) {
  if (!canAppend(run, more)) {
    return false;
  }
  appendCounters(run, more);
  std::vector<double> own = joined(run, more, run.ownNs, [&](std::uint64_t at) { return more.ownNs[at]; });
  std::vector<double> inclusive =
      joined(run, more, run.inclusiveNs, [&](std::uint64_t at) { return more.inclusiveNs[at]; });
  std::vector<std::uint32_t> repeat = joined(
      run, more, run.sampleRepeat, [&](std::uint64_t at) { return run.repeats + more.sampleRepeat[at]; });
  run.ownNs = std::move(own);
  run.inclusiveNs = std::move(inclusive);
  run.sampleRepeat = std::move(repeat);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    run.calls[i].firstSample = first;
    run.calls[i].sampleCount += more.calls[i].sampleCount;
    first += run.calls[i].sampleCount;
  }
  for (Span span : more.spans) {
    span.repeat += run.repeats;
    run.spans.push_back(span);
  }
  for (std::size_t i = 0; i < run.totals.size(); ++i) {
    run.totals[i].totalNs.insert(run.totals[i].totalNs.end(), more.totals[i].totalNs.begin(),
                                 more.totals[i].totalNs.end());
  }
  for (std::size_t i = 0; i < run.stepNs.size(); ++i) {
    run.stepNs[i].insert(run.stepNs[i].end(), more.stepNs[i].begin(), more.stepNs[i].end());
  }
  run.repeats += more.repeats;
  if (run.configuration.find("Repeats") != nullptr) {
    run.configuration.set("Repeats", Count{run.repeats});
  }
  return true;
}

}  // namespace opscope::report
