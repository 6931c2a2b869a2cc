// SPDX-License-Identifier: Apache-2.0
// The same profile on every free board of a key, at once. On a thread that may wait; each board has a session
// of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/run.h"
#include "engine/session/requests.h"

namespace opscope::session {

struct FleetResult {
  std::string board;                 ///< "10.0.0.7:9090"; the number of the request where it has none
  report::Document document;         ///< run is null when nothing was measured
  std::optional<base::Error> error;  ///< why it is not there or not whole
};

struct FleetOptions {
  std::stop_token stop;
  /// Told once: how many boards were free and are asked. May be empty.
  std::function<void(std::size_t boards)> onStart = {};
  /// Told as each one ends, one at a time, on threads of their own. May be empty.
  std::function<void(const FleetResult&)> onResult;
};

/// `request` has a tracker as its target. Results are in the order in which they came. Errors:
/// InvalidArgument for another target; NotFound when no board with the key is free; those of the tracker.
base::Result<std::vector<FleetResult>> profileFleet(const ProfileRequest& request,
                                                    const FleetOptions& options);

}  // namespace opscope::session
