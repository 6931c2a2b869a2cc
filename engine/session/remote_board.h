// SPDX-License-Identifier: Apache-2.0
// A session on a board: the connection, what is known of its server, and the files that we put there. On the
// worker, but for abort(); destroyed last of all that is remote, which ends the session in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/run.h"
#include "engine/rpc/client.h"
#include "engine/runtime/options.h"
#include "engine/session/targets.h"

namespace opscope::session {

struct BoardOptions {
  double timeoutSeconds = 0;  ///< for a call, and for a free board; 0: the defaults below
  std::string secret;         ///< shared with our server; may be empty
  std::stop_token stop;       ///< ends waiting and connecting
  /// Told in words what is waited for: "2 wait before this one". May be empty.
  std::function<void(const std::string&)> waiting;
  bool recordTraffic = false;  ///< see RemoteBoard::traffic
};

class RemoteBoard {
 public:
  static constexpr double kCallSeconds = 600;   ///< a run of a model
  static constexpr double kQueueSeconds = 600;  ///< for a tracker's free board

  /// Asks the tracker for a board, where the target is one, and opens a session. Errors: those of the tracker
  /// and of rpc::Client::open.
  static base::Result<std::unique_ptr<RemoteBoard>> open(const Target& target, const BoardOptions& options);

  rpc::Client& client() { return *m_client; }
  bool isOurs() const { return m_client->server().kind == rpc::ServerKind::Opscope; }
  const Target& target() const { return m_target; }
  /// All that is asked of the board; null when it was not to be recorded.
  rpc::TrafficLog* traffic() { return m_traffic.get(); }
  /// "TVM 0.22 or later", "opscope-server 0.1.0".
  std::string serverWords() const;
  /// "x86-64", "aarch64"; empty when the board does not tell.
  const std::string& architecture() const { return m_architecture; }
  /// Of an empty call, the shortest of several.
  double roundTripNs() const { return m_roundTripNs; }
  /// Of the kernel pool, calling thread included; 0 when the board does not tell.
  int threads() const { return m_threads; }

  /// Sets the board's kernel threads up as these options say, where they are not the defaults. Before
  /// anything is loaded. Errors: Unsupported for what its server cannot; those of the session.
  base::Result<> configureThreads(const runtime::RuntimeOptions& options);

  /// Puts a file there, under a name of its own, which comes back. Removed again by the destructor. On our
  /// server what it has in its cache does not travel. Errors: those of the session.
  base::Result<std::string> upload(std::string_view stem, std::string_view content,
                                   const rpc::Progress& progress);
  /// What the user should know of the board, such as that it keeps no uploads.
  const std::vector<report::Warning>& warnings() const { return m_warnings; }
  /// Bytes of uploads that travelled.
  std::uint64_t uploadedBytes() const { return m_uploadedBytes; }

  /// Address, server, architecture, round trip, and what else the server tells.
  std::vector<report::Fact> facts() const;

  /// Any thread. The session is over, not in order.
  void abort() { m_client->abort(); }
  ~RemoteBoard();

 private:
  RemoteBoard(Target target, std::unique_ptr<rpc::TrafficLog> traffic, std::unique_ptr<rpc::Client> client);
  base::Result<> learn();
  base::Result<> learnThreads();
  base::Result<> configureStockThreads(const runtime::RuntimeOptions& options);
  base::Result<bool> uploadByCache(const std::string& name, std::string_view content,
                                   const rpc::Progress& progress);

  Target m_target;
  std::unique_ptr<rpc::TrafficLog> m_traffic;  ///< outlives the client
  std::unique_ptr<rpc::Client> m_client;
  std::string m_architecture;
  double m_roundTripNs = 0;
  int m_threads = 0;
  std::uint64_t m_uploadedBytes = 0;
  std::vector<std::string> m_files;
  std::vector<report::Warning> m_warnings;
};

}  // namespace opscope::session
