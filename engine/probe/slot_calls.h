// SPDX-License-Identifier: Apache-2.0
// The calls of functions that were compiled to machine code, which the board's virtual machine does not tell
// of: met in the slots of the loaded library through which they call kernels and functions of the runtime.
// The slots hold functions of ours for a while, which record the call and pass it on. Used on the one thread
// that runs the board's virtual machine; calls on other threads are passed on only.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>

#include "engine/base/probe_layout.h"
#include "engine/probe/loaded_library.h"
#include "engine/probe/recording.h"

namespace opscope::probe {

/// What functions have which names. Grows by malloc.
class FunctionNames {
 public:
  /// The name, which is copied, is that of the function from now on. False when there is no memory.
  bool set(const void* function, Text name);
  const char* find(const void* function) const;
  void release();

 private:
  struct Entry {
    const void* function;  // null: free
    char* name;
  };
  Entry& placeOf(const void* function) const;
  bool grow();

  Entry* m_entries = nullptr;
  std::size_t m_room = 0;  // a power of two
  std::size_t m_count = 0;
};

/// The places that calls are made from, numbered from 1 in order of their first call.
class CallPlaces {
 public:
  bool start();
  void release();
  /// 0 when there is no room.
  std::uint32_t numberOf(const void* returnAddress);

 private:
  static constexpr std::uint32_t kRoom = 2 * base::kProbeMostPlaces;
  struct Place {
    const void* returnAddress;
    std::uint32_t number;
  };
  Place* m_places = nullptr;
  std::uint32_t m_count = 0;
};

class SlotCalls {
 public:
  using Kernel = int(void* self, const TVMFFIAny* args, std::int32_t count, TVMFFIAny* result);
  using Call = int(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result);
  using LookUp = int(void* library, const char* name, void** function);
  enum class Patched { Done, NoLibrary, NoMemory };

  /// Records into `recording`. After each call `wait`, an FFI code, waits for the device.
  SlotCalls(Recording& recording, int (*wait)()) : m_recording(recording), m_wait(wait) {}

  /// Puts our functions into the slots of the library whose file has this name. While none of its code runs.
  Patched patch(Text fileName);
  const base::ProbeSlots& slots() const { return m_told; }
  /// Gives every slot what it held, where the library is still there. While none of its code runs.
  void restore();
  /// restore(), and gives all memory back.
  void release();

  /// Calls are recorded between these, on this thread.
  void beginStep();
  void endStep();

  int kernel(std::uint32_t slot, void* self, const TVMFFIAny* args, std::int32_t count, TVMFFIAny* result,
             const void* returnAddress);
  int call(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result, const void* returnAddress);
  int lookUp(LookUp* forward, void* library, const char* name, void** function);
  LookUp* forwardOf(bool isOlder) const { return isOlder ? m_olderLookUp : m_lookUp; }

 private:
  struct Patch {
    std::uintptr_t* word;
    std::uintptr_t before;
    Kernel* kernel;    // null: a function of the runtime
    const char* name;  // of the kernel
  };

  struct Callee {
    const void* function;
    const char* name;
    bool isOpaque;  // what it calls is none of the executable's
  };

  /// A call on this thread, in a step.
  bool isHere() const;
  bool reserve();
  void patchKernels();
  template <class Function>
  Function* patchRuntime(const char* variable, Function* replacement);
  bool nameGlobals();
  template <class Forward>
  int record(const Callee& callee, const TVMFFIAny* args, std::int32_t count, const void* returnAddress,
             const Forward& forward);

  Recording& m_recording;
  int (*m_wait)();
  LoadedLibrary m_library;
  FunctionNames m_names;
  CallPlaces m_places;
  base::ProbeSlots m_told;
  Patch* m_patches = nullptr;  // those of kernels first: patch i is of thunk i
  std::uint32_t m_patchCount = 0;
  Call* m_call = nullptr;
  LookUp* m_lookUp = nullptr;
  LookUp* m_olderLookUp = nullptr;
  unsigned long m_thread = 0;
  bool m_isInStep = false;
  bool m_isInside = false;  // of a call that makes calls of its own, which are none of the executable's
};

}  // namespace opscope::probe
