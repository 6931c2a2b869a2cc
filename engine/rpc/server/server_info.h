// SPDX-License-Identifier: Apache-2.0
// What a server tells of itself, as JSON. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rpc/server/options.h"

namespace opscope::rpc::server {

/// A session as others may see it.
struct SessionFacts {
  std::string peer;
  std::string holder;  ///< who the client says that it is; may be empty
  std::int64_t sinceUnixS = 0;
};

struct ServerStatus {
  std::vector<SessionFacts> sessions;
  std::size_t waiting = 0;  ///< clients that wait until a session ends
  std::size_t maxSessions = 0;
  std::string key;
  bool fromTracker = false;
};

/// The part that only the server knows. At most `mostSessions` of them are listed, the oldest first; their
/// number is always told.
std::string statusJson(const ServerStatus& status, std::size_t mostSessions = 100);

/// {"schema": "opscope.server/1", "version", "abi", "architecture", "devices": [{"name", "description"}],
///  "memory": {"total_bytes", "available_bytes"}, "time_unix_ns", "monotonic_ns", and what is in `status`}
/// `devices` is deviceList()'s.
std::string serverInfo(ClientAbi abi, std::string_view devices, std::string_view status);

/// [{"name", "description"}]: looked up once a session, before it has a client.
std::string deviceList();

}  // namespace opscope::rpc::server
