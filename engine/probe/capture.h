// SPDX-License-Identifier: Apache-2.0
// The probe's copies of what calls give: after each call its outputs, or all of its tensors, as
// base/probe_layout.h tells. Which tensors are outputs is decided as profile::CallWatch does it. Memory is
// taken as it is needed, up to a limit; what has no room is told without its elements. Used on the one thread
// that runs the board's virtual machine.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>

#include "engine/base/call_kinds.h"
#include "engine/base/probe_layout.h"
#include "engine/probe/recording.h"

namespace opscope::probe {

/// A list that grows by malloc. Given back by release() alone.
template <class T>
class Growing {
 public:
  /// False when there is no memory; the list is as it was.
  bool push(const T& value);
  T& operator[](std::size_t i) { return m_items[i]; }
  std::size_t size() const { return m_size; }
  /// Drops what stands from `size` on.
  void cut(std::size_t size) { m_size = size; }
  void release();

 private:
  T* m_items = nullptr;
  std::size_t m_size = 0;
  std::size_t m_room = 0;
};

/// Bytes one after the other, in blocks that are taken when the ones before are full.
class Blocks {
 public:
  static constexpr std::uint32_t kMost = 1U << 10;
  /// True when `bytes` more are there to be written. Takes what is missing, up to the limit and `beyond` it;
  /// all or nothing.
  bool reserve(std::uint64_t bytes, std::uint64_t beyond);
  /// What reserve() gave room for.
  void write(const void* from, std::size_t bytes);
  Text block(std::uint32_t index) const;
  std::uint32_t count() const;
  std::uint64_t size() const { return m_size; }
  void setLimit(std::uint64_t limit) { m_limit = limit; }
  std::uint64_t limit() const { return m_limit; }
  void clear();

 private:
  char* m_blocks[kMost] = {};
  std::uint32_t m_taken = 0;
  std::uint64_t m_size = 0;
  std::uint64_t m_limit = 0;
};

class Capture {
 public:
  enum class Wanted : std::uint8_t {
    Outputs,  ///< of kernels and builtins
    All,      ///< arguments too, and calls of the executable's own functions
  };

  /// Begins anew. `limitBytes` is lowered to half of the memory that the computer has free. `functions` are
  /// the names of the executable's own functions, whose outputs are those of the calls that they make.
  bool start(std::uint64_t limitBytes, Wanted wanted, const TVMFFIAny* functions, std::int32_t count);
  bool isOn() const { return m_isOn; }

  void before(const TVMFFIAny& function, const TVMFFIAny& name, const TVMFFIAny* args, std::int32_t count);
  void after(const TVMFFIAny& function, const TVMFFIAny& name, const TVMFFIAny& result, const TVMFFIAny* args,
             std::int32_t count);
  /// A step begins or ends: no call is open, whatever failed before.
  void closeCalls();

  base::ProbeCaptureState state() const;
  Text block(std::uint32_t index) const { return m_blocks.block(index); }
  /// Forgets what was fetched; the stream goes on.
  void clearBlocks() { m_blocks.clear(); }
  /// Ends it and gives all memory back.
  void release();

 private:
  struct Open {
    const void* function;
    std::uint64_t sequence;
    std::size_t firstWritten;  // in m_written
    std::int32_t count;
    bool inPlace;
  };
  struct Name {
    char* data;
    std::size_t size;
  };
  struct Output {
    const DLTensor* tensor;
    char place[64];
    std::uint32_t placeBytes;
    bool isOutput;
  };

  base::CallKind kindOf(Text name);
  bool isFunction(Text name);
  void findWritten(Open& open, base::CallKind kind, Text name, const TVMFFIAny* args);
  bool takeOpen(const void* function, Open& taken);
  std::size_t unwrittenAt(const void* tensor);
  bool isKept(base::CallKind kind) const;
  bool addArgument(const TVMFFIAny& value, std::int32_t index, bool isOutput);
  bool addTensors(const TVMFFIAny& value, const char* place, std::uint32_t placeBytes, bool isOutput,
                  int depth);
  bool addMembers(const TVMFFIAny& array, const char* place, std::uint32_t placeBytes, bool isOutput,
                  int depth);
  bool holdsTensor(const TVMFFIAny& value, int depth);
  void keep(std::uint64_t sequence, Text name);
  bool writeCall(std::uint64_t sequence, Text name, bool withElements);
  void writeTensor(const Output& output, bool withElements);
  void writeElements(const DLTensor& tensor, std::uint64_t bytes);

  bool m_isOn = false;
  Wanted m_wanted = Wanted::Outputs;
  TVMFFIObjectHandle m_arraySize = nullptr;
  TVMFFIObjectHandle m_arrayItem = nullptr;
  Growing<Name> m_functions;
  Growing<const void*> m_unwritten;  // tensors that were allocated and that no call has had yet
  Growing<Open> m_open;
  Growing<bool> m_written;  // by argument, of open calls
  Growing<Output> m_outputs;
  Growing<TVMFFIAny> m_held;  // members of tuples, until their elements are copied
  Blocks m_blocks;
  std::uint64_t m_calls = 0;
  std::uint64_t m_lost = 0;
  std::uint32_t m_tooDeep = 0;
};

}  // namespace opscope::probe
