// SPDX-License-Identifier: Apache-2.0
// One client's session: takes its frames in order and answers each. Lives in a process of its own, on its
// main thread; owns all objects and all memory of the client. Behaviour: section "Requests and replies" of
// TVM's protocol; a malformed request gets an exception as its answer as long as its length can be believed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rpc/server/arguments.h"
#include "engine/rpc/server/device_calls.h"
#include "engine/rpc/server/frame_stream.h"
#include "engine/rpc/server/handle_table.h"
#include "engine/rpc/server/memory_map.h"
#include "engine/rpc/server/reply.h"
#include "engine/runtime/run_context.h"

namespace opscope::rpc::server {

class Session {
 public:
  Session(FrameStream& stream, ClientAbi abi) : m_stream(stream), m_abi(abi), m_reply(abi) {}

  /// Until the client ends the session or is gone. True when it ended between two frames.
  bool run();

  /// The function becomes the client's at HandleTable::kFirst. Before run().
  void describeBy(tvm::ffi::Function function) { m_handles.add(std::move(function)); }

  /// Kernels called from now on share a pool of threads. After a library was loaded.
  void startKernelThreads();
  /// Makes that pool as these options say. Errors: InvalidArgument once it is there, unless it was made so.
  base::Result<> configureKernelThreads(const runtime::RuntimeOptions& options);

  std::size_t heldHandles() const { return m_handles.size(); }
  std::size_t heldMemory() const { return m_memory.pieces(); }

 private:
  enum class Outcome { Go, End, Lost };

  Outcome frame(std::uint64_t length);
  Outcome copyToRemote(std::uint64_t length);
  Outcome copyFromRemote(RequestCursor& cursor);
  Outcome send();
  base::Result<> answer(FrameCode code, RequestCursor& cursor);
  base::Result<> initialise(RequestCursor& cursor);
  base::Result<> call(RequestCursor& cursor);
  base::Result<> globalFunction();
  base::Result<> freeHandle();
  Outcome refuse(const base::Error& error);
  bool receiveBody(std::uint64_t length);

  FrameStream& m_stream;
  ClientAbi m_abi;
  bool m_initialised = false;
  HandleTable m_handles;
  MemoryMap m_memory;
  Arguments m_arguments{m_handles, m_memory};
  DeviceCalls m_devices{m_memory};
  Reply m_reply;
  std::vector<char> m_body;  ///< of small frames
  std::unique_ptr<char[]> m_largeBody;
  std::span<char> m_received;
  tvm::ffi::Any m_result;  ///< of the last call, until it is sent
  runtime::RuntimeOptions m_runtime;
  std::unique_ptr<runtime::RunContext> m_context;
  std::unique_ptr<runtime::RunContextScope> m_scope;
};

}  // namespace opscope::rpc::server
