// SPDX-License-Identifier: Apache-2.0
// The sessions that this process has, by number. A session's number makes its devices: a remote device looks
// here like one of type + 128 * (number + 1), so that it cannot be taken for a local one. Any thread. One
// table a process, held by the functions that registerRemoteFunctions puts into the registry and by the
// sessions. Behaviour: seed 001 and TVM's session table, of the same size.
#pragma once

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/object.h>

#include <array>
#include <mutex>
#include <optional>

#include "engine/base/result.h"

namespace opscope::rpc {

class RemoteSessionObj;

inline constexpr int kMaxSessions = 32;
inline constexpr int kSessionMask = 128;

/// True for the device of a session, whichever.
bool isRemoteDevice(DLDevice device);
/// The number of a remote device's session; nullopt for a local device.
std::optional<int> sessionIndexOf(DLDevice device);
/// The device as the session's clients see it, and as the server numbers it.
DLDevice addSessionMask(DLDevice device, int index);
DLDevice removeSessionMask(DLDevice device);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi

class SessionTableObj : public tvm::ffi::Object {
 public:
  /// The lowest free number. Errors: Unsupported when all are taken.
  base::Result<int> insert(RemoteSessionObj* session);
  void remove(int index);
  int size() const;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.SessionTable", SessionTableObj, tvm::ffi::Object);

 private:
  mutable std::mutex m_mutex;
  std::array<RemoteSessionObj*, kMaxSessions> m_sessions{};
};

#pragma GCC diagnostic pop

}  // namespace opscope::rpc
