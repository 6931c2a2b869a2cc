// SPDX-License-Identifier: Apache-2.0
// A session with a server of TVM's RPC, stock or ours: every step has a deadline, every failure an error in
// words. One thread at a time, except for abort(); owns the connection. Handles of the server's objects are
// plain values here; remote_handles.h has types that free them. Seed 001 mirrors this as ffi objects, see
// remote_module.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/page_buffer.h"
#include "engine/base/result.h"
#include "engine/rpc/channel.h"
#include "engine/rpc/encoding.h"
#include "engine/rpc/handshake.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/value.h"

namespace opscope::rpc {

struct ConnectSettings {
  std::string host;
  std::string port;
  std::string key{};                 ///< match key; empty for a server without one
  std::string secret{};              ///< shared with our server, see secret.h; empty: none
  std::string clientName{};          ///< told to others who wait, by our server; empty: nothing is said
  std::uint32_t sessionSeconds = 0;  ///< the server ends the session after this; 0: never
  std::vector<Value> constructor{};  ///< of the server's own session: through a hop, see hopTo
  std::chrono::milliseconds connectTime{10'000};  ///< until TCP is connected
  std::chrono::milliseconds answerTime{10'000};   ///< for handshake and init each
  std::chrono::milliseconds callTime{60'000};     ///< for one call, unless CallOptions says otherwise
  std::chrono::milliseconds copyTime{30'000};     ///< for each part of a copy
  std::chrono::milliseconds closeTime{2'000};     ///< for an orderly end
  std::stop_token stop{};                         ///< ends opening
  std::function<void(OpeningStep)> reached{};     ///< told of each step of opening; may be empty
  TrafficLog* traffic = nullptr;  ///< told of each request; null: nobody is; outlives the client
};

/// The constructor for a session on `host` that the connected server opens for us.
std::vector<Value> hopTo(const std::string& host, std::int64_t port, const std::string& key);

enum class ServerKind {
  Legacy,   ///< TVM up to 0.20; never tried
  Tvm021,   ///< TVM 0.21
  Tvm022,   ///< TVM 0.22 and later
  Opscope,  ///< our own
};

struct ServerInfo {
  ServerKind kind = ServerKind::Tvm022;
  Encoding encoding = Encoding::Tvm022;
  std::string deviceKey{};           ///< what the server says of itself, "server:" taken off
  std::string opscopeInfo{};         ///< our server's description of itself as JSON; empty for others
  std::uint64_t maxPacketBytes = 0;  ///< of small targets; 0: no limit told
  bool throughHop = false;
};

struct CallOptions {
  std::optional<std::chrono::milliseconds> time{};  ///< instead of ConnectSettings::callTime
  Deadline deadline = Deadline::none();
  Progress progress{};  ///< bytes of the request as they are sent
};

/// What a call returned. Objects of the server's must be freed by the caller: function, module and object
/// handles in `value`, and `owner` of a tensor.
struct CallResult {
  std::int32_t typeTag = 0;  ///< as the server numbers types
  Value value{};             ///< large bytes are a BytesView into `memory`
  std::uint64_t owner = 0;   ///< of a TensorView: the handle to free; 0 for a view that somebody else owns
  base::PageBuffer memory{};

  /// The bytes of a value that has some.
  std::optional<std::string_view> bytes() const;
};

/// One call of several.
struct CallRequest {
  FunctionHandle function;
  std::vector<Value> arguments;
};

struct CopyOptions {
  std::optional<std::chrono::milliseconds> time{};  ///< for each part, instead of ConnectSettings::copyTime
  Deadline deadline = Deadline::none();
  Progress progress{};
};

class Client {
 public:
  /// TCP, handshake, init, and what kind of server it is. Errors: those of Connection::connect and
  /// shakeHands; Remote when the server refuses init; Timeout, ConnectionLost, Format.
  static base::Result<std::unique_ptr<Client>> open(const ConnectSettings& settings);
  /// The same on a connection that is there.
  static base::Result<std::unique_ptr<Client>> over(std::unique_ptr<Connection> connection,
                                                    const ConnectSettings& settings);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  /// Closes in order, within ConnectSettings::closeTime.
  ~Client();

  const ServerInfo& server() const { return m_server; }
  /// "HOST:PORT".
  const std::string& peer() const { return m_channel.peer(); }

  /// Errors: Remote for what the function raised (the session goes on); InvalidArgument for what cannot be
  /// sent (nothing was); else the session is over: Timeout, ConnectionLost, Format, Cancelled.
  base::Result<CallResult> call(FunctionHandle function, std::span<const Value> arguments,
                                const CallOptions& options = {});
  base::Result<CallResult> call(FunctionHandle function, std::initializer_list<Value> arguments,
                                const CallOptions& options = {});

  /// Several calls without waiting for each answer. Their own errors (Remote) stand in their places and leave
  /// the others alone; errors of the session, and InvalidArgument before anything is sent, are the result's.
  base::Result<std::vector<base::Result<CallResult>>> callAll(std::span<const CallRequest> requests,
                                                              const CallOptions& options = {});

  /// A function of the server's registry; the caller frees it. nullopt when there is none of that name.
  base::Result<std::optional<FunctionHandle>> globalFunction(std::string_view name);
  /// The same, asked for once and kept until the session ends. Errors: MissingFunction as well.
  base::Result<FunctionHandle> keptFunction(const std::string& name);
  base::Result<CallResult> callGlobal(const std::string& name, std::initializer_list<Value> arguments,
                                      const CallOptions& options = {});

  /// Frees a function, module, object or tensor owner, each once. Goes out with the next request; nothing
  /// waits for it. The second form is for memory of allocate().
  void free(std::uint64_t handle);
  void freeData(DLDevice device, std::uint64_t data);

  /// Memory for a tensor like `shape` (its data counts for nothing), not zeroed; its address.
  base::Result<std::uint64_t> allocate(const TensorView& shape, const std::optional<std::string>& scope = {});
  base::Result<std::uint64_t> allocateBytes(DLDevice device, std::uint64_t bytes, std::uint64_t alignment,
                                            DLDataType dtype);

  /// Copies bytes into or out of the elements of `tensor`, which starts at its byteOffset; `bytes` may be
  /// fewer than it has. In parts, several of them on their way at once. Errors: as call.
  base::Result<> copyTo(const TensorView& tensor, std::span<const std::byte> bytes,
                        const CopyOptions& options = {});
  base::Result<> copyFrom(const TensorView& tensor, std::span<std::byte> bytes,
                          const CopyOptions& options = {});
  /// Between two tensors of the server's.
  base::Result<> copyAmong(const TensorView& from, const TensorView& to, std::uint64_t stream = 0);

  base::Result<> synchronise(DLDevice device, std::uint64_t stream = 0);
  base::Result<> setDevice(DLDevice device);
  base::Result<std::uint64_t> createStream(DLDevice device);
  base::Result<> freeStream(DLDevice device, std::uint64_t stream);
  base::Result<> setStream(DLDevice device, std::uint64_t stream);
  base::Result<std::uint64_t> currentStream(DLDevice device);
  /// None where the device does not tell. A missing device answers 0 for Exists and raises (Remote) else.
  base::Result<Value> deviceAttribute(DLDevice device, DeviceAttribute kind);

  /// That of the settings.
  TrafficLog* traffic() { return m_channel.traffic(); }

  /// Ends the session in order: what is underway goes out whole, the server is told, what it still sends is
  /// read; at most for ConnectSettings::closeTime. Later calls are errors. Again: nothing.
  void shutdown();
  /// Ends every wait with Cancelled, now and later. Any thread. A stock server may need a restart after it.
  void abort() { m_channel.abort(); }
  /// Why the session is over, or nothing.
  const std::optional<base::Error>& failure() const { return m_channel.failure(); }

 private:
  Client(std::unique_ptr<Connection> connection, const ConnectSettings& settings);
  base::Result<> putInit();
  base::Result<> receiveInit(const Waiting& waiting);
  base::Result<> initialise();
  base::Result<> initialiseOurs(FunctionHandle describe);
  void takeServerInfo(const Value& value);
  base::Result<> detect();
  base::Result<> readServerInfo(const std::vector<std::uint64_t>& handles);

  Waiting callWaiting(const CallOptions& options) const;
  Waiting copyWaiting(const CopyOptions& options) const;
  base::Result<> putCall(FunctionHandle function, std::span<const Value> arguments);
  void describeCall(FunctionHandle function, std::span<const Value> arguments);
  base::Result<CallResult> receiveCall(const Waiting& waiting);
  base::Result<> putSystemCall(FrameCode code, std::span<const Value> values);
  base::Result<Value> systemCall(FrameCode code, std::initializer_list<Value> values);
  base::Result<std::uint64_t> pointerCall(FrameCode code, std::initializer_list<Value> values);
  base::Result<Value> receiveOne(const Waiting& waiting);
  void putIgnored(FrameCode code, std::initializer_list<Value> values);
  void rememberLegacyType(const CallResult& result);

  const ConnectSettings m_settings;
  Channel m_channel;
  ServerInfo m_server;
  std::map<std::string, FunctionHandle, std::less<>> m_kept;
  std::map<std::uint64_t, std::int64_t> m_legacyTypes;  ///< of handles other than functions, up to TVM 0.20
};

}  // namespace opscope::rpc
