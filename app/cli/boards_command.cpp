// SPDX-License-Identifier: Apache-2.0
// `boards`: what a tracker knows.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <stop_token>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/text_table.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/rpc/address.h"
#include "engine/rpc/tracker_client.h"
#include "engine/session/targets.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

base::Result<rpc::TrackerSummary> summaryOf(const BoardsOptions& options, std::stop_token stop) {
  OPSCOPE_TRY_ASSIGN(const session::Target target, session::parseTracker(options.tracker));
  const std::chrono::milliseconds time =
      session::millisecondsOf(options.timeoutSeconds > 0 ? options.timeoutSeconds : kBoardTimeoutSeconds);
  OPSCOPE_TRY_ASSIGN(const auto tracker,
                     rpc::TrackerClient::open({target.host, target.port, time, time, std::move(stop)}));
  OPSCOPE_TRY_ASSIGN(rpc::TrackerSummary summary, tracker->summary());
  if (target.key.empty()) {
    return summary;
  }
  std::erase_if(summary.queues, [&](const rpc::TrackerQueue& queue) { return queue.key != target.key; });
  std::erase_if(summary.servers, [&](const rpc::TrackerServer& server) { return server.key != target.key; });
  return summary;
}

std::string asJson(const BoardsOptions& options, const rpc::TrackerSummary& summary) {
  Json object = {{"schema", "opscope.boards/1"}, {"tracker", options.tracker}};
  object["keys"] = Json::array();
  for (const rpc::TrackerQueue& queue : summary.queues) {
    object["keys"].push_back({{"key", queue.key},
                              {"boards", summary.serversOf(queue.key)},
                              {"free", queue.free},
                              {"waiting", queue.waiting}});
  }
  object["boards"] = Json::array();
  for (const rpc::TrackerServer& server : summary.servers) {
    object["boards"].push_back({{"key", server.key}, {"host", server.host}, {"port", server.port}});
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string asText(const rpc::TrackerSummary& summary, const Console& console) {
  if (summary.servers.empty() && summary.queues.empty()) {
    return "The tracker knows no boards.\n";
  }
  std::string text;
  std::map<std::string, std::string> addresses;
  for (const rpc::TrackerServer& server : summary.servers) {
    std::string& list = addresses[server.key];
    list += (list.empty() ? "" : ", ") + rpc::addressText(server.host, server.port);
  }
  for (const rpc::TrackerQueue& queue : summary.queues) {
    const std::int64_t boards = summary.serversOf(queue.key);
    text += fmt::format("{}  {}, {} free, {} waiting\n", console.heading(base::printable(queue.key)),
                        countText(static_cast<std::uint64_t>(boards), "board", "boards"), queue.free,
                        queue.waiting);
    if (!addresses[queue.key].empty()) {
      text += fmt::format("  {}\n", base::printable(addresses[queue.key]));
    }
    addresses.erase(queue.key);
  }
  for (const auto& [key, list] : addresses) {  // those that nobody asked for yet
    text += list.empty()
                ? ""
                : fmt::format("{}\n  {}\n", console.heading(base::printable(key)), base::printable(list));
  }
  return text;
}

}  // namespace

int boards(const BoardsOptions& options, Console& console, Interrupts& interrupts) {
  std::stop_source stop;
  interrupts.onFirst([&stop] { stop.request_stop(); });
  const auto summary = summaryOf(options, stop.get_token());
  interrupts.onFirst({});
  if (!summary) {
    if (summary.error().code == base::ErrorCode::Cancelled) {
      return kInterrupted;
    }
    console.error(summary.error());
    return kWorkFailed;
  }
  return writeOut(console, options.json ? asJson(options, *summary) : asText(*summary, console));
}

}  // namespace opscope::cli
