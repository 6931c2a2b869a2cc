// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_opening.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <stop_token>
#include <utility>

#include "engine/rpc/address.h"
#include "engine/rpc/tracker_client.h"
#include "engine/runtime/device_providers.h"
#include "engine/session/device_name.h"
#include "engine/session/run_device.h"

namespace opscope::session {

base::Result<DLDevice> remoteDeviceOf(const RunSettings& settings) {
  if (settings.device.empty()) {
    return DLDevice{kDLCPU, 0};
  }
  const std::string_view text = settings.device;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  int id = 0;
  if (colon < text.size()) {
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data() + colon + 1, end, id);
    if (code != std::errc() || stop != end || id < 0) {
      return base::Error{base::ErrorCode::InvalidArgument, fmt::format("\"{}\" is no device.", text),
                         "Expected a kind and a number, for example cpu:0 or cuda:0.", ""};
    }
  }
  constexpr int kMostKinds = 64;
  for (int type = 1; type < kMostKinds; ++type) {
    if (runtime::deviceTypeName(type) == name) {
      return DLDevice{static_cast<DLDeviceType>(type), id};
    }
  }
  return base::Error{base::ErrorCode::InvalidArgument, fmt::format("\"{}\" is no kind of device.", name),
                     "Expected for example cpu, cuda, opencl, vulkan, metal.", ""};
}

base::Result<> checkDeviceName(const std::string& text) {
  RunSettings settings;
  settings.device = text;
  OPSCOPE_TRY(remoteDeviceOf(settings));
  return {};
}

namespace {

/// "user@computer", for others who wait for the board.
std::string clientName() {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) {
    return {};
  }
  const char* const user = std::getenv("USER");
  return fmt::format("{}@{}", user != nullptr && *user != 0 ? user : "opscope", host);
}

/// "raspi: 2 boards, none free, 3 wait".
std::string waitingWords(const Target& target, const rpc::TrackerQueue& queue, std::int64_t servers) {
  return fmt::format("{}: waiting for a board with key {}: {} known, {} free, {} waiting",
                     rpc::addressText(target.host, target.port), target.key, servers, queue.free,
                     queue.waiting);
}

/// Asks the tracker for a board; its address and one-time key replace the target's.
base::Result<> askTracker(const Target& target, const BoardOptions& options, rpc::ConnectSettings& settings) {
  rpc::TrackerSettings trackerSettings;
  trackerSettings.host = target.host;
  trackerSettings.port = target.port;
  trackerSettings.stop = options.stop;
  if (options.timeoutSeconds > 0) {
    const auto time = millisecondsOf(options.timeoutSeconds);
    trackerSettings.connectTime = std::min(trackerSettings.connectTime, time);
    trackerSettings.answerTime = std::min(trackerSettings.answerTime, time);
  }
  OPSCOPE_TRY_ASSIGN(const auto tracker, rpc::TrackerClient::open(trackerSettings));
  const double seconds = target.waitSeconds.value_or(options.timeoutSeconds > 0 ? options.timeoutSeconds
                                                                                : RemoteBoard::kQueueSeconds);
  rpc::BoardRequest request;
  request.key = target.key;
  request.priority = target.priority;
  request.deadline = rpc::Deadline::after(millisecondsOf(seconds));
  std::string last;
  request.onWaiting = [&](const rpc::TrackerQueue& queue, std::int64_t servers) {
    std::string words = waitingWords(target, queue, servers);
    if (options.waiting && words != last) {
      options.waiting(words);
    }
    last = std::move(words);
  };
  const std::stop_callback cancel(options.stop, [&tracker] { tracker->cancel(); });
  OPSCOPE_TRY_ASSIGN(const rpc::TrackerBoard board, tracker->request(request));
  settings.host = board.host;
  settings.port = board.port;
  settings.key = board.matchKey;
  return {};
}

}  // namespace

base::Result<rpc::ConnectSettings> connectSettings(const Target& target, const BoardOptions& options) {
  if (!target.isRemote()) {
    return base::Error{base::ErrorCode::InvalidArgument, fmt::format("{} is no board.", target.text), "", ""};
  }
  rpc::ConnectSettings settings;
  settings.host = target.host;
  settings.port = target.port;
  settings.key = target.key;
  settings.secret = options.secret;
  settings.stop = options.stop;
  settings.clientName = clientName();
  const double seconds = options.timeoutSeconds > 0 ? options.timeoutSeconds : RemoteBoard::kCallSeconds;
  settings.callTime = millisecondsOf(seconds);
  if (options.timeoutSeconds > 0) {
    settings.connectTime = std::min(settings.connectTime, millisecondsOf(options.timeoutSeconds));
    settings.copyTime = millisecondsOf(options.timeoutSeconds);
    settings.answerTime = std::min(settings.answerTime, millisecondsOf(options.timeoutSeconds));
  }
  if (target.kind == Target::Kind::Tracker) {
    OPSCOPE_TRY(askTracker(target, options, settings));
  }
  return settings;
}

}  // namespace opscope::session
