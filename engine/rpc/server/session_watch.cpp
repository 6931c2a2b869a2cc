// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/session_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "engine/base/log.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/server/reply.h"

namespace opscope::rpc::server {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kAnswerLimit = std::chrono::seconds(5);
constexpr auto kFrameBorderLimit = std::chrono::seconds(1);
constexpr auto kLastWordsLimit = milliseconds(500);
constexpr int kLongestWaitMs = 60'000;

sigset_t endingSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

/// Waits until the peer has closed: what it has not read yet would be lost with an earlier end of the
/// process.
void awaitClose(int socket) {
  char dropped[4096];
  for (const auto end = Clock::now() + kLastWordsLimit; Clock::now() < end;) {
    pollfd entry{socket, POLLIN, 0};
    if (::poll(&entry, 1, 50) > 0 && ::recv(socket, dropped, sizeof(dropped), MSG_DONTWAIT) == 0) {
      return;
    }
  }
}

}  // namespace

void SessionWatch::blockSignals() {
  const sigset_t set = endingSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SessionWatch::SessionWatch(FrameStream& stream, const ControlChannel& server, double timeoutS)
    : m_stream(stream), m_server(server), m_timeoutS(timeoutS) {
  const sigset_t set = endingSignals();
  m_signals = ::signalfd(-1, &set, SFD_CLOEXEC);
  m_stop = ::eventfd(0, EFD_CLOEXEC);
  m_thread = std::jthread([this] { work(); });
}

SessionWatch::~SessionWatch() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(m_stop, &one, sizeof(one));
  m_thread.join();
  ::close(m_signals);
  ::close(m_stop);
}

std::optional<std::string> SessionWatch::ask(std::string_view question) {
  std::unique_lock lock(m_mutex);
  m_answer.reset();
  if (!m_server.send(question)) {
    return std::nullopt;
  }
  m_answered.wait_for(lock, kAnswerLimit, [this] { return m_answer.has_value(); });
  return std::exchange(m_answer, std::nullopt);
}

void SessionWatch::takeAnswer() {
  auto message = m_server.receive();
  if (!message.has_value()) {
    base::log(base::LogLevel::Info, "the server is gone; the session ends");
    _exit(0);
  }
  if (message->socket >= 0) {
    ::close(message->socket);
  }
  const std::lock_guard lock(m_mutex);
  m_answer = std::move(message->text);
  m_answered.notify_all();
}

void SessionWatch::tellTimeout() {
  base::log(base::LogLevel::Info, fmt::format("the session's {} s are over", m_timeoutS));
  std::unique_lock lock(m_stream.writeLock(), kFrameBorderLimit);
  if (lock.owns_lock()) {
    Reply reply(ClientAbi::Tvm022);
    reply.exception(
        {}, fmt::format("{}Your {}s session has expired, try to increase the \"session_timeout\" value.",
                        kSessionTimeoutPrefix, m_timeoutS));
    const std::uint64_t length = reply.head().size();
    std::string frame(reinterpret_cast<const char*>(&length), sizeof(length));
    frame += reply.head();
    // Few bytes: a client that reads nothing at all goes without them.
    if (::send(m_stream.socket(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
      ::shutdown(m_stream.socket(), SHUT_WR);
      awaitClose(m_stream.socket());
    }
  }
  _exit(0);  // with the lock held: the session's thread writes nothing after the last frame
}

void SessionWatch::work() {
  const auto begin = Clock::now();
  pollfd entries[3] = {{m_stop, POLLIN, 0}, {m_signals, POLLIN, 0}, {m_server.descriptor(), POLLIN, 0}};
  for (;;) {
    int waitMs = -1;
    if (m_timeoutS > 0) {
      const double leftS = m_timeoutS - std::chrono::duration<double>(Clock::now() - begin).count();
      if (leftS <= 0) {
        tellTimeout();
      }
      waitMs = static_cast<int>(std::min<double>(kLongestWaitMs, leftS * 1000 + 1));
    }
    if (::poll(entries, 3, waitMs) < 0 && errno != EINTR) {
      _exit(1);
    }
    if (entries[0].revents != 0) {
      return;
    }
    if (entries[1].revents != 0) {
      signalfd_siginfo info;
      [[maybe_unused]] const ssize_t got = ::read(m_signals, &info, sizeof(info));
      ::shutdown(m_stream.socket(), SHUT_RD);  // the request at hand is answered, then it ends
    }
    if (entries[2].revents != 0) {
      takeAnswer();
    }
  }
}

}  // namespace opscope::rpc::server
