// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/sessions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/rpc/protocol.h"

namespace opscope::rpc::server {

namespace {

/// From the moment that a client is gone: what its last request began may still end well, and a client that
/// only closed its sending side gets its reply. After kKillAfter the process is ended whatever it does.
constexpr auto kAskAfter = std::chrono::seconds(5);
constexpr auto kKillAfter = std::chrono::seconds(8);
/// Processes that wait for a client. Two, for a client that comes right after another.
constexpr std::size_t kPrepared = 2;
/// From a client on until the process in its place is started: its own first requests come meanwhile.
constexpr auto kPrepareBehind = std::chrono::milliseconds(50);
/// After a process that ended before it had a client.
constexpr auto kPrepareAgainAfter = std::chrono::seconds(5);
/// As kKillAfter, for the end of the server.
constexpr auto kKillAfterStop = std::chrono::seconds(3);

std::int64_t unixNow() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string howItEnded(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("by signal {}", WTERMSIG(status));
  }
  return WEXITSTATUS(status) == 0 ? "in order" : fmt::format("with status {}", WEXITSTATUS(status));
}

std::string inOneLine(const base::Error& error) {
  std::string line = error.message;
  for (const std::string* more : {&error.detail, &error.hint}) {
    line += more->empty() ? "" : "; " + *more;
  }
  return line;
}

/// A child that has ended and is still there: nobody else gets its number, nor its group's, before it is
/// waited for.
bool nextEnded(siginfo_t& ended) {
  ended.si_pid = 0;
  return ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
}

/// Waits for a child that has ended.
int statusOf(pid_t id) {
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Sessions::Sessions(const ServerOptions& options, SessionFolders folders, MatchKey& matchKey)
    : m_options(options), m_folders(std::move(folders)), m_matchKey(matchKey) {}

Sessions::~Sessions() {
  killAll();
  endPrepared();
  while (!m_running.empty()) {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(m_running.front().process.id()), &ended, WEXITED | WNOWAIT);
    bury(m_running.begin());
  }
  endOrphans();
}

Sessions::Clock::time_point Sessions::nextPreparation() const {
  return m_prepared.empty() ? m_notBefore : std::max(m_notBefore, m_lastServed + kPrepareBehind);
}

int Sessions::nextPreparationMs() const {
  if (m_prepared.size() >= kPrepared) {
    return -1;
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(nextPreparation() - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

base::Result<> Sessions::prepareFirst() {
  OPSCOPE_TRY_ASSIGN(SessionProcess process, SessionProcess::start(m_options));
  m_prepared.push_back(std::move(process));
  return {};
}

void Sessions::prepare() {
  while (m_prepared.size() < kPrepared && Clock::now() >= nextPreparation()) {
    auto started = SessionProcess::start(m_options);
    if (!started) {
      base::log(base::LogLevel::Warning, inOneLine(started.error()));
      m_notBefore = Clock::now() + kPrepareAgainAfter;
      return;
    }
    m_prepared.push_back(*std::move(started));
  }
}

std::optional<SessionProcess> Sessions::takePrepared() {
  if (m_prepared.empty()) {
    m_notBefore = {};
    prepare();
  }
  if (m_prepared.empty()) {
    return std::nullopt;
  }
  SessionProcess process = std::move(m_prepared.front());
  m_prepared.pop_front();
  return process;
}

void Sessions::serve(AdmittedClient client, ServerStatus status) {
  m_lastServed = Clock::now();
  auto folder = m_folders.add();
  auto process = folder ? takePrepared() : std::nullopt;
  if (!folder) {
    base::log(base::LogLevel::Error, inOneLine(folder.error()));
  }
  const SessionFacts facts{client.peer, client.hello.holder, unixNow()};
  status.sessions.push_back(facts);
  const SessionStart start{client.peer,
                           folder ? folder->string() : std::string(),
                           client.hello.timeoutS,
                           m_options.clientAbi,
                           m_options.cacheDirectory,
                           m_options.cacheBytes,
                           statusJson(status)};
  ::fcntl(client.socket, F_SETFL, ::fcntl(client.socket, F_GETFL) & ~O_NONBLOCK);  // for the session
  // The session begins while the answer is on its way: the client says nothing before it.
  if (!process.has_value() || !process->serve(start, client.socket) ||
      !answerHandshake(client.socket, kServerMagic, acceptedText(client, m_options))) {
    base::log(base::LogLevel::Warning, fmt::format("{} could not be served", client.peer));
    ::close(client.socket);
    m_matchKey.giveBack();
    if (folder) {
      m_folders.remove(*folder);
    }
    if (process.has_value()) {
      process->kill();  // reaped as a process that nobody knows
    }
    return;
  }
  base::log(base::LogLevel::Info,
            fmt::format("session of {}{} begins in process {}", client.peer,
                        client.hello.holder.empty() ? "" : " (" + client.hello.holder + ")", process->id()));
  m_running.push_back(
      {*std::move(process), client.socket, *folder, facts, client.hello.key, std::nullopt, 0});
}

void Sessions::addTo(std::vector<pollfd>& entries) const {
  for (const Running& running : m_running) {
    // Who is known to be gone would be told again and again; poll takes no notice of negative numbers.
    entries.push_back({running.leaving.has_value() ? -1 : running.socket, POLLRDHUP, 0});
    entries.push_back({running.process.channel().descriptor(), POLLIN, 0});
  }
}

void Sessions::answer(Running& running, const ServerStatus& status) {
  const auto message = running.process.channel().receive();
  if (!message.has_value()) {
    return;  // it has ended: SIGCHLD comes
  }
  if (message->socket >= 0) {
    ::close(message->socket);
  }
  if (message->text == kAskStatus) {
    running.process.channel().send(statusJson(status));
  }
}

void Sessions::hurry(Running& running) {
  const auto gone = Clock::now() - *running.leaving;
  if (running.warnings == 0 && gone >= kAskAfter) {
    running.warnings = 1;
    base::log(base::LogLevel::Info,
              fmt::format("{} is gone, its session is asked to end", running.facts.peer));
    running.process.askToEnd();
  } else if (running.warnings == 1 && gone >= kKillAfter) {
    running.warnings = 2;
    // The program that has this server to itself tells what has become of its session.
    base::log(m_options.endsWithInput ? base::LogLevel::Info : base::LogLevel::Warning,
              fmt::format("the session of {} does not end and is killed", running.facts.peer));
    running.process.kill();
  }
}

void Sessions::advance(const std::vector<pollfd>& entries, const ServerStatus& status) {
  const auto told = [&entries](int descriptor) {
    const auto entry = std::ranges::find(entries, descriptor, &pollfd::fd);
    return entry == entries.end() ? short{0} : entry->revents;
  };
  for (Running& running : m_running) {
    if (!running.leaving.has_value() && told(running.socket) != 0) {
      running.leaving = Clock::now();
    }
    if ((told(running.process.channel().descriptor()) & POLLIN) != 0) {
      answer(running, status);
    }
    if (running.leaving.has_value()) {
      hurry(running);
    }
  }
}

void Sessions::reap() {
  bool any = false;
  for (siginfo_t ended{}; nextEnded(ended); any = true) {
    const pid_t id = ended.si_pid;
    const auto ahead = std::ranges::find(m_prepared, id, &SessionProcess::id);
    if (ahead != m_prepared.end()) {
      ahead->kill();
      base::log(base::LogLevel::Warning,
                fmt::format("a process for sessions ended {} before it had one{}", howItEnded(statusOf(id)),
                            m_options.wrapper.empty() ? "" : "; look at --wrapper"));
      m_prepared.erase(ahead);
      m_notBefore = Clock::now() + kPrepareAgainAfter;
      continue;
    }
    const auto running =
        std::ranges::find_if(m_running, [id](const Running& each) { return each.process.id() == id; });
    if (running != m_running.end()) {
      bury(running);
    } else {
      statusOf(id);  // of no session any more; what it has started comes to us now
    }
  }
  if (any) {
    killOrphans(known());
  }
}

void Sessions::bury(std::list<Running>::iterator ended) {
  ended->process.kill();  // what is left of its process group, whose number is its own until it is waited for
  const int status = statusOf(ended->process.id());
  base::log(base::LogLevel::Info,
            fmt::format("session of {} ended {}", ended->facts.peer, howItEnded(status)));
  if (status != 0 && m_options.endsWithInput) {  // for the program that started this server
    if (auto told = base::writeFileAtomically(m_options.workDirectory + "/ended", std::to_string(status));
        !told) {
      base::log(base::LogLevel::Warning, inOneLine(told.error()));
    }
  }
  ::close(ended->socket);
  m_folders.remove(ended->folder);
  m_matchKey.giveBack();
  m_running.erase(ended);
}

std::vector<pid_t> Sessions::known() const {
  std::vector<pid_t> known;
  for (const SessionProcess& process : m_prepared) {
    known.push_back(process.id());
  }
  for (const Running& running : m_running) {
    known.push_back(running.process.id());
  }
  return known;
}

std::vector<SessionFacts> Sessions::facts() const {
  std::vector<SessionFacts> facts;
  for (const Running& running : m_running) {
    facts.push_back(running.facts);
  }
  return facts;
}

bool Sessions::needsTicks() const {
  return std::ranges::any_of(m_running, [](const Running& running) { return running.leaving.has_value(); });
}

void Sessions::askAllToEnd() {
  endPrepared();
  for (Running& running : m_running) {
    running.process.askToEnd();
    running.warnings = std::max(running.warnings, 1);
    running.leaving = Clock::now() - (kKillAfter - kKillAfterStop);
  }
}

void Sessions::endPrepared() {
  for (const SessionProcess& process : m_prepared) {
    process.kill();
    statusOf(process.id());
  }
  m_prepared.clear();
}

void Sessions::killAll() {
  for (const Running& running : m_running) {
    running.process.kill();
  }
}

}  // namespace opscope::rpc::server
