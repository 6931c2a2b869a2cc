// SPDX-License-Identifier: Apache-2.0
// Connection::connect: names, addresses and the first handshake of TCP, all within a deadline.
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "engine/rpc/address.h"
#include "engine/rpc/connection.h"

namespace opscope::rpc {

namespace {

constexpr std::chrono::milliseconds kSlice{50};  // how often `stop` is looked at

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// What the system's resolver says: a list, or the number of its error.
struct Resolved {
  int error = 0;
  Addresses list;
};

Resolved resolve(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  return {error, Addresses(error == 0 ? list : nullptr)};
}

struct Target {
  std::string host;
  std::string port;
  std::string name() const { return addressText(host, port); }
  base::Error failed(base::ErrorCode code, std::string detail, std::string hint) const {
    return {code, fmt::format("cannot connect to {}", name()), std::move(detail), std::move(hint)};
  }
  base::Error cancelled() const {
    return {base::ErrorCode::Cancelled, fmt::format("connecting to {} was cancelled", name()), {}, {}};
  }
  base::Error timedOut(std::string detail) const {
    return failed(
        base::ErrorCode::Timeout, std::move(detail),
        "look whether the board is on and in this network, and whether a firewall is between; or a server "
        "is there and its queue may be full because somebody holds it");
  }
};

/// The resolver knows no deadline, so names are looked up by a thread of its own, which ends by itself when
/// nobody waits any more.
base::Result<Addresses> lookUp(const Target& target, Deadline deadline, const std::stop_token& stop) {
  Resolved numeric = resolve(target.host, target.port, AI_NUMERICHOST | AI_NUMERICSERV);
  if (numeric.error == 0) {
    return std::move(numeric.list);
  }
  std::packaged_task<Resolved()> task([target] { return resolve(target.host, target.port, AI_NUMERICSERV); });
  std::future<Resolved> answer = task.get_future();
  std::thread(std::move(task)).detach();
  while (answer.wait_for(deadline.left(kSlice)) != std::future_status::ready) {
    if (stop.stop_requested()) {
      return target.cancelled();
    }
    if (deadline.expired()) {
      return target.timedOut(fmt::format("the name {} was not resolved in time", target.host));
    }
  }
  Resolved resolved = answer.get();
  if (resolved.error != 0) {
    return target.failed(base::ErrorCode::NotFound,
                         fmt::format("{}: {}", target.host, ::gai_strerror(resolved.error)),
                         "check the name's spelling, or give the board's address");
  }
  return std::move(resolved.list);
}

/// A socket that closes itself unless it is handed on.
class Socket {
 public:
  explicit Socket(int number) : m_number(number) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (m_number >= 0) {
      ::close(m_number);
    }
  }
  int number() const { return m_number; }
  int release() { return std::exchange(m_number, -1); }

 private:
  int m_number;
};

base::Error refused(const Target& target, int number) {
  const char* hint = number == ECONNREFUSED ? "no server listens there: start one, or check the port"
                                            : "check the address and the network";
  return target.failed(base::ErrorCode::Io, std::strerror(number), hint);
}

base::Result<> awaitConnected(const Target& target, int socket, Deadline deadline,
                              const std::stop_token& stop) {
  for (;;) {
    pollfd entry{socket, POLLOUT, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(deadline.left(kSlice).count()));
    if (ready > 0) {
      int number = 0;
      socklen_t size = sizeof(number);
      ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size);
      return number == 0 ? base::Result<>() : base::Result<>(refused(target, number));
    }
    if (stop.stop_requested()) {
      return target.cancelled();
    }
    if (deadline.expired()) {
      return target.timedOut("nothing answered at this address");
    }
  }
}

base::Result<int> connectTo(const Target& target, const addrinfo& address, Deadline deadline,
                            const std::stop_token& stop) {
  Socket socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol));
  if (socket.number() < 0) {
    return refused(target, errno);
  }
  if (::connect(socket.number(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) {
      return refused(target, errno);
    }
    OPSCOPE_TRY(awaitConnected(target, socket.number(), deadline, stop));
  }
  return socket.release();
}

/// An equal part of the time that is left, so that one silent address does not take all of it.
Deadline share(Deadline whole, std::size_t addressesLeft) {
  constexpr std::chrono::milliseconds kDay{86'400'000};
  return whole.isNone() ? whole
                        : Deadline::after(whole.left(kDay) /
                                          static_cast<std::int64_t>(std::max<std::size_t>(addressesLeft, 1)));
}

}  // namespace

base::Result<std::unique_ptr<Connection>> Connection::connect(const std::string& host,
                                                              const std::string& port, Deadline deadline,
                                                              std::stop_token stop) {
  const Target target{host, port};
  if (host.empty() || !isPort(port)) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("\"{}\" is no address of a server", target.name()),
                       "expected a host, and a port from 1 to 65535",
                       {}};
  }
  OPSCOPE_TRY_ASSIGN(const Addresses addresses, lookUp(target, deadline, stop));
  std::vector<const addrinfo*> list;
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    list.push_back(address);
  }
  base::Error last = refused(target, EADDRNOTAVAIL);
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto socket = connectTo(target, *list[i], share(deadline, list.size() - i), stop);
    if (socket) {
      return adopt(*socket, target.name());
    }
    last = std::move(socket).error();
    if (last.code == base::ErrorCode::Cancelled) {
      break;
    }
  }
  return last;
}

}  // namespace opscope::rpc
