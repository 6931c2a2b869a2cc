// SPDX-License-Identifier: Apache-2.0
// The client's side of the first words on a connection to a server. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/base/result.h"
#include "engine/rpc/connection.h"

namespace opscope::rpc {

/// How far the opening of a session came.
enum class OpeningStep {
  Magic,  ///< a server of TVM's RPC answers
  Key,    ///< it lets us in: our key is the one it serves, and the secret, where there is one, is shared
  Init,   ///< the session has begun
};

/// What a client says of itself.
struct Hello {
  std::string key;                   ///< the match key
  std::uint32_t sessionSeconds = 0;  ///< 0: no limit
  std::string clientName{};          ///< shown by our server to others who wait; empty: nothing is said
  std::string secret{};              ///< shared with our server, see secret.h; empty: none
  std::function<void(OpeningStep)> reached{};  ///< told of each step that is passed; may be empty
};

/// What a server says of itself.
struct Welcome {
  std::string key;               ///< "server:KEY"
  std::uint64_t infoHandle = 0;  ///< of our server's description of itself, see secret.h; 0: another server
};

/// Says who we are and returns what the server says of itself. With
/// a secret both sides prove that they know it, and a server that does not ask for it is refused. Errors tell
/// the cases apart and what to do: Timeout (it accepts connections but does not answer), InvalidArgument (a
/// match key that cannot be one), Remote (another key is served, the key is taken, the secret is another),
/// ConnectionLost, Format (no server of TVM), Cancelled.
base::Result<Welcome> shakeHands(Connection& connection, const Hello& hello, Deadline deadline);

/// InvalidArgument for what would break the server's reading of the key.
base::Result<> checkMatchKey(const std::string& key);

}  // namespace opscope::rpc
