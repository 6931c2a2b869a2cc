// SPDX-License-Identifier: Apache-2.0
// Our side of rpc_compare.py: reads commands from standard input and answers each with nanoseconds. With
// --log its client keeps a log of its traffic.
//
//   connect PORT   call N   to MIB   from MIB   upload MIB   close     a session with a server on 127.0.0.1
//   rawserve       (answers with a port)                               plain sockets, for what the computer
//   can do rawping PORT N   rawstream PORT MIB
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "engine/rpc/remote_calls.h"

namespace opscope::bench {

namespace {

using rpc::Deadline;

template <class T>
T must(base::Result<T> result) {
  if (!result) {
    std::cerr << base::formatError(result.error()) << std::endl;
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) {
    return *std::move(result);
  }
}

template <class F>
std::int64_t timed(F&& work) {
  const std::int64_t begin = base::monotonicNs();
  work();
  return base::monotonicNs() - begin;
}

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Memory that nobody touched yet, as a server's tensor is.
class FreshMemory {
 public:
  explicit FreshMemory(std::size_t bytes)
      : m_bytes(bytes),
        m_data(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;
  ~FreshMemory() { ::munmap(m_data, m_bytes); }
  void* data() { return m_data; }

 private:
  const std::size_t m_bytes;
  void* const m_data;
};

/// Answers single bytes at once and, behind a size, one byte when all of them have come.
void serveRaw(int listener) {
  for (;;) {
    const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      return;
    }
    const auto connection = rpc::Connection::adopt(socket, "raw");
    std::uint64_t size = 0;
    while (connection->receiveExact(&size, sizeof(size), Deadline::none())) {
      if (size > 0) {
        FreshMemory memory(size);
        must(connection->receiveExact(memory.data(), size, Deadline::none()));
      }
      must(connection->send("........", Deadline::none()));
    }
  }
}

class Worker {
 public:
  /// `logs`: the client has a log of its traffic, as a profile's has.
  explicit Worker(bool logs) : m_logs(logs) {}

  std::int64_t run(const std::string& name, std::istringstream& words) {
    if (name == "connect") {
      rpc::ConnectSettings settings{.host = "127.0.0.1", .port = ""};
      words >> settings.port;
      if (m_logs) {
        m_client.reset();
        m_log = std::make_unique<rpc::TrafficLog>();
        settings.traffic = m_log.get();
      }
      return timed([&] { m_client = must(rpc::Client::open(settings)); });
    }
    if (name == "close") {
      m_client.reset();
      return 0;
    }
    if (name == "rawserve") {
      return rawServe();
    }
    if (name == "rawping" || name == "rawstream") {
      return raw(name == "rawping", words);
    }
    std::size_t amount = 0;
    words >> amount;
    if (name == "call") {
      // A function that every server has, and that does next to nothing.
      auto made = must(m_client->callGlobal("ffi.FunctionListGlobalNamesFunctor", {}));
      const auto function = must(rpc::functionOf(*m_client, std::move(made), "a call"));
      return timed([&] {
        for (std::size_t i = 0; i < amount; ++i) {
          must(function({std::int64_t{-1}}));
        }
      });
    }
    return copy(name, amount * kMiB);
  }

 private:
  std::int64_t copy(const std::string& name, std::size_t bytes) {
    std::vector<std::byte> memory(bytes, std::byte{7});
    if (name == "upload") {
      must(m_client->keptFunction("tvm.rpc.server.upload"));
      const std::string_view content(reinterpret_cast<const char*>(memory.data()), memory.size());
      return timed(
          [&] { must(rpc::upload(*m_client, "bench.bin", content, {.time = std::chrono::minutes(10)})); });
    }
    const auto tensor = must(rpc::RemoteTensor::allocate(
        *m_client, {0, {kDLCPU, 0}, {kDLFloat, 32, 1}, {static_cast<std::int64_t>(bytes / 4)}, 0}));
    if (name == "to") {
      return timed([&] { must(m_client->copyTo(tensor.view(), memory)); });
    }
    must(m_client->copyTo(tensor.view(), memory));
    return timed([&] { must(m_client->copyFrom(tensor.view(), memory)); });
  }

  std::int64_t rawServe() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 4) != 0) {
      std::perror("listen");
      std::exit(1);
    }
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    std::thread(serveRaw, listener).detach();
    return ntohs(address.sin_port);
  }

  std::int64_t raw(bool ping, std::istringstream& words) {
    std::string port;
    std::size_t amount = 0;
    words >> port >> amount;
    const auto connection = must(rpc::Connection::connect("127.0.0.1", port, Deadline::none()));
    const std::vector<char> memory(ping ? 0 : amount * kMiB, 'x');
    const std::uint64_t size = memory.size();
    const std::string_view head(reinterpret_cast<const char*>(&size), sizeof(size));
    char answer[8];
    return timed([&] {
      for (std::size_t i = 0; i < (ping ? amount : 1); ++i) {
        must(connection->send(head, Deadline::none()));
        must(connection->send(std::string_view(memory.data(), memory.size()), Deadline::none()));
        must(connection->receiveExact(answer, sizeof(answer), Deadline::none()));
      }
    });
  }

  const bool m_logs;
  std::unique_ptr<rpc::TrafficLog> m_log;  ///< outlives the client
  std::unique_ptr<rpc::Client> m_client;
};

}  // namespace

}  // namespace opscope::bench

int main(int count, char** words) {
  opscope::bench::Worker worker(count > 1 && std::string_view(words[1]) == "--log");
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream asked(line);
    std::string name;
    asked >> name;
    std::cout << worker.run(name, asked) << std::endl;
  }
  return 0;
}
