// SPDX-License-Identifier: Apache-2.0
// A small server of the protocol for tests of the client: answers rightly by itself, and wrongly where a test
// asks for it. Used from the thread of a ScriptedServer; what it noted is read after its end, or by logged().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/rpc/connection.h"
#include "engine/rpc/frames.h"

namespace opscope::rpc::test {

/// Handles of the functions that every fake board has, by global name.
inline constexpr std::uint64_t kEcho = 0x100;   ///< "echo": gives back its argument, handles as objects
inline constexpr std::uint64_t kFail = 0x101;   ///< "fail": raises its argument
inline constexpr std::uint64_t kBreak = 0x102;  ///< "break": the session process fails (code 1, then the end)
inline constexpr std::uint64_t kDie = 0x103;    ///< "die": the session process is gone
inline constexpr std::uint64_t kSilence = 0x104;   ///< "silence": never answers
inline constexpr std::uint64_t kView = 0x105;      ///< "view": a tensor view without an owner
inline constexpr std::uint64_t kTensor = 0x106;    ///< "tensor": a tensor with the owner 0x7777
inline constexpr std::uint64_t kFunction = 0x107;  ///< "function", "module", "object": a handle of that kind
inline constexpr std::uint64_t kModule = 0x108;
inline constexpr std::uint64_t kObject = 0x109;
inline constexpr std::uint64_t kBlob = 0x10A;        ///< "blob": as many bytes as the argument says
inline constexpr std::uint64_t kFirstNamed = 0x200;  ///< functions of FakeBoard::named

class FakeBoard {
 public:
  Encoding encoding = Encoding::Tvm022;
  std::string deviceKey = "server:board";
  /// Further global functions: their results, as Return's values.
  std::map<std::string, std::vector<Value>> named{{"ffi.SystemLib", {std::int64_t{0}, Value()}}};
  /// Sees each frame first; true when it has dealt with it.
  std::function<bool(FakeBoard&, const Frame&)> hook;

  /// A whole connection: handshake, then frames until the end.
  void serve(Connection& connection);

  // For hooks, on the serving thread:
  Connection& connection() { return *m_connection; }
  void sendReturn(const std::vector<Value>& values);
  void sendException(const std::string& text);
  void send(const Frame& frame);
  void sendBytes(const std::string& bytes);
  /// What a board does by itself.
  void answer(const Frame& frame);

  /// Text of the last handshake, and frames that came, with their data copied. Any thread.
  std::string keyText() const;
  std::vector<Frame> logged() const;
  std::size_t countOf(FrameCode code) const;
  /// The connection was ended by an end of file, not by a reset.
  bool endedInOrder() const;

 private:
  bool shakeHands();
  std::optional<std::string> readBody();
  void log(const Frame& frame);
  void answerCall(const Frame& frame);
  void answerCopy(const Frame& frame);
  std::uint64_t functionCalled(const std::string& name) const;

  Connection* m_connection = nullptr;
  bool m_over = false;
  std::map<std::uint64_t, std::vector<char>> m_memory;  ///< by made-up address
  std::uint64_t m_nextAddress = 0x10000000;
  mutable std::mutex m_mutex;  ///< guards everything below
  std::string m_keyText;
  std::vector<Frame> m_log;
  std::vector<std::unique_ptr<std::string>> m_data;  ///< of logged frames
  bool m_endedInOrder = false;
};

}  // namespace opscope::rpc::test
