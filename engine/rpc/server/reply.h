// SPDX-License-Identifier: Apache-2.0
// Builds the body of a reply. The session's thread. Behaviour: the value encoding of TVM 0.22 and later, or
// of 0.21.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/server/handle_table.h"
#include "engine/rpc/server/memory_map.h"
#include "engine/rpc/server/options.h"

namespace opscope::rpc::server {

class Reply {
 public:
  explicit Reply(ClientAbi abi) : m_abi(abi) {}

  /// What is sent: the head, then the blob.
  std::string_view head() const { return m_head; }
  std::string_view blob() const { return m_blob; }

  void returnNone();
  void returnInt(std::int64_t value);
  void returnPointer(std::uint64_t address);
  void returnText(std::string_view text);
  /// The text of an exception, as the clients of this kind expect it.
  void exception(std::string_view kind, std::string_view message);
  /// Bytes of a tensor, which must stay until they are sent.
  void copied(std::string_view bytes);

  /// The result of a call; objects go into the table, and the data of tensors among the memory that is known.
  /// `result` must live until the reply is sent. Errors: Unsupported for results that cannot travel.
  base::Result<> result(const tvm::ffi::Any& result, HandleTable& handles, MemoryMap& memory);

 private:
  template <class T>
  void put(T value);
  void begin(FrameCode code, std::int32_t count);
  void putInt(std::int64_t value);
  void putPointer(std::uint64_t address);
  void putBytes(Tag tag, std::string_view bytes);
  void putView(const DLTensor& tensor);
  base::Result<> putObject(const tvm::ffi::Any& result, HandleTable& handles, MemoryMap& memory);
  base::Result<> putTensor(const tvm::ffi::Tensor& tensor, HandleTable& handles, MemoryMap& memory);
  std::int32_t typeTag(std::int32_t type) const;

  ClientAbi m_abi;
  std::string m_head;
  std::string_view m_blob;
  tvm::ffi::Any m_kept;  ///< what the blob points into, when it came as a small value
};

/// The memory of a tensor from its first element on.
std::uint64_t addressOf(const DLTensor& tensor);

}  // namespace opscope::rpc::server
