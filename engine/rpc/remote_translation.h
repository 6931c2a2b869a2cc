// SPDX-License-Identifier: Apache-2.0
// Between tvm-ffi's values here and the wire's. Inside of remote_module. Any thread.
// Behaviour: seed 001, the translation of arguments in RPCWrappedFunc and WrapRemoteReturnToValue.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>

#include <vector>

#include "engine/rpc/client.h"
#include "engine/rpc/remote_session.h"

namespace opscope::rpc {

/// Arguments as the session's server knows them. Bytes are not copied: they live as long as `arguments`.
/// Raises what makeRemoteFunction tells.
std::vector<Value> toRemote(const RemoteSessionObj& session, tvm::ffi::PackedArgs arguments);

/// A result as objects of this process; what it owns on the server belongs to them from now on.
tvm::ffi::Any fromRemote(const tvm::ffi::ObjectPtr<RemoteSessionObj>& session, CallResult result);

}  // namespace opscope::rpc
