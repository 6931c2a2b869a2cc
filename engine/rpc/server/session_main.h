// SPDX-License-Identifier: Apache-2.0
// The process of one session. Called from main, after the program has registered its functions; the calling
// thread becomes the session's.
#pragma once

namespace opscope::rpc::server {

/// Waits on `controlDescriptor` for a client, serves it and gives the exit status: 0 when the session ended
/// in order, 1 when the client was lost inside of a frame. Ends with the server.
int sessionMain(int controlDescriptor);

}  // namespace opscope::rpc::server
