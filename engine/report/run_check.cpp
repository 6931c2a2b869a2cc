// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_check.h"

#include <fmt/format.h>

#include <cmath>

namespace opscope::report {

namespace {

using Problem = std::optional<BodyProblem>;

Problem outOfRange(std::string place, std::string_view what, std::uint64_t found, std::uint64_t limit) {
  return BodyProblem{std::move(place),
                     fmt::format("Found {} {}, expected less than {}.", what, found, limit)};
}

/// False for NaN too.
bool isTime(double ns) {
  return ns >= 0 && ns <= kMostNs;
}

Problem wrongTime(std::string place, double ns) {
  return BodyProblem{std::move(place), fmt::format("Found {} ns, expected 0 to 1e18.", ns)};
}

Problem checkIndices(const Run& run, std::size_t position) {
  const Call& call = run.calls[position];
  const auto place = [position] { return fmt::format("call {}", position); };
  if (call.name >= run.names.size()) return outOfRange(place(), "name", call.name, run.names.size());
  if (call.shapes != kNone && call.shapes >= run.shapes.size())
    return outOfRange(place(), "shapes", call.shapes, run.shapes.size());
  if (call.device != kNone && call.device >= run.devices.size())
    return outOfRange(place(), "device", call.device, run.devices.size());
  if (call.step >= run.steps.size()) return outOfRange(place(), "step", call.step, run.steps.size());
  if (call.depth >= kMostDepth) return outOfRange(place(), "depth", call.depth, kMostDepth);
  return std::nullopt;
}

Problem checkSamples(const Run& run, std::size_t position) {
  const Call& call = run.calls[position];
  std::uint64_t least = 0;
  for (std::uint64_t sample = call.firstSample; sample < call.firstSample + call.sampleCount; ++sample) {
    const auto place = [&] {
      return fmt::format("sample {} of call {}", sample - call.firstSample, position);
    };
    if (!isTime(run.ownNs[sample])) return wrongTime(place(), run.ownNs[sample]);
    if (!isTime(run.inclusiveNs[sample])) return wrongTime(place(), run.inclusiveNs[sample]);
    const std::uint32_t repeat = run.sampleRepeat[sample];
    if (repeat >= run.repeats) return outOfRange(place(), "repeat", repeat, run.repeats);
    if (repeat < least) {
      return BodyProblem{place(), fmt::format("Found repeat {} after repeat {}.", repeat, least - 1)};
    }
    least = std::uint64_t{repeat} + 1;
  }
  return std::nullopt;
}

Problem checkCounters(const Run& run) {
  for (const CounterColumn& column : run.counters) {
    if (column.values.size() != run.ownNs.size()) {
      return BodyProblem{
          fmt::format("counter {}", column.name),
          fmt::format("Found {} values, expected {}.", column.values.size(), run.ownNs.size())};
    }
    const bool isText = column.kind == CounterColumn::Kind::Text;
    for (std::size_t sample = 0; sample < column.values.size(); ++sample) {
      if (isText && !isTextOf(column, column.values[sample])) {
        return BodyProblem{fmt::format("sample {} of counter {}", sample, column.name),
                           fmt::format("Found {}, expected a position among {} texts.", column.values[sample],
                                       column.texts.size())};
      }
      if (std::abs(column.values[sample]) > kMostCounter) {
        return BodyProblem{fmt::format("sample {} of counter {}", sample, column.name),
                           fmt::format("Found {}, expected at most 1e18.", column.values[sample])};
      }
    }
  }
  return std::nullopt;
}

Problem checkSpan(const Run& run, std::size_t position) {
  const Span& span = run.spans[position];
  const auto place = [position] { return fmt::format("span {}", position); };
  if (span.call >= run.calls.size()) return outOfRange(place(), "call", span.call, run.calls.size());
  if (span.repeat >= run.repeats) return outOfRange(place(), "repeat", span.repeat, run.repeats);
  if (!isTime(span.startNs)) return wrongTime(place(), span.startNs);
  if (!isTime(span.durationNs)) return wrongTime(place(), span.durationNs);
  if (position == 0) return std::nullopt;
  const Span& before = run.spans[position - 1];
  const bool isSorted =
      span.repeat > before.repeat || (span.repeat == before.repeat && span.startNs >= before.startNs);
  if (!isSorted) return BodyProblem{place(), "Found it before the one before it, expected order of start."};
  return std::nullopt;
}

}  // namespace

bool isTextOf(const CounterColumn& column, double value) {
  return std::isnan(value) ||
         (value >= 0 && value < static_cast<double>(column.texts.size()) && value == std::floor(value));
}

std::optional<BodyProblem> findBodyProblem(const Run& run) {
  if (run.inclusiveNs.size() != run.ownNs.size() || run.sampleRepeat.size() != run.ownNs.size()) {
    return BodyProblem{"samples",
                       fmt::format("Found {} own times, {} inclusive times and {} repeats.", run.ownNs.size(),
                                   run.inclusiveNs.size(), run.sampleRepeat.size())};
  }
  if (Problem problem = checkCounters(run)) return problem;
  std::uint64_t next = 0;
  for (std::size_t position = 0; position < run.calls.size(); ++position) {
    if (Problem problem = checkIndices(run, position)) return problem;
    const Call& call = run.calls[position];
    if (call.firstSample != next || call.sampleCount > run.ownNs.size() - next) {
      return BodyProblem{fmt::format("call {}", position),
                         "Its samples do not follow those of the call before."};
    }
    next += call.sampleCount;
    if (Problem problem = checkSamples(run, position)) return problem;
  }
  if (next != run.ownNs.size()) {
    return BodyProblem{"samples", fmt::format("Found {}, expected {}.", run.ownNs.size(), next)};
  }
  for (std::size_t position = 0; position < run.spans.size(); ++position) {
    if (Problem problem = checkSpan(run, position)) return problem;
  }
  return std::nullopt;
}

}  // namespace opscope::report
