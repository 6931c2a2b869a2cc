// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/server_info.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/runtime/device_providers.h"
#include "engine/runtime/elf_image.h"
#include "engine/runtime/machine_memory.h"
#include "opscope/version.h"

namespace opscope::rpc::server {

namespace {

std::string textOf(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string statusJson(const ServerStatus& status, std::size_t mostSessions) {
  nlohmann::json sessions = nlohmann::json::array();
  for (const SessionFacts& session : status.sessions) {
    if (sessions.size() == mostSessions) {
      break;
    }
    sessions.push_back(
        {{"peer", session.peer}, {"holder", session.holder}, {"since_unix_s", session.sinceUnixS}});
  }
  return textOf({{"sessions", sessions},
                 {"session_count", status.sessions.size()},
                 {"max_sessions", status.maxSessions},
                 {"waiting", status.waiting},
                 {"key", status.key},
                 {"tracker", status.fromTracker}});
}

std::string deviceList() {
  nlohmann::json devices = nlohmann::json::array();
  for (const runtime::DeviceInfo& device : runtime::listDevices()) {
    devices.push_back({{"name", device.name}, {"description", device.description}});
  }
  return textOf(devices);
}

std::string serverInfo(ClientAbi abi, std::string_view devices, std::string_view status) {
  nlohmann::json json = nlohmann::json::parse(status, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    json = nlohmann::json::object();
  }
  json["schema"] = "opscope.server/1";
  json["version"] = OPSCOPE_VERSION;
  json["abi"] = abi == ClientAbi::Tvm021 ? "0.21" : "0.22";
  json["architecture"] = runtime::hostArchitecture();
  json["devices"] = nlohmann::json::parse(devices, nullptr, /*allow_exceptions=*/false);
  const runtime::MachineMemory memory = runtime::machineMemory();
  json["memory"] = {{"total_bytes", memory.totalBytes},
                    {"available_bytes", memory.availableBytes.value_or(0)}};
  const auto sinceEpoch = std::chrono::system_clock::now().time_since_epoch();
  json["time_unix_ns"] = std::chrono::duration_cast<std::chrono::nanoseconds>(sinceEpoch).count();
  json["monotonic_ns"] = base::monotonicNs();
  return textOf(json);
}

}  // namespace opscope::rpc::server
