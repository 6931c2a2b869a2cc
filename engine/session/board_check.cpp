// SPDX-License-Identifier: Apache-2.0
#include "engine/session/board_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/clock.h"
#include "engine/rpc/address.h"
#include "engine/rpc/client.h"
#include "engine/rpc/connection.h"
#include "engine/rpc/remote_calls.h"
#include "engine/rpc/tracker_client.h"
#include "engine/runtime/device_providers.h"
#include "engine/session/board_holder.h"
#include "engine/session/name_lookup.h"
#include "engine/session/probe_bytes.h"

namespace opscope::session {

namespace {

using Outcome = CheckStep::Outcome;

/// 0 for what is no number, whatever a server writes there.
double numberIn(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_number() ? place->get<double>() : 0.0;
}

class Doctor {
 public:
  Doctor(const Target& target, const CheckOptions& options) : m_target(target), m_options(options) {
    m_check.target = target.text;
    m_settings.host = target.host;
    m_settings.port = target.port;
    m_settings.key = target.key;
    m_settings.secret = options.secret;
    m_settings.stop = options.stop;
    m_settings.connectTime = m_settings.answerTime = m_settings.callTime = time();
  }

  BoardCheck check() {
    if (auto done = run(); !done) {
      m_check.failure = std::move(done).error();
    }
    if (m_client) {
      m_client->shutdown();
    }
    return std::move(m_check);
  }

 private:
  std::chrono::milliseconds time() const {
    return millisecondsOf(m_options.timeoutSeconds > 0 ? m_options.timeoutSeconds
                                                       : CheckOptions().timeoutSeconds);
  }

  base::Result<> run() {
    if (m_target.kind == Target::Kind::Local || m_target.kind == Target::Kind::Isolated) {
      return base::Error{base::ErrorCode::InvalidArgument, "The target is this program itself.",
                         "There is nothing to check.", "Give rpc://HOST:PORT or tracker://HOST:PORT/KEY."};
    }
    if (m_target.kind == Target::Kind::Tracker) {
      OPSCOPE_TRY(findName("tracker-name", "Name of the tracker", m_target.host));
      OPSCOPE_TRY(askTracker());
      OPSCOPE_TRY(takeBoard());
    }
    OPSCOPE_TRY(findName("name", "Name of the board", m_settings.host));
    OPSCOPE_TRY(connect());
    OPSCOPE_TRY(openSession());
    OPSCOPE_TRY(findFunctions());
    OPSCOPE_TRY(findDevices());
    OPSCOPE_TRY(readMemory());
    return readClock();
  }

  void begin() { m_beginNs = base::monotonicNs(); }

  void tell(std::string id, std::string title, Outcome outcome, std::string words) {
    const double ms = static_cast<double>(base::monotonicNs() - m_beginNs) / 1e6;
    m_check.steps.push_back({std::move(id), std::move(title), outcome, std::move(words), ms});
    if (m_options.onStep) {
      m_options.onStep(m_check.steps.back());
    }
    begin();
  }
  void pass(std::string id, std::string title, std::string words) {
    tell(std::move(id), std::move(title), Outcome::Passed, std::move(words));
  }
  base::Error fail(std::string id, std::string title, base::Error error) {
    tell(std::move(id), std::move(title), Outcome::Failed, error.message);
    return error;
  }

  base::Result<> findName(const char* id, const char* title, const std::string& host) {
    begin();
    auto addresses = lookUp(host);
    if (!addresses) {
      base::Error error = std::move(addresses).error();
      const bool keyIsHost = !m_target.key.empty() && lookUp(m_target.key);
      if (keyIsHost) {
        error.hint = fmt::format("\"{}\" is the name of a computer: host and key may have changed places.",
                                 m_target.key);
      }
      return fail(id, title, std::move(error));
    }
    pass(id, title, fmt::format("{} is {}", host, fmt::join(*addresses, ", ")));
    return {};
  }

  base::Result<> askTracker() {
    rpc::TrackerSettings settings{m_target.host, m_target.port, time(), time(), m_options.stop};
    auto tracker = rpc::TrackerClient::open(settings);
    if (!tracker) {
      base::Error error = std::move(tracker).error();
      if (answersAsServer()) {
        error.hint = fmt::format("A server listens there, no tracker: try rpc://{}.",
                                 rpc::addressText(m_target.host, m_target.port));
      }
      return fail("tracker", "Tracker answers", std::move(error));
    }
    m_tracker = std::move(*tracker);
    pass("tracker", "Tracker answers", m_tracker->peer());
    auto summary = m_tracker->summary();
    if (!summary) {
      return fail("key", "Key is known", std::move(summary).error());
    }
    const rpc::TrackerQueue queue = summary->queueOf(m_target.key);
    const std::int64_t servers = summary->serversOf(m_target.key);
    if (servers == 0 && queue.free == 0) {
      return fail("key", "Key is known", unknownKey(*summary));
    }
    pass("key", "Key is known",
         fmt::format("{}: {} known, {} free, {} waiting", m_target.key, servers, queue.free, queue.waiting));
    m_servers = servers;
    return {};
  }

  base::Error unknownKey(const rpc::TrackerSummary& summary) const {
    std::vector<std::string> keys;
    for (const rpc::TrackerQueue& queue : summary.queues) {
      keys.push_back(queue.key);
    }
    return {base::ErrorCode::NotFound, fmt::format("The tracker knows no board with key {}.", m_target.key),
            keys.empty() ? "It knows no board at all." : fmt::format("It knows {}.", fmt::join(keys, ", ")),
            "Look at the key, or start the board's server with --tracker and this --key."};
  }

  base::Result<> takeBoard() {
    rpc::BoardRequest request;
    request.key = m_target.key;
    request.priority = m_target.priority;
    request.deadline =
        rpc::Deadline::after(m_target.waitSeconds ? millisecondsOf(*m_target.waitSeconds) : time());
    auto board = m_tracker->request(request);
    if (!board) {
      base::Error error = std::move(board).error();
      if (error.code == base::ErrorCode::Timeout) {
        error.hint =
            m_servers == 1
                ? std::string(
                      "The tracker knows the key, but its one board is not free: somebody holds it, or its "
                      "server is stuck and has to be restarted.")
                : fmt::format(
                      "The tracker knows the key, but none of its {} boards is free: they are held by "
                      "others, or their servers are stuck and have to be restarted.",
                      m_servers);
      }
      return fail("board", "A board is free", std::move(error));
    }
    m_settings.host = board->host;
    m_settings.port = board->port;
    m_settings.key = board->matchKey;
    m_tracker.reset();
    pass("board", "A board is free", rpc::addressText(board->host, board->port));
    return {};
  }

  base::Result<> connect() {
    auto connection = rpc::Connection::connect(m_settings.host, m_settings.port,
                                               rpc::Deadline::after(m_settings.connectTime), m_options.stop);
    if (!connection) {
      base::Error error = std::move(connection).error();
      if (error.code == base::ErrorCode::Io && error.hint.empty()) {
        error.hint = "Is the server running on the board, on this port, and does a firewall let it through?";
      }
      return fail("tcp", "TCP connection", std::move(error));
    }
    m_connection = std::move(*connection);
    pass("tcp", "TCP connection", m_connection->peer());
    return {};
  }

  /// Magic, key and protocol are one conversation; its error says where it ended.
  base::Result<> openSession() {
    std::optional<rpc::OpeningStep> reached;
    m_settings.reached = [&reached](rpc::OpeningStep step) { reached = step; };
    auto client = rpc::Client::over(std::move(m_connection), m_settings);
    m_settings.reached = {};
    if (!client) {
      return failedOpening(reached, std::move(client).error());
    }
    m_client = std::move(*client);
    const rpc::ServerInfo& server = m_client->server();
    pass("magic", "Magic of TVM's RPC", "a server of TVM's RPC");
    pass("match-key", "Match key",
         m_target.key.empty() ? "none is needed" : fmt::format("\"{}\" is accepted", m_target.key));
    pass("protocol", "Protocol 0.8.0",
         server.deviceKey.empty() ? "accepted" : fmt::format("accepted; the board is {}", server.deviceKey));
    const bool untried = server.kind == rpc::ServerKind::Legacy;
    tell("encoding", "Encoding of values", untried ? Outcome::Noted : Outcome::Passed,
         fmt::format("{}{}", rpc::encodingName(server.encoding), untried ? ", never tried" : ""));
    return {};
  }

  /// The steps that were passed, and the error at the one behind them.
  base::Error failedOpening(std::optional<rpc::OpeningStep> reached, base::Error error) {
    if (!reached) {
      if (error.code != base::ErrorCode::Timeout && answersAsTracker()) {
        error.hint = fmt::format("A tracker listens there, no server: try tracker://{}/KEY.",
                                 rpc::addressText(m_settings.host, m_settings.port));
      }
      return fail("magic", "Magic of TVM's RPC", withHolder(m_settings, std::move(error)));
    }
    pass("magic", "Magic of TVM's RPC", "a server of TVM's RPC");
    if (*reached == rpc::OpeningStep::Magic) {
      return fail("match-key", "Match key", std::move(error));
    }
    pass("match-key", "Match key", "accepted");
    if (*reached == rpc::OpeningStep::Key) {
      return fail("protocol", "Protocol 0.8.0", std::move(error));
    }
    pass("protocol", "Protocol 0.8.0", "accepted");
    return fail("encoding", "Encoding of values", std::move(error));
  }

  bool answersAsTracker() const {
    constexpr std::chrono::milliseconds kShort{2'000};
    return rpc::TrackerClient::open({m_settings.host, m_settings.port, kShort, kShort, m_options.stop})
        .has_value();
  }

  bool answersAsServer() const {
    rpc::ConnectSettings settings = m_settings;
    settings.host = m_target.host;
    settings.port = m_target.port;
    settings.key = "opscope-check";
    settings.connectTime = settings.answerTime = std::chrono::milliseconds(2'000);
    const auto client = rpc::Client::open(settings);
    return client || client.error().code == base::ErrorCode::Remote;
  }

  base::Result<bool> has(const char* name) {
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction function, rpc::globalFunction(*m_client, name));
    return !function.empty();
  }

  base::Result<> findFunctions() {
    std::vector<std::string> missing;
    for (const char* const name :
         {"tvm.rpc.server.upload", "tvm.rpc.server.remove", "tvm.rpc.server.load_module",
          "tvm.rpc.server.ModuleGetFunction", "runtime.RPCTimeEvaluator", "vm.builtin.alloc_storage"}) {
      OPSCOPE_TRY_ASSIGN(const bool there, lostAs("functions", "Functions", has(name)));
      if (!there) {
        missing.emplace_back(name);
      }
    }
    if (!missing.empty()) {
      return fail("functions", "Functions",
                  {base::ErrorCode::MissingFunction, "The server cannot run models.",
                   fmt::format("It has no {}.", fmt::join(missing, ", ")),
                   "It may be built without the Relax virtual machine, or be of a very old TVM."});
    }
    m_check.isOurServer = m_client->server().kind == rpc::ServerKind::Opscope;
    OPSCOPE_TRY_ASSIGN(m_check.way, findWay());
    pass("functions", "Functions", fmt::format("all there; profiles: {}", m_check.way));
    return {};
  }

  base::Result<std::string> findWay() {
    switch (m_client->server().kind) {
      case rpc::ServerKind::Opscope:
        return std::string("in full, by opscope-server");
      case rpc::ServerKind::Tvm021:
      case rpc::ServerKind::Legacy:
        return std::string("by the profiler of TVM's machine");
      case rpc::ServerKind::Tvm022:
        break;
    }
    std::vector<std::string> architectures;
    for (const ProbeBytes& probe : probeBytes()) {
      architectures.emplace_back(probe.architecture);
    }
    return fmt::format("by our probe on {}, else by kernel", fmt::join(architectures, " and "));
  }

  /// An error of the session ends the step that it happened in.
  template <class T>
  base::Result<T> lostAs(const char* id, const char* title, base::Result<T> result) {
    return result ? std::move(result) : base::Result<T>(fail(id, title, std::move(result).error()));
  }

  base::Result<> findDevices() {
    std::vector<std::string> found;
    for (const int type : {1, 2, 4, 7, 8, 10}) {  // cpu, cuda, opencl, vulkan, metal, rocm
      const DLDevice device{static_cast<DLDeviceType>(type), 0};
      auto exists = m_client->deviceAttribute(device, rpc::DeviceAttribute::Exists);
      if (!exists && m_client->failure()) {
        return fail("devices", "Devices", std::move(exists).error());
      }
      const auto* const number = exists ? std::get_if<std::int64_t>(&*exists) : nullptr;
      const auto* const flag = exists ? std::get_if<bool>(&*exists) : nullptr;
      if ((number != nullptr && *number != 0) || (flag != nullptr && *flag)) {
        found.push_back(runtime::deviceName(device));
      }
    }
    m_check.devices = found;
    tell("devices", "Devices", found.empty() ? Outcome::Noted : Outcome::Passed,
         found.empty() ? "the server tells of none" : fmt::format("{}", fmt::join(found, ", ")));
    return {};
  }

  nlohmann::json info() const {
    return nlohmann::json::parse(m_client->server().opscopeInfo, nullptr, /*allow_exceptions=*/false);
  }

  base::Result<> readMemory() {
    constexpr double kMiB = 1024.0 * 1024.0;
    const nlohmann::json json = info();
    if (json.is_object() && json.contains("memory") && json["memory"].is_object()) {
      const double available = numberIn(json["memory"], "available_bytes");
      const double total = numberIn(json["memory"], "total_bytes");
      pass("memory", "Free memory", fmt::format("{:.0f} of {:.0f} MiB", available / kMiB, total / kMiB));
      return {};
    }
    auto told = m_client->deviceAttribute({kDLCPU, 0}, rpc::DeviceAttribute::AvailableMemory);
    if (!told && m_client->failure()) {
      return fail("memory", "Free memory", std::move(told).error());
    }
    const auto* const bytes = told ? std::get_if<std::int64_t>(&*told) : nullptr;
    if (bytes != nullptr && *bytes > 0) {
      pass("memory", "Free memory", fmt::format("{:.0f} MiB", static_cast<double>(*bytes) / kMiB));
    } else {
      tell("memory", "Free memory", Outcome::Noted, "TVM's servers do not tell");
    }
    return {};
  }

  base::Result<> readClock() {
    constexpr int kTries = 20;
    double bestUs = 0;
    for (int i = 0; i < kTries; ++i) {
      const std::int64_t begin = base::monotonicNs();
      OPSCOPE_TRY(lostAs("clock", "Clock", has("opscope.no_such_function")));
      const double us = static_cast<double>(base::monotonicNs() - begin) / 1e3;
      bestUs = i == 0 ? us : std::min(bestUs, us);
    }
    const nlohmann::json json = info();
    const bool tells = json.is_object() && json.contains("time_unix_ns") && json["time_unix_ns"].is_number();
    std::string words = fmt::format("round trip {:.0f} µs", bestUs);
    Outcome outcome = Outcome::Passed;
    if (tells) {
      const auto here = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
      const double apart = json["time_unix_ns"].get<double>() / 1e9 - here.count();
      const bool isFar = std::abs(apart) > 60;
      words += isFar ? fmt::format("; the board's clock is {:.0f} s {}", std::abs(apart),
                                   apart > 0 ? "ahead" : "behind")
                     : "; the board's clock is right to the minute";
      outcome = isFar ? Outcome::Noted : Outcome::Passed;
    }
    tell("clock", "Clock", outcome, words);
    return {};
  }

  const Target& m_target;
  const CheckOptions& m_options;
  BoardCheck m_check;
  rpc::ConnectSettings m_settings;
  std::unique_ptr<rpc::TrackerClient> m_tracker;
  std::unique_ptr<rpc::Connection> m_connection;
  std::unique_ptr<rpc::Client> m_client;
  std::int64_t m_servers = 0;
  std::int64_t m_beginNs = base::monotonicNs();
};

}  // namespace

BoardCheck checkBoard(const Target& target, const CheckOptions& options) {
  return Doctor(target, options).check();
}

}  // namespace opscope::session
