// SPDX-License-Identifier: Apache-2.0
// The part of RequestRunner that profiles once for each value.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/clock.h"
#include "engine/profile/compiled_calls.h"
#include "engine/profile/memory_need.h"
#include "engine/session/call_sequence.h"
#include "engine/session/profile_preparation.h"
#include "engine/session/request_runner.h"
#include "engine/session/run_device.h"
#include "engine/session/sweep_lane.h"

namespace opscope::session {

namespace {

constexpr std::int64_t kMostThreads = 1024;

/// The profile of one value. Errors: InvalidArgument for a number of threads that cannot be.
base::Result<ProfileRequest> requestFor(const SweepRequest& sweep, std::int64_t value) {
  ProfileRequest request = sweep.profile;
  if (sweep.over != kSweepThreads) {
    request.plan.inputs.dimensions[sweep.over] = value;
    return request;
  }
  if (value < 1 || value > kMostThreads) {
    return base::Error{base::ErrorCode::InvalidArgument, fmt::format("There cannot be {} threads.", value),
                       fmt::format("Expected 1 to {}.", kMostThreads), ""};
  }
  request.settings.runtime.threads = static_cast<int>(value);
  return request;
}

bool isCancelled(const std::optional<base::Error>& error) {
  return error && error->code == base::ErrorCode::Cancelled;
}

/// Turns that each value gets: blocks of two repeats or more, since each begins with one that does not count.
std::uint32_t turnsOf(std::uint32_t repeats) {
  constexpr std::uint32_t kMost = 10;
  return std::clamp((repeats + 1) / 2, 1U, kMost);
}

/// There and back again, so that a drift of the machine is the same for all values.
void takeTurns(std::vector<std::unique_ptr<SweepLane>>& lanes, std::uint32_t repeats,
               const StopControl& stop) {
  const std::uint32_t turns = turnsOf(repeats);
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const auto until = static_cast<std::uint32_t>(std::uint64_t{repeats} * (turn + 1) / turns);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      SweepLane& lane = *lanes[turn % 2 == 0 ? i : lanes.size() - 1 - i];
      const bool isFirst = i == 0 && turn > 0;  // it was the last one of the turn before
      if (!lane.isOver()) {
        lane.runUntil(until, turn > 0 && !isFirst);
      }
      if (stop.requested()) {
        return;
      }
    }
  }
}

}  // namespace

/// A board has one session for each value. Machines in compiled mode share one copy of the library, whose
/// calls are met for one of them at a time; collectors count what threads of all machines do; the stories of
/// memory and lanes have no gaps.
bool RequestRunner::mayTakeTurns(const SweepRequest& request) const {
  return request.values.size() > 1 && !isRemote(request.profile.settings) && !request.profile.recordMemory &&
         !request.profile.recordLanes && request.profile.collectors.empty() &&
         !profile::hasCompiledFunctions(*m_opened->file.data);
}

/// Of all values together, once they take turns.
void RequestRunner::tellSweepProgress(std::size_t point, profile::Stage stage, std::uint32_t done) {
  const State state = stage == profile::Stage::WarmUp ? State::WarmingUp : State::Measuring;
  setState(state);
  if (stage == profile::Stage::Measure) {
    m_sweepDone[point] = done;
    done = std::accumulate(m_sweepDone.begin(), m_sweepDone.end(), 0U);
  }
  const std::int64_t now = base::monotonicNs();
  if (const auto progress = m_progress.update(state, done, static_cast<double>(now - m_sweepBeginNs), now)) {
    m_emit(*progress);
  }
}

base::Result<std::unique_ptr<SweepLane>> RequestRunner::beginLane(const SweepRequest& request,
                                                                  std::size_t point) {
  OPSCOPE_TRY_ASSIGN(const ProfileRequest one, requestFor(request, request.values[point]));
  // Not opened again, even if the file has changed: other lanes run what was opened.
  OPSCOPE_TRY_ASSIGN(CallSequence sequence, prepareOpened(one.path, one.plan, one.settings));
  OPSCOPE_TRY_ASSIGN(const DLDevice device, deviceOf(one.settings));
  const profile::ProfileSettings settings = profileSettings(one, sequence, device, *m_context);
  m_machineKey.reset();  // the machine is the lane's from here on
  m_progress.start(one.warmup, static_cast<std::uint32_t>(one.repeats * request.values.size()));
  m_sweepBeginNs = base::monotonicNs();
  auto lane = std::make_unique<SweepLane>(
      SweepLane::Machine{std::move(m_context), std::move(m_machine)}, std::move(sequence), m_opened->file,
      settings, m_stop,
      [this, point](profile::Stage stage, std::uint32_t done) { tellSweepProgress(point, stage, done); });
  OPSCOPE_TRY(lane->begin());
  return lane;
}

/// Measures values from `first` on by turns, as many as half of the free memory holds. Returns where the next
/// group begins.
std::size_t RequestRunner::measureGroup(const SweepRequest& request, std::size_t first,
                                        std::vector<SweepPoint>& points) {
  constexpr std::size_t kMostLanes = 32;
  const std::optional<std::uint64_t> free = profile::availableBytes();
  std::vector<std::unique_ptr<SweepLane>> lanes;
  std::vector<std::size_t> pointOf;
  std::size_t next = first;
  while (next < points.size() && lanes.size() < kMostLanes && !m_stop.requested()) {
    auto lane = beginLane(request, next);
    if (lane) {
      lanes.push_back(std::move(*lane));
      pointOf.push_back(next);
    } else {
      points[next].error = std::move(lane).error();
    }
    ++next;
    const std::optional<std::uint64_t> left = profile::availableBytes();
    if (free && left && *left < *free / 2) {
      break;
    }
  }
  takeTurns(lanes, request.profile.repeats, m_stop);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    profile::Measurement measured = lanes[i]->finish(m_stop.requested());
    lanes[i].reset();
    SweepPoint& point = points[pointOf[i]];
    point.error = std::move(measured.error);
    if (measured.run) {
      point.document = documentOf(std::move(*measured.run));
    }
  }
  return next;
}

void RequestRunner::measurePoint(const SweepRequest& request, SweepPoint& point) {
  auto measured = [&]() -> base::Result<MeasuredProfile> {
    OPSCOPE_TRY_ASSIGN(const ProfileRequest one, requestFor(request, point.value));
    return measure(one);
  }();
  if (measured) {
    point.document = std::move(measured->document);
    point.error = std::move(measured->error);
  } else {
    point.error = std::move(measured).error();
  }
}

/// What is wrong with every value is told once, before anything runs: the function, inputs that are missing,
/// a dimension that is not there. What only some values do shows when they run.
base::Result<> RequestRunner::checkSweep(const SweepRequest& request) {
  if (request.values.empty()) {
    return base::Error{base::ErrorCode::InvalidArgument, "A sweep needs values.", "", ""};
  }
  OPSCOPE_TRY(checkChoice(request.profile.plan));
  std::optional<base::Error> before;
  for (const std::int64_t value : {request.values.front(), request.values.back()}) {
    const auto one = requestFor(request, value);
    if (!one) {
      return {};  // told with its value
    }
    const auto sequence = CallSequence::prepare(one->plan, *m_opened->info, &m_faultyInput);
    if (sequence) {
      m_faultyInput.clear();
      return {};
    }
    if (before && before->message != sequence.error().message) {
      m_faultyInput.clear();
      return {};
    }
    before = sequence.error();
  }
  return *before;
}

base::Result<> RequestRunner::sweep(const SweepRequest& request) {
  OPSCOPE_TRY(ensureOpen(request.profile.path));  // without the file nothing can be measured
  OPSCOPE_TRY(checkSweep(request));
  std::vector<SweepPoint> points;
  for (const std::int64_t value : request.values) {
    points.push_back({value, {}, std::nullopt});
  }
  const bool byTurns = mayTakeTurns(request);
  m_sweepDone.assign(points.size(), 0);
  for (std::size_t next = 0; next < points.size() && !m_stop.requested();) {
    if (byTurns) {
      next = measureGroup(request, next, points);
    } else {
      measurePoint(request, points[next++]);
    }
  }
  // After a stop, values of which nothing was measured are left out.
  std::erase_if(points, [](const SweepPoint& point) {
    return point.document.run == nullptr && (!point.error || isCancelled(point.error));
  });
  if (points.empty()) {
    return base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""};
  }
  if (m_stop.requested() || m_state != State::Measuring) {
    // The last value failed before it was measured; what the others gave is a result all the same.
    setState(State::Stopping);
  }
  setState(State::Finishing);
  m_emit(SweepFinished{request.over, std::move(points)});
  setState(State::Ready);
  return {};
}

}  // namespace opscope::session
