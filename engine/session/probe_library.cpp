// SPDX-License-Identifier: Apache-2.0
#include "engine/session/probe_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "engine/session/probe_bytes.h"

namespace opscope::session {

namespace {

base::Result<std::string_view> probeFor(const std::string& architecture) {
  std::vector<std::string> known;
  for (const ProbeBytes& probe : probeBytes()) {
    if (probe.architecture == architecture) {
      return probe.library;
    }
    known.emplace_back(probe.architecture);
  }
  return base::Error{base::ErrorCode::Unsupported,
                     fmt::format("This program carries no probe for {}.", architecture),
                     fmt::format("It has one for {}.", fmt::join(known, ", ")), ""};
}

}  // namespace

base::Result<ProbeLibrary> ProbeLibrary::load(RemoteBoard& board, const std::string& architecture) {
  OPSCOPE_TRY_ASSIGN(const std::string_view library, probeFor(architecture));
  OPSCOPE_TRY_ASSIGN(const std::string name, board.upload("probe", library, {}));
  auto module = rpc::loadModule(board.client(), name);
  if (!module) {
    base::Error error = std::move(module).error();
    return board.client().failure()
               ? std::move(error)
               : base::Error{base::ErrorCode::Unsupported, "The board's server cannot load our probe.",
                             error.message, ""};
  }
  return ProbeLibrary(board.client(), std::move(*module));
}

base::Result<rpc::RemoteFunction> ProbeLibrary::function(const char* name) const {
  OPSCOPE_TRY_ASSIGN(rpc::RemoteFunction found,
                     rpc::moduleFunction(*m_client, m_module.get(), fmt::format("opscope_probe_{}", name)));
  if (found.empty()) {
    return base::Error{base::ErrorCode::MissingFunction,
                       fmt::format("The board does not find {} in our probe.", name), "", ""};
  }
  return found;
}

}  // namespace opscope::session
