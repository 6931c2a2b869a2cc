// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/report/traffic.h"
#include "engine/rpc/remote_calls.h"
#include "engine/session/board_holder.h"
#include "engine/session/content_hash.h"
#include "engine/session/remote_opening.h"

namespace opscope::session {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

nlohmann::json infoOf(const rpc::Client& client) {
  auto info = nlohmann::json::parse(client.server().opscopeInfo, nullptr, /*allow_exceptions=*/false);
  return info.is_object() ? info : nlohmann::json::object();
}

std::string textIn(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_string() ? place->get<std::string>() : std::string();
}

/// LLVM's name of a machine, as TVM's compiler tells it: "x86_64-unknown-linux-gnu".
std::string architectureOfTriple(std::string_view triple) {
  const std::string_view machine = triple.substr(0, triple.find('-'));
  return machine == "x86_64" ? "x86-64" : machine == "arm64" ? "aarch64" : std::string(machine);
}

}  // namespace

RemoteBoard::RemoteBoard(Target target, std::unique_ptr<rpc::TrafficLog> traffic,
                         std::unique_ptr<rpc::Client> client)
    : m_target(std::move(target)), m_traffic(std::move(traffic)), m_client(std::move(client)) {}

RemoteBoard::~RemoteBoard() {
  for (const std::string& file : m_files) {
    if (m_client->failure()) {
      break;  // a server that lost its client removes the session's folder itself
    }
    if (auto removed = rpc::removeFile(*m_client, file); !removed) {
      base::log(base::LogLevel::Warning, fmt::format("{}: {} stays on the board: {}", m_client->peer(), file,
                                                     removed.error().message));
    }
  }
  m_client->shutdown();
}

base::Result<std::unique_ptr<RemoteBoard>> RemoteBoard::open(const Target& target,
                                                             const BoardOptions& options) {
  OPSCOPE_TRY_ASSIGN(rpc::ConnectSettings settings, connectSettings(target, options));
  std::unique_ptr<rpc::TrafficLog> traffic;
  if (options.recordTraffic) {
    traffic = std::make_unique<rpc::TrafficLog>();
    traffic->enter(static_cast<std::uint32_t>(report::TrafficPhase::Opening), report::kNone);
    settings.traffic = traffic.get();
  }
  auto client = rpc::Client::open(settings);
  if (!client) {
    return withHolder(settings, std::move(client).error());
  }
  std::unique_ptr<RemoteBoard> board(new RemoteBoard(target, std::move(traffic), std::move(*client)));
  OPSCOPE_TRY(board->learn());
  return board;
}

base::Result<> RemoteBoard::learn() {
  constexpr int kTries = 20;  // the first ones find the server half asleep
  m_architecture = textIn(infoOf(*m_client), "architecture");
  if (m_architecture.empty()) {
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction triple,
                       rpc::globalFunction(*m_client, "target.llvm_get_system_triple"));
    if (!triple.empty()) {
      OPSCOPE_TRY_ASSIGN(const rpc::CallResult result, triple({}));
      OPSCOPE_TRY_ASSIGN(const std::string text, rpc::stringOf(*m_client, result, "the board's triple"));
      m_architecture = architectureOfTriple(text);
    }
  }
  OPSCOPE_TRY(learnThreads());
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t begin = base::monotonicNs();
    OPSCOPE_TRY(m_client->globalFunction("opscope.no_such_function"));
    const auto ns = static_cast<double>(base::monotonicNs() - begin);
    m_roundTripNs = i == 0 ? ns : std::min(m_roundTripNs, ns);
  }
  return {};
}

base::Result<> RemoteBoard::learnThreads() {
  OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction count, rpc::globalFunction(*m_client, "runtime.NumThreads"));
  if (count.empty()) {
    return {};
  }
  OPSCOPE_TRY_ASSIGN(const rpc::CallResult result, count({}));
  OPSCOPE_TRY_ASSIGN(const std::int64_t threads, rpc::intOf(*m_client, result, "runtime.NumThreads"));
  m_threads = static_cast<int>(std::clamp<std::int64_t>(threads, 0, 4096));
  return {};
}

base::Result<> RemoteBoard::configureThreads(const runtime::RuntimeOptions& options) {
  const runtime::RuntimeOptions usual;
  if (options.threads == usual.threads && options.pin == usual.pin && options.spinUs == usual.spinUs) {
    return {};
  }
  if (isOurs()) {
    OPSCOPE_TRY(m_client->callGlobal("opscope.configure_threads", {std::int64_t{options.threads}, options.pin,
                                                                   std::int64_t{options.spinUs}}));
  } else {
    OPSCOPE_TRY(configureStockThreads(options));
  }
  OPSCOPE_TRY(learnThreads());
  if (options.threads > 0 && m_threads > 0 && m_threads != options.threads) {
    return base::Error{
        base::ErrorCode::Unsupported,
        fmt::format("The board runs {} thread{}, {} were asked for.", m_threads, m_threads == 1 ? "" : "s",
                    options.threads),
        fmt::format("Its server is {}.", serverWords()),
        isOurs()
            ? "Its limits (ulimit -u) may not allow more."
            : "TVM's servers have no more threads than they started with: set TVM_NUM_THREADS there, or run "
              "opscope-server."};
  }
  return {};
}

/// TVM's servers can be told a number alone.
base::Result<> RemoteBoard::configureStockThreads(const runtime::RuntimeOptions& options) {
  constexpr std::int64_t kBigCores = 1;
  const runtime::RuntimeOptions usual;
  if (options.pin != usual.pin || options.spinUs != usual.spinUs) {
    return base::Error{base::ErrorCode::Unsupported,
                       "This board cannot be told how to bind its threads, nor how long they spin.",
                       fmt::format("Its server is {}.", serverWords()),
                       "Leave out --pin and --spin-us, or run opscope-server there."};
  }
  OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction configure,
                     rpc::globalFunction(*m_client, "runtime.config_threadpool"));
  if (configure.empty()) {
    return base::Error{base::ErrorCode::Unsupported, "This board cannot be told how many threads to use.",
                       fmt::format("Its server is {}, without runtime.config_threadpool.", serverWords()),
                       "Leave out --threads, set TVM_NUM_THREADS there, or run opscope-server."};
  }
  OPSCOPE_TRY(configure({kBigCores, std::int64_t{options.threads}}));
  return {};
}

std::string RemoteBoard::serverWords() const {
  switch (m_client->server().kind) {
    case rpc::ServerKind::Legacy:
      return "TVM 0.20 or older";
    case rpc::ServerKind::Tvm021:
      return "TVM 0.21";
    case rpc::ServerKind::Opscope: {
      const std::string version = textIn(infoOf(*m_client), "version");
      return version.empty() ? "opscope-server" : "opscope-server " + version;
    }
    case rpc::ServerKind::Tvm022:
      break;
  }
  return "TVM 0.22 or later";
}

std::vector<report::Fact> RemoteBoard::facts() const {
  std::vector<report::Fact> facts = {{"Board", m_client->peer()}, {"Server", serverWords()}};
  const std::string& key = m_client->server().deviceKey;
  if (!key.empty()) {
    facts.push_back({"Key", key});
  }
  if (!m_architecture.empty()) {
    facts.push_back({"Architecture", m_architecture});
  }
  if (m_threads > 0) {
    facts.push_back({"Threads", std::to_string(m_threads)});
  }
  facts.push_back({"Round trip", fmt::format("{:.0f} µs", m_roundTripNs / 1e3)});
  facts.push_back({"Uploaded", fmt::format("{} bytes", m_uploadedBytes)});
  return facts;
}

base::Result<std::string> RemoteBoard::upload(std::string_view stem, std::string_view content,
                                              const rpc::Progress& progress) {
  const std::string name = fmt::format("opscope-{}-{}.so", stem, contentHash(content).substr(0, 12));
  if (std::ranges::find(m_files, name) != m_files.end()) {
    return name;
  }
  OPSCOPE_TRY_ASSIGN(const bool done, uploadByCache(name, content, progress));
  if (!done) {
    OPSCOPE_TRY(rpc::upload(*m_client, name, content, {{}, rpc::Deadline::none(), progress}));
    m_uploadedBytes += content.size();
  }
  m_files.push_back(name);
  return name;
}

/// False for servers without a cache.
base::Result<bool> RemoteBoard::uploadByCache(const std::string& name, std::string_view content,
                                              const rpc::Progress& progress) {
  if (!isOurs()) {
    return false;
  }
  const std::string hash = contentHash(content);
  const auto size = static_cast<std::int64_t>(content.size());
  OPSCOPE_TRY_ASSIGN(const rpc::CallResult begun,
                     m_client->callGlobal("opscope.upload_begin", {name, hash, size}));
  OPSCOPE_TRY_ASSIGN(std::int64_t at, rpc::intOf(*m_client, begun, "opscope.upload_begin"));
  if (at == size) {
    return true;
  }
  while (at >= 0 && at < size) {
    const std::string_view chunk = content.substr(static_cast<std::size_t>(at), kChunkBytes);
    OPSCOPE_TRY_ASSIGN(const rpc::CallResult next,
                       m_client->callGlobal("opscope.upload_chunk", {hash, at, rpc::BytesView{chunk}}));
    OPSCOPE_TRY_ASSIGN(at, rpc::intOf(*m_client, next, "opscope.upload_chunk"));
    m_uploadedBytes += chunk.size();
    if (progress) {
      progress(static_cast<std::uint64_t>(at), content.size());
    }
  }
  OPSCOPE_TRY_ASSIGN(const rpc::CallResult finished,
                     m_client->callGlobal("opscope.upload_finish", {name, hash}));
  const auto whyNotKept =
      rpc::stringOf(*m_client, finished, "opscope.upload_finish");  // none of older servers
  if (whyNotKept && !whyNotKept->empty() && m_warnings.empty()) {
    m_warnings.push_back({fmt::format("The board does not keep uploads for the next time: {}.", *whyNotKept),
                          "Make room there, or give its opscope-server another --cache-dir."});
  }
  return true;
}

}  // namespace opscope::session
