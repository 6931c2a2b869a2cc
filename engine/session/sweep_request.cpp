// SPDX-License-Identifier: Apache-2.0
// The part of RequestRunner that profiles once for each value.
#include <fmt/format.h>

#include "engine/session/call_sequence.h"
#include "engine/session/request_runner.h"

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

}  // namespace

base::Result<> RequestRunner::sweep(const SweepRequest& request) {
  OPSCOPE_TRY(ensureOpen(request.profile.path));  // without the file nothing can be measured
  if (request.values.empty()) {
    return base::Error{base::ErrorCode::InvalidArgument, "A sweep needs values.", "", ""};
  }
  SweepFinished finished;
  finished.over = request.over;
  for (const std::int64_t value : request.values) {
    SweepPoint point{value, {}, std::nullopt};
    auto measured = [&]() -> base::Result<MeasuredProfile> {
      OPSCOPE_TRY_ASSIGN(const ProfileRequest one, requestFor(request, value));
      return measure(one);
    }();
    if (measured) {
      point.document = std::move(measured->document);
      point.error = std::move(measured->error);
    } else {
      point.error = std::move(measured).error();
    }
    const bool stopped = isCancelled(point.error);
    if (!stopped || point.document.run != nullptr) {
      finished.points.push_back(std::move(point));
    }
    if (stopped) {
      setState(State::Stopping);
      break;
    }
  }
  if (finished.points.empty()) {
    return base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""};
  }
  if (m_state != State::Stopping && m_state != State::Measuring) {
    // The last value failed before it was measured; what the others gave is a result all the same.
    setState(State::Stopping);
  }
  setState(State::Finishing);
  m_emit(std::move(finished));
  setState(State::Ready);
  return {};
}

}  // namespace opscope::session
