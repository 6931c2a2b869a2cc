// SPDX-License-Identifier: Apache-2.0
// What a client asks of devices: memory, copies, streams, attributes. The session's thread. Behaviour: the
// system calls of TVM's protocol and seed 004's CPUDeviceAPI, with every address and length checked.
//
// Functions return what is wrong as Error; some raise tvm::ffi::Error as the runtime's do (memory is out).
#pragma once

#include <tvm/ffi/any.h>

#include <span>

#include "engine/base/result.h"
#include "engine/rpc/server/arguments.h"
#include "engine/rpc/server/memory_map.h"
#include "engine/rpc/server/reply.h"

namespace opscope::rpc::server {

class DeviceCalls {
 public:
  explicit DeviceCalls(MemoryMap& memory) : m_memory(memory) {}

  /// One of the system calls from SetDevice on. Errors: InvalidArgument for values that do not fit the call.
  base::Result<> answer(FrameCode code, std::span<const TVMFFIAny> values, Reply& reply);

  /// `bytes` bytes of a view, or fewer, as they lie in memory. Errors: InvalidArgument for memory that is not
  /// the client's.
  base::Result<std::span<char>> memoryOf(const DLTensor& view, std::uint64_t bytes) const;

 private:
  base::Result<> attribute(std::span<const TVMFFIAny> values, Reply& reply);
  base::Result<> allocateBytes(std::span<const TVMFFIAny> values, Reply& reply);
  base::Result<> allocateTensor(std::span<const TVMFFIAny> values, Reply& reply);
  base::Result<> freeData(std::span<const TVMFFIAny> values, Reply& reply);
  base::Result<> copy(std::span<const TVMFFIAny> values, Reply& reply);
  base::Result<> stream(FrameCode code, std::span<const TVMFFIAny> values, Reply& reply);

  MemoryMap& m_memory;
};

}  // namespace opscope::rpc::server
