// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/session_start.h"

#include <nlohmann/json.hpp>

namespace opscope::rpc::server {

std::string toText(const SessionStart& start) {
  const nlohmann::json json = {{"peer", start.peer},
                               {"work_directory", start.workDirectory},
                               {"timeout_s", start.timeoutS},
                               {"tvm021", start.clientAbi == ClientAbi::Tvm021},
                               {"cache_directory", start.cacheDirectory},
                               {"cache_bytes", start.cacheBytes},
                               {"status", start.status}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

base::Result<SessionStart> parseSessionStart(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return base::Error{base::ErrorCode::Internal, "The server's message to its session is damaged", {}, {}};
  }
  SessionStart start;
  start.peer = json.value("peer", "");
  start.workDirectory = json.value("work_directory", "");
  start.timeoutS = json.value("timeout_s", 0.0);
  start.clientAbi = json.value("tvm021", false) ? ClientAbi::Tvm021 : ClientAbi::Tvm022;
  start.cacheDirectory = json.value("cache_directory", "");
  start.cacheBytes = json.value("cache_bytes", std::uint64_t{0});
  start.status = json.value("status", "");
  return start;
}

}  // namespace opscope::rpc::server
