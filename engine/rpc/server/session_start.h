// SPDX-License-Identifier: Apache-2.0
// What the server tells the process of a session together with the client's socket. Plain values as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/rpc/server/options.h"

namespace opscope::rpc::server {

struct SessionStart {
  std::string peer;           ///< "127.0.0.1:54321"
  std::string workDirectory;  ///< made for this session
  double timeoutS = 0;        ///< 0: none
  ClientAbi clientAbi = ClientAbi::Tvm022;
  std::string cacheDirectory;  ///< empty: no cache
  std::uint64_t cacheBytes = 0;
  std::string status;  ///< the server's as the session begins, as it answers kAskStatus
};

std::string toText(const SessionStart& start);
/// Errors: Internal.
base::Result<SessionStart> parseSessionStart(std::string_view text);

/// The session's question for what stands in opscope.server_info; the answer is JSON.
inline constexpr std::string_view kAskStatus = "status";

}  // namespace opscope::rpc::server
