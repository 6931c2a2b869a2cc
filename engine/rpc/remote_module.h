// SPDX-License-Identifier: Apache-2.0
// Modules and functions of a server as ffi objects, the interface that TVM's programs use: the session itself
// is a module whose functions are the server's registry; modules loaded there are modules of kind "rpc" too.
// Any thread; each keeps its session alive. Errors are raised with TVM's kinds, see raiseRemote. Behaviour:
// seed 001, RPCModuleNode and RPCWrappedFunc.
#pragma once

#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <array>
#include <cstdint>
#include <string>

#include "engine/rpc/remote_session.h"

namespace opscope::rpc {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi

class RemoteModuleObj : public tvm::ffi::ModuleObj {
 public:
  /// `handle` 0: the session itself.
  RemoteModuleObj(tvm::ffi::ObjectPtr<RemoteSessionObj> session, std::uint64_t handle)
      : m_session(std::move(session)), m_handle(handle) {}
  ~RemoteModuleObj() { m_session->free(m_handle); }

  const char* kind() const final { return "rpc"; }
  int GetPropertyMask() const final { return tvm::ffi::Module::kRunnable; }
  /// "CloseRPCConnection" ends the session. Else a function of the module and of its imports, or for the
  /// session itself of the server's registry; none when there is none.
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String& name) final;
  /// Imports `other`, a module of the same session, on the server.
  void ImportModule(const tvm::ffi::Module& other) final;

  /// A library that was uploaded, loaded there.
  tvm::ffi::Any loadModule(const tvm::ffi::String& name);
  /// The server's runtime.RPCTimeEvaluator for this module, or for the registry when it is the session. The
  /// device must be one of this session's. `settings` are number, repeat, min_repeat_ms,
  /// limit_zero_time_iterations, cooldown_interval_ms, repeats_to_cooldown and cache_flush_bytes.
  tvm::ffi::Any timeEvaluator(const tvm::ffi::String& name, DLDevice device,
                              const std::array<std::int64_t, 7>& settings, const tvm::ffi::String& prepare);

  const tvm::ffi::ObjectPtr<RemoteSessionObj>& session() const { return m_session; }
  std::uint64_t handle() const { return m_handle; }

 private:
  const tvm::ffi::ObjectPtr<RemoteSessionObj> m_session;
  const std::uint64_t m_handle;
};

#pragma GCC diagnostic pop

/// The module that stands for a session. Takes a number in the table; raises RPCError when there is none
/// left.
tvm::ffi::Module makeSessionModule(std::unique_ptr<Client> client,
                                   const tvm::ffi::ObjectPtr<SessionTableObj>& table);

/// A function of the server's as a local one; its handle is freed with it. Arguments are translated: tensors,
/// views and devices of this session lose its mask, modules become handles, strings go as C strings. Raises
/// InternalError "Can not pass in local device" and "... with a different remote session", ValueError "Cannot
/// pass a non-RPC module to remote", "Cannot pass in module into a different remote session" and "Cannot pass
/// type T as an argument to the remote".
tvm::ffi::Function makeRemoteFunction(tvm::ffi::ObjectPtr<RemoteSessionObj> session, FunctionHandle function);

/// `module` as a remote one. Raises ValueError for other kinds.
RemoteModuleObj& remoteModuleOf(const tvm::ffi::Module& module);

}  // namespace opscope::rpc
