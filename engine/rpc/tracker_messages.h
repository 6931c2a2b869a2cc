// SPDX-License-Identifier: Apache-2.0
// The tracker's messages as text (JSON). Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/rpc/tracker_client.h"

namespace opscope::rpc {

/// `[6]`.
std::string summaryRequest();
/// `[4, key, user, priority]`.
std::string boardRequest(const BoardRequest& request);

/// A tracker's answer to either: `[0, {...}]` is a summary, `[0, [host, port, key]]` a board. Hosts that the
/// tracker knows as its own computer become `trackerHost`.
struct TrackerAnswer {
  std::optional<TrackerSummary> summary;
  std::optional<TrackerBoard> board;
};
/// Errors: Format for other texts; Remote when the tracker says that it failed.
base::Result<TrackerAnswer> readTrackerAnswer(std::string_view text, const std::string& trackerHost);

}  // namespace opscope::rpc
