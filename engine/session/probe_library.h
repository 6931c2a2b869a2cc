// SPDX-License-Identifier: Apache-2.0
// The probe on a board: uploaded and loaded. On the worker; the board outlives it.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/rpc/remote_calls.h"
#include "engine/session/remote_board.h"

namespace opscope::session {

class ProbeLibrary {
 public:
  /// Sends the probe for `architecture`, the executable's. Errors: Unsupported when this program carries none
  /// or the board cannot load it; those of the session.
  static base::Result<ProbeLibrary> load(RemoteBoard& board, const std::string& architecture);

  /// opscope_probe_`name`. Errors: MissingFunction; those of the session.
  base::Result<rpc::RemoteFunction> function(const char* name) const;

 private:
  ProbeLibrary(rpc::Client& client, rpc::RemoteModule module)
      : m_client(&client), m_module(std::move(module)) {}

  rpc::Client* m_client;
  rpc::RemoteModule m_module;
};

}  // namespace opscope::session
