// SPDX-License-Identifier: Apache-2.0
// A client's session as an ffi object, shared by the modules, functions, tensors and objects that came from
// it. Any thread: one mutex lets one request through at a time. Owns the client; its last user closes it in
// order.
#pragma once

#include <tvm/ffi/object.h>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/rpc/client.h"
#include "engine/rpc/session_table.h"

namespace opscope::rpc {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi

class RemoteSessionObj : public tvm::ffi::Object {
 public:
  /// Takes a number of the table. Raises RPCError when there is none left.
  RemoteSessionObj(std::unique_ptr<Client> client, tvm::ffi::ObjectPtr<SessionTableObj> table);
  ~RemoteSessionObj();

  int index() const { return m_index; }

  /// The handle of a function of the server's registry, which the caller frees, or 0. These three raise what
  /// went wrong, see raiseRemote.
  std::uint64_t globalFunction(std::string_view name);
  /// A function that the session keeps. Raises InternalError when the server has not got it.
  FunctionHandle keptFunction(const std::string& name);
  CallResult call(FunctionHandle function, std::span<const Value> arguments);

  /// Frees a handle with the next request. Does nothing when the session is over.
  void free(std::uint64_t handle);
  /// Closes the session; later calls raise.
  void shutdown();
  /// Why the session is over, or nothing.
  std::optional<base::Error> failure();

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.RemoteSession", RemoteSessionObj, tvm::ffi::Object);

 private:
  std::mutex m_mutex;  ///< guards the client
  std::unique_ptr<Client> m_client;
  const tvm::ffi::ObjectPtr<SessionTableObj> m_table;
  const int m_index;
};

/// An object of the server's that is neither function, module nor tensor. Freed with its last reference. Seed
/// 001, RPCObjectRefObj.
class RemoteObjectObj : public tvm::ffi::Object {
 public:
  RemoteObjectObj(tvm::ffi::ObjectPtr<RemoteSessionObj> session, std::uint64_t handle)
      : m_session(std::move(session)), m_handle(handle) {}
  ~RemoteObjectObj() { m_session->free(m_handle); }

  const tvm::ffi::ObjectPtr<RemoteSessionObj>& session() const { return m_session; }
  std::uint64_t handle() const { return m_handle; }

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.RPCObjectRef", RemoteObjectObj, tvm::ffi::Object);

 private:
  const tvm::ffi::ObjectPtr<RemoteSessionObj> m_session;
  const std::uint64_t m_handle;
};

#pragma GCC diagnostic pop

/// Throws an error as tvm-ffi's, with all its words and TVM's kinds: RPCError for what the server raised and
/// for lost sessions, RPCSessionTimeoutError for the end of a session's time, ValueError, InternalError for
/// functions that are missing.
[[noreturn]] void raiseRemote(const base::Error& error);

}  // namespace opscope::rpc
