// SPDX-License-Identifier: Apache-2.0
// What a server is told by its command line. Plain values, handed down from the program.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace opscope::rpc::server {

/// How values are numbered for the clients: TVM 0.22 changed it, and a server cannot see who asks.
enum class ClientAbi { Tvm022, Tvm021 };

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 9090;  ///< 0: any free one
  int portEnd = 0;  ///< the first free port of [port, portEnd) is taken; 0: `port` alone
  std::string key;  ///< the kind of board, as the tracker lists it; without a tracker the key clients name
  std::string trackerHost;  ///< empty: no tracker
  std::string trackerPort;
  std::string
      customAddress;  ///< where clients of the tracker find this server; empty: as the tracker sees it
  std::string workDirectory;   ///< sessions get folders below it; empty: the system's temporary folder
  std::string cacheDirectory;  ///< of uploaded files; empty: opscope/uploads in the user's cache folder
  std::uint64_t cacheBytes = std::uint64_t{4} << 30;
  std::string secret;  ///< empty: everybody may connect
  ClientAbi clientAbi = ClientAbi::Tvm022;
  std::size_t maxSessions = 8;
  std::chrono::milliseconds handshakeLimit{10'000};
  std::vector<std::string> wrapper;  ///< words before the program's own for each session: taskset, qemu, gdb
  std::string program;               ///< this program's own file, started again for each session
  std::vector<std::string> plugins;  ///< libraries of registered functions, which each session loads
  /// For a program that starts a server for itself alone: when standard input is closed, as it is when that
  /// program is gone, the server ends. It removes `workDirectory`, which is that program's, at any end.
  bool endsWithInput = false;
  bool verbose = false;

  /// The words that start this program again, by the wrapper, with `arguments` and its plugins.
  std::vector<std::string> ownCommand(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = wrapper;
    words.push_back(program);
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (const std::string& plugin : plugins) {
      words.insert(words.end(), {"--plugin", plugin});
    }
    return words;
  }
};

}  // namespace opscope::rpc::server
