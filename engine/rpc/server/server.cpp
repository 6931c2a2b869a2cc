// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/server.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/log.h"
#include "engine/rpc/server/clients.h"
#include "engine/rpc/server/listener.h"
#include "engine/rpc/server/match_key.h"
#include "engine/rpc/server/registration.h"
#include "engine/rpc/server/sessions.h"

namespace opscope::rpc::server {

namespace {

using base::Result;

constexpr int kTickMs = 250;
constexpr int kIdleMs = 30'000;
/// Of the status that is told in a handshake, whose length is bounded.
constexpr std::size_t kMostListedSessions = 8;

/// The signals that the server waits for together with its sockets. They stay blocked in this process: it
/// ends after the server.
int openSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&set, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

class Server {
 public:
  Server(const ServerOptions& options, Listener listener, SessionFolders folders)
      : m_options(options),
        m_listener(std::move(listener)),
        m_signals(openSignals()),
        m_matchKey(options.key, !options.trackerHost.empty()),
        m_sessions(options, std::move(folders), m_matchKey),
        m_clients(options, {[this](std::string_view key) { return m_matchKey.take(key); },
                            [this](std::string_view) { m_matchKey.giveBack(); },
                            [this] { return statusJson(status(), kMostListedSessions); }}) {}
  ~Server() { ::close(m_signals); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Result<> run() {
    adoptOrphans();
    OPSCOPE_TRY(m_sessions.prepareFirst());
    m_sessions.prepare();
    if (!m_options.trackerHost.empty()) {
      m_registration.emplace(RegistrationSettings{.trackerHost = m_options.trackerHost,
                                                  .trackerPort = m_options.trackerPort,
                                                  .key = m_options.key,
                                                  .port = m_listener.port(),
                                                  .customAddress = m_options.customAddress},
                             m_matchKey);
    }
    std::printf("opscope-server: listening on %s\n", m_listener.address().c_str());
    std::fflush(stdout);
    while (!m_stopping) {
      step();
    }
    m_registration.reset();
    m_sessions.askAllToEnd();
    while (m_sessions.running() > 0 && m_stopping < 2) {
      step();
    }
    return {};
  }

 private:
  ServerStatus status() const {
    return {m_sessions.facts(), m_clients.waiting(), m_options.maxSessions, m_options.key,
            !m_options.trackerHost.empty()};
  }

  void step() {
    std::vector<pollfd> entries{{m_signals, POLLIN, 0}};
    if (!m_stopping) {
      entries.push_back({m_listener.socket(), POLLIN, 0});
      m_clients.addTo(entries);
    }
    m_sessions.addTo(entries);
    if (m_options.endsWithInput && !m_stopping) {
      entries.push_back({STDIN_FILENO, POLLIN, 0});
    }
    if (::poll(entries.data(), entries.size(), waitMs()) < 0 && errno != EINTR) {
      base::log(base::LogLevel::Error, "the server cannot wait for its sockets and ends");
      m_stopping = 2;
      return;
    }
    takeSignals();
    if (entries.back().fd == STDIN_FILENO && entries.back().revents != 0) {
      takeInput();
    }
    m_sessions.advance(entries, status());
    if (m_stopping) {
      return;
    }
    m_clients.advance(entries);
    if (entries[1].revents != 0) {
      acceptAll();
    }
    serveAll();
  }

  int waitMs() const {
    const bool tick = m_sessions.needsTicks() || m_clients.waiting() > 0 || m_short;
    int wait = tick ? kTickMs : kIdleMs;
    for (const int sooner : {m_clients.nextDeadlineMs(), m_stopping ? -1 : m_sessions.nextPreparationMs()}) {
      wait = sooner < 0 ? wait : std::min(wait, sooner);
    }
    return wait;
  }

  void takeSignals() {
    signalfd_siginfo info;
    while (::read(m_signals, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
      if (info.ssi_signo == SIGCHLD) {
        m_sessions.reap();
      } else {
        base::log(base::LogLevel::Info, "the server is asked to end");
        ++m_stopping;
      }
    }
  }

  /// Nothing is said there; its end is what counts.
  void takeInput() {
    char ignored[64];
    if (::read(STDIN_FILENO, ignored, sizeof(ignored)) <= 0) {
      base::log(base::LogLevel::Info, "the program that started the server is gone");
      ++m_stopping;
    }
  }

  /// When descriptors run out the rest waits in the queue of the system.
  void acceptAll() {
    while (auto client = m_listener.accept()) {
      m_clients.add(*std::move(client));
    }
    m_short = errno == EMFILE || errno == ENFILE;
    if (m_short) {
      base::log(base::LogLevel::Warning, "no descriptors are left for new clients (ulimit -n)");
      ::usleep(kTickMs * 1000 / 10);
    }
  }

  void serveAll() {
    m_clients.dropThoseWhoLeft();
    while (m_sessions.hasRoom()) {
      auto client = m_clients.next();
      if (!client.has_value()) {
        break;
      }
      m_sessions.serve(*std::move(client), status());
    }
    m_sessions.prepare();
  }

  const ServerOptions& m_options;
  Listener m_listener;
  int m_signals;
  MatchKey m_matchKey;
  Sessions m_sessions;
  Clients m_clients;
  std::optional<Registration> m_registration;
  int m_stopping = 0;    ///< signals to end that came
  bool m_short = false;  ///< of descriptors
};

}  // namespace

Result<> runServer(const ServerOptions& options) {
  OPSCOPE_TRY_ASSIGN(Listener listener, Listener::open(options.host, options.port, options.portEnd));
  OPSCOPE_TRY_ASSIGN(SessionFolders folders, SessionFolders::create(options.workDirectory));
  Result<> served;
  {
    Server server(options, std::move(listener), std::move(folders));
    served = server.run();
  }
  if (options.endsWithInput && !options.workDirectory.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(options.workDirectory, ignored);
  }
  return served;
}

}  // namespace opscope::rpc::server
