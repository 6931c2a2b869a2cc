// SPDX-License-Identifier: Apache-2.0
// Keeps the outputs of every call of a run in a temporary file, to hold another run against them. Made, used
// and destroyed on the worker; owns the file, which has no name and is gone with its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/profile/call_watch.h"
#include "engine/session/divergence.h"
#include "engine/vm/executable.h"

namespace opscope::session {

/// A file that bytes are appended to and read from.
class TensorSpool {
 public:
  /// In the folder for temporary files ($TMPDIR, /tmp). Errors: Io.
  static base::Result<TensorSpool> create();
  TensorSpool(TensorSpool&& other) noexcept;
  TensorSpool& operator=(TensorSpool&& other) noexcept;
  ~TensorSpool();

  /// Gives where they stand. Errors: Io.
  base::Result<std::uint64_t> append(std::span<const std::byte> bytes);
  /// Fills `bytes` from `offset` on. Errors: Io.
  base::Result<> read(std::uint64_t offset, std::span<std::byte> bytes) const;
  std::uint64_t size() const { return m_size; }

 private:
  explicit TensorSpool(int descriptor) : m_descriptor(descriptor) {}
  int m_descriptor = -1;
  std::uint64_t m_size = 0;
};

struct RecordedTensor {
  std::string place;
  vm::DataType type;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  ///< in the spool
  std::uint64_t size = 0;
  bool isKept = true;    ///< false: its elements could not be kept, and are not in the spool
  bool isOutput = true;  ///< false: the call only takes it
};

struct RecordedCall {
  CallPlace place;
  std::vector<RecordedTensor> outputs;  ///< or all of its tensors, where those were asked for
};

/// Keeps calls of kernels and builtins that have outputs; calls of the executable's own functions are those
/// that they make.
class CallRecording final : public profile::CallConsumer {
 public:
  explicit CallRecording(TensorSpool spool) : m_spool(std::move(spool)) {}

  base::Result<> afterCall(const profile::WatchedCall& call) override;

  /// For calls that were seen elsewhere. Elements go to the end of the spool; gives where they stand there.
  /// Errors: Io.
  base::Result<std::uint64_t> keep(std::span<const std::byte> elements) { return m_spool.append(elements); }
  void add(RecordedCall call) { m_calls.push_back(std::move(call)); }
  /// For what becomes known later of where calls stand; each once, in order.
  void fillPlaces(const std::function<void(CallPlace&)>& fill);

  const std::vector<RecordedCall>& calls() const { return m_calls; }
  /// The elements of an output in C order. Errors: Io, OutOfMemory.
  base::Result<std::vector<std::byte>> read(const RecordedTensor& tensor) const;
  std::uint64_t keptBytes() const { return m_spool.size(); }

 private:
  TensorSpool m_spool;
  std::vector<RecordedCall> m_calls;
  std::vector<std::byte> m_scratch;
};

}  // namespace opscope::session
