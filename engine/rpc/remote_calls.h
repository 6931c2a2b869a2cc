// SPDX-License-Identifier: Apache-2.0
// What every server of TVM's RPC offers by name, as functions. The client's thread; what they return belongs
// to the caller and must not outlive the client. Errors: those of Client::call; MissingFunction where the
// server has not got the function; Format where it answers with something else.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/client.h"
#include "engine/rpc/remote_handles.h"

namespace opscope::rpc {

/// Writes a file into the server's work directory. `content` is not copied.
base::Result<> upload(Client& client, const std::string& name, std::string_view content,
                      const CallOptions& options = {});
/// Reads a file of the work directory. The bytes stand in the result, see CallResult::bytes.
base::Result<CallResult> download(Client& client, const std::string& name, const CallOptions& options = {});
base::Result<> removeFile(Client& client, const std::string& name);
/// Loads a library that was uploaded.
base::Result<RemoteModule> loadModule(Client& client, const std::string& name,
                                      const CallOptions& options = {});

/// A function of a module or, asked so, of what it imports; an empty one when there is none.
base::Result<RemoteFunction> moduleFunction(Client& client, ModuleHandle module, const std::string& name,
                                            bool queryImports = true);
/// A function of the registry; an empty one when there is none.
base::Result<RemoteFunction> globalFunction(Client& client, const std::string& name);
/// Names of all functions of the server's registry.
base::Result<std::vector<std::string>> globalNames(Client& client);

/// The results of calls as what the caller needs. The objects free themselves. Errors: Format, naming `what`.
base::Result<std::int64_t> intOf(const Client& client, const CallResult& result, std::string_view what);
base::Result<std::string> stringOf(const Client& client, const CallResult& result, std::string_view what);
base::Result<RemoteFunction> functionOf(Client& client, CallResult result, std::string_view what);
base::Result<RemoteModule> moduleOf(Client& client, CallResult result, std::string_view what);
base::Result<RemoteObject> objectOf(Client& client, CallResult result, std::string_view what);
base::Result<RemoteTensor> tensorOf(Client& client, CallResult result, std::string_view what);
/// Frees whatever a result owns, for those that nobody needs.
void discard(Client& client, const CallResult& result);

}  // namespace opscope::rpc
