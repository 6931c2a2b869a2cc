// SPDX-License-Identifier: Apache-2.0
// A session on a thread of the test's process, and the client's end of its socket. Main thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "engine/rpc/protocol.h"
#include "engine/rpc/server/options.h"
#include "engine/rpc/server/session.h"
#include "engine/rpc/server/system_functions.h"

namespace opscope::rpc::server::test {

/// Plain numbers, one behind the other.
template <class... Numbers>
std::string bytesOf(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
  return bytes;
}

/// Length, code and payload.
std::string frameOf(FrameCode code, std::string_view payload);
/// The request that begins every session.
std::string initFrame();
/// A C string with its tag.
std::string textValue(std::string_view text);
/// A request for a global function.
std::string functionFrame(std::string_view name);

class LocalSession {
 public:
  explicit LocalSession(ClientAbi abi = ClientAbi::Tvm022);
  /// Closes the client's end and waits for the session.
  ~LocalSession();
  LocalSession(const LocalSession&) = delete;
  LocalSession& operator=(const LocalSession&) = delete;

  bool send(std::string_view bytes);
  void finishSending();
  /// The next frame's body; nullopt at the end, and when none comes within a minute.
  std::optional<std::string> reply();
  /// send and reply.
  std::optional<std::string> request(std::string_view frame);
  /// What is left to come, until the session's end.
  std::string rest();

  std::size_t heldHandles() const { return m_session->heldHandles(); }

 private:
  bool receive(void* data, std::size_t size);

  std::filesystem::path m_folder;
  int m_socket = -1;
  std::unique_ptr<FrameStream> m_stream;
  std::unique_ptr<Session> m_session;
  std::unique_ptr<SystemFunctions> m_functions;
  std::jthread m_thread;
};

}  // namespace opscope::rpc::server::test
