// SPDX-License-Identifier: Apache-2.0
// Objects of the server's that free themselves, once. Each belongs to a Client, which must outlive it: keep
// them behind the client in the same structure. One thread at a time, the client's.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/rpc/client.h"

namespace opscope::rpc {

/// A handle with its client; empty after a move.
class OwnedHandle {
 public:
  OwnedHandle() = default;
  OwnedHandle(Client& client, std::uint64_t handle) : m_client(&client), m_handle(handle) {}
  OwnedHandle(OwnedHandle&& other) noexcept
      : m_client(std::exchange(other.m_client, nullptr)), m_handle(std::exchange(other.m_handle, 0)) {}
  OwnedHandle& operator=(OwnedHandle&& other) noexcept {
    if (this != &other) {
      reset();
      m_client = std::exchange(other.m_client, nullptr);
      m_handle = std::exchange(other.m_handle, 0);
    }
    return *this;
  }
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;
  ~OwnedHandle() { reset(); }

  bool empty() const { return m_handle == 0; }
  std::uint64_t handle() const { return m_handle; }
  Client& client() const { return *m_client; }  ///< not when empty
  void reset() {
    if (m_client != nullptr && m_handle != 0) {
      m_client->free(m_handle);
    }
    m_client = nullptr;
    m_handle = 0;
  }

 private:
  Client* m_client = nullptr;
  std::uint64_t m_handle = 0;
};

/// A function, module or object (`Handle` of value.h) as an owner.
template <class Handle>
class RemoteOwner {
 public:
  RemoteOwner() = default;
  RemoteOwner(Client& client, Handle handle) : m_owned(client, handle.handle) {}

  bool empty() const { return m_owned.empty(); }
  Handle get() const { return Handle{m_owned.handle()}; }
  Client& client() const { return m_owned.client(); }
  void reset() { m_owned.reset(); }

 private:
  OwnedHandle m_owned;
};

using RemoteModule = RemoteOwner<ModuleHandle>;
using RemoteObject = RemoteOwner<ObjectHandle>;

class RemoteFunction : public RemoteOwner<FunctionHandle> {
 public:
  using RemoteOwner::RemoteOwner;
  /// Errors: those of Client::call; MissingFunction when this is empty.
  base::Result<CallResult> operator()(std::initializer_list<Value> arguments,
                                      const CallOptions& options = {}) const {
    return (*this)(std::span<const Value>(arguments.begin(), arguments.size()), options);
  }
  base::Result<CallResult> operator()(std::span<const Value> arguments,
                                      const CallOptions& options = {}) const {
    if (empty()) {
      return base::Error{
          base::ErrorCode::MissingFunction, "the server has not got the function that is called", {}, {}};
    }
    return client().call(get(), arguments, options);
  }
};

/// A tensor that a call returned, or memory that was allocated.
class RemoteTensor {
 public:
  RemoteTensor() = default;
  /// A returned tensor: `owner` is the handle behind the view.
  RemoteTensor(Client& client, TensorView view, std::uint64_t owner)
      : m_client(&client), m_view(std::move(view)), m_owner(client, owner) {}
  RemoteTensor(RemoteTensor&& other) noexcept
      : m_client(std::exchange(other.m_client, nullptr)),
        m_view(std::move(other.m_view)),
        m_owner(std::move(other.m_owner)),
        m_allocated(std::exchange(other.m_allocated, false)) {}
  RemoteTensor& operator=(RemoteTensor&& other) noexcept {
    if (this != &other) {
      reset();
      m_client = std::exchange(other.m_client, nullptr);
      m_view = std::move(other.m_view);
      m_owner = std::move(other.m_owner);
      m_allocated = std::exchange(other.m_allocated, false);
    }
    return *this;
  }
  RemoteTensor(const RemoteTensor&) = delete;
  RemoteTensor& operator=(const RemoteTensor&) = delete;
  ~RemoteTensor() { reset(); }

  /// New memory on the server, not zeroed. `shape` tells device, type and extents.
  static base::Result<RemoteTensor> allocate(Client& client, TensorView shape);

  bool empty() const { return m_client == nullptr; }
  const TensorView& view() const { return m_view; }
  Client& client() const { return *m_client; }  ///< not when empty
  void reset() {
    if (m_client != nullptr && m_allocated) {
      m_client->freeData(m_view.device, m_view.data);
    }
    m_owner.reset();
    m_client = nullptr;
    m_allocated = false;
  }

 private:
  Client* m_client = nullptr;
  TensorView m_view;
  OwnedHandle m_owner;
  bool m_allocated = false;
};

}  // namespace opscope::rpc
