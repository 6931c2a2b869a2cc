// SPDX-License-Identifier: Apache-2.0
#include "engine/probe/slot_calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

namespace opscope::probe {

namespace {

constexpr char kPrefix[] = "__tvm_ffi_";
constexpr char kCompiledPrefix[] = "__tvm_ffi___vmtir__";
constexpr char kLibraryPrefix[] = "__tvm_ffi__library_";
#define OPSCOPE_PROBE_THUNKS 2048
#define OPSCOPE_PROBE_TEXT_OF(value) #value
#define OPSCOPE_PROBE_TEXT(value) OPSCOPE_PROBE_TEXT_OF(value)
constexpr std::uint32_t kThunks = OPSCOPE_PROBE_THUNKS;
constexpr std::uint32_t kThunkBytes = 16;
constexpr std::uint32_t kRuntimeSlots = 3;
constexpr char kBuiltinPrefix[] = "vm.builtin.";
/// The builtin within which the machine runs other compiled functions.
constexpr char kInvokeClosure[] = "vm.builtin.invoke_closure";

template <std::size_t kSize>
bool startsWith(const char* name, const char (&prefix)[kSize]) {
  return strncmp(name, prefix, kSize - 1) == 0;
}

bool isKernel(const char* name) {
  return startsWith(name, kPrefix) && !startsWith(name, kCompiledPrefix) && !startsWith(name, kLibraryPrefix);
}

/// The one whose functions stand in slots: those have no object of their own.
SlotCalls* theCalls = nullptr;

TVMFFIAny rawText(const char* text) {
  TVMFFIAny value{};
  value.type_index = kTVMFFIRawStr;
  value.v_c_str = text;
  return value;
}

TVMFFIAny functionAt(const void* address) {
  TVMFFIAny value{};
  value.type_index = kTVMFFIFunction;
  value.v_ptr = const_cast<void*>(address);
  return value;
}

void drop(const TVMFFIAny& value) {
  if (value.type_index >= kTVMFFIStaticObjectBegin) {
    TVMFFIObjectDecRef(value.v_obj);
  }
}

std::size_t mix(const void* address) {
  return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15ULL >> 32);
}

}  // namespace

}  // namespace opscope::probe

using opscope::probe::SlotCalls;

// One entry for each kernel: its number behind the four arguments, on to the function below. All of one size,
// so that entry i is found without a table. They leave the stack as it is: the return address that the
// function sees is that of the compiled code.
extern "C" __attribute__((visibility("hidden"))) char opscopeProbeThunks[];
#if defined(__aarch64__)
#define OPSCOPE_PROBE_THUNK "movz w4, #opscopeProbeNumber\n b opscopeProbeKernel\n"
#else
#define OPSCOPE_PROBE_THUNK "movl $opscopeProbeNumber, %r8d\n jmp opscopeProbeKernel\n"
#endif
asm(".text\n .p2align 4\n .globl opscopeProbeThunks\n .hidden opscopeProbeThunks\n"
    "opscopeProbeThunks:\n"
    ".set opscopeProbeNumber, 0\n"
    ".rept " OPSCOPE_PROBE_TEXT(OPSCOPE_PROBE_THUNKS) "\n"
    ".p2align 4\n" OPSCOPE_PROBE_THUNK
    ".set opscopeProbeNumber, opscopeProbeNumber + 1\n"
    ".endr\n");

extern "C" __attribute__((visibility("hidden"), used)) int opscopeProbeKernel(
    void* self, const TVMFFIAny* args, std::int32_t count, TVMFFIAny* result, std::uint32_t slot) {
  return opscope::probe::theCalls->kernel(slot, self, args, count, result, __builtin_return_address(0));
}

namespace opscope::probe {

namespace {

int callFunction(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result) {
  return theCalls->call(function, args, count, result, __builtin_return_address(0));
}

int lookUpFunction(void* library, const char* name, void** function) {
  return theCalls->lookUp(theCalls->forwardOf(false), library, name, function);
}

int lookUpInOlder(void* library, const char* name, void** function) {
  return theCalls->lookUp(theCalls->forwardOf(true), library, name, function);
}

}  // namespace

// ---- names and places ----

FunctionNames::Entry& FunctionNames::placeOf(const void* function) const {
  std::size_t place = mix(function) & (m_room - 1);
  while (m_entries[place].function != nullptr && m_entries[place].function != function) {
    place = (place + 1) & (m_room - 1);
  }
  return m_entries[place];
}

bool FunctionNames::grow() {
  FunctionNames larger;
  larger.m_room = m_room == 0 ? 4096 : 2 * m_room;
  larger.m_entries = static_cast<Entry*>(calloc(larger.m_room, sizeof(Entry)));
  if (larger.m_entries == nullptr) {
    return false;
  }
  for (std::size_t i = 0; i < m_room; ++i) {
    if (m_entries[i].function != nullptr) {
      larger.placeOf(m_entries[i].function) = m_entries[i];
    }
  }
  free(m_entries);
  m_entries = larger.m_entries;
  m_room = larger.m_room;
  return true;
}

bool FunctionNames::set(const void* function, Text name) {
  char* const copy = strndup(name.data, name.size);
  if (copy == nullptr || (2 * (m_count + 1) > m_room && !grow())) {
    free(copy);
    return false;
  }
  Entry& entry = placeOf(function);
  m_count += entry.function == nullptr ? 1 : 0;
  free(entry.name);
  entry = {function, copy};
  return true;
}

const char* FunctionNames::find(const void* function) const {
  const char* const name = m_room == 0 ? nullptr : placeOf(function).name;
  return name != nullptr ? name : "(function without a name)";
}

void FunctionNames::release() {
  for (std::size_t i = 0; i < m_room; ++i) {
    free(m_entries[i].name);
  }
  free(m_entries);
  m_entries = nullptr;
  m_room = m_count = 0;
}

bool CallPlaces::start() {
  release();
  m_places = static_cast<Place*>(calloc(kRoom, sizeof(Place)));
  return m_places != nullptr;
}

void CallPlaces::release() {
  free(m_places);
  m_places = nullptr;
  m_count = 0;
}

std::uint32_t CallPlaces::numberOf(const void* returnAddress) {
  std::size_t at = mix(returnAddress) & (kRoom - 1);
  while (m_places[at].returnAddress != nullptr && m_places[at].returnAddress != returnAddress) {
    at = (at + 1) & (kRoom - 1);
  }
  if (m_places[at].returnAddress == nullptr) {
    if (m_count == base::kProbeMostPlaces) {
      return 0;
    }
    m_places[at] = {returnAddress, ++m_count};
  }
  return m_places[at].number;
}

// ---- the slots ----

bool SlotCalls::reserve() {
  m_patches = static_cast<Patch*>(calloc(kThunks + kRuntimeSlots, sizeof(Patch)));
  return m_patches != nullptr && m_places.start();
}

SlotCalls::Patched SlotCalls::patch(Text fileName) {
  restore();
  m_told = {};
  if (!m_library.find(fileName)) {
    return Patched::NoLibrary;
  }
  if (m_patches == nullptr && (!reserve() || !nameGlobals())) {
    release();
    return Patched::NoMemory;
  }
  theCalls = this;
  m_told.kernels = m_library.countFunctions(&isKernel);
  patchKernels();
  m_call = patchRuntime("__TVMFFIFunctionCall", &callFunction);
  m_lookUp = patchRuntime("__TVMFFIEnvModLookupFromImports", &lookUpFunction);
  m_olderLookUp = patchRuntime("__TVMBackendGetFuncFromEnv", &lookUpInOlder);  // TVM 0.25
  m_told.builtins = m_call != nullptr ? 1 : 0;
  return Patched::Done;
}

void SlotCalls::patchKernels() {
  Slot slot{};
  for (std::size_t i = 0; m_library.slotAt(i, slot); ++i) {
    if (slot.address == nullptr || !isKernel(slot.name)) {
      continue;
    }
    ++m_told.slots;
    if (m_patchCount == kThunks) {
      continue;
    }
    // The definition, not what stands in the slot: a slot that was not bound yet leads to the loader.
    Patch& patch = m_patches[m_patchCount];
    patch = {slot.address, *slot.address, reinterpret_cast<Kernel*>(slot.target),
             slot.name + sizeof kPrefix - 1};
    const auto thunk =
        reinterpret_cast<std::uintptr_t>(opscopeProbeThunks) + std::uintptr_t{m_patchCount} * kThunkBytes;
    if (m_library.write(slot.address, thunk)) {
      ++m_patchCount;
      ++m_told.patched;
    }
  }
}

/// What the variable held and leads to now. Null when the library has none, or it was not set.
template <class Function>
Function* SlotCalls::patchRuntime(const char* variable, Function* replacement) {
  std::uintptr_t* const word = m_library.variable(variable);
  if (word == nullptr || *word == 0) {
    return nullptr;
  }
  const std::uintptr_t before = *word;
  if (!m_library.write(word, reinterpret_cast<std::uintptr_t>(replacement))) {
    return nullptr;
  }
  m_patches[m_patchCount++] = {word, before, nullptr, nullptr};
  return reinterpret_cast<Function*>(before);
}

void SlotCalls::restore() {
  const bool isThere = m_patchCount > 0 && m_library.isStillThere();
  while (m_patchCount > 0) {
    --m_patchCount;
    if (isThere) {
      m_library.write(m_patches[m_patchCount].word, m_patches[m_patchCount].before);
    }
  }
}

void SlotCalls::release() {
  restore();
  m_names.release();
  m_places.release();
  free(m_patches);
  m_patches = nullptr;
}

/// The library may have looked functions up before: their names are found by their objects.
bool SlotCalls::nameGlobals() {
  const TVMFFIByteArray lister{"ffi.FunctionListGlobalNamesFunctor", 34};
  TVMFFIObjectHandle list = nullptr;
  if (TVMFFIFunctionGetGlobal(&lister, &list) != 0 || list == nullptr) {
    return true;  // those that are looked up from now on have their names
  }
  TVMFFIAny names{};
  TVMFFIAny index{};
  TVMFFIAny count{};
  index.type_index = kTVMFFIInt;
  index.v_int64 = -1;
  bool hasMemory = true;
  if (TVMFFIFunctionCall(list, nullptr, 0, &names) == 0 && names.type_index == kTVMFFIFunction &&
      TVMFFIFunctionCall(names.v_obj, &index, 1, &count) == 0 && count.type_index == kTVMFFIInt) {
    for (index.v_int64 = 0; hasMemory && index.v_int64 < count.v_int64; ++index.v_int64) {
      TVMFFIAny name{};
      TVMFFIObjectHandle function = nullptr;
      const bool isTold = TVMFFIFunctionCall(names.v_obj, &index, 1, &name) == 0;
      const Text text = isTold ? textOf(name) : Text();
      const TVMFFIByteArray bytes{text.data, text.size};
      if (text.data != nullptr && TVMFFIFunctionGetGlobal(&bytes, &function) == 0 && function != nullptr) {
        hasMemory = m_names.set(function, text);
        TVMFFIObjectDecRef(function);  // the registry holds it; only its address is looked at
      }
      drop(name);
    }
  }
  drop(names);
  TVMFFIObjectDecRef(list);
  return hasMemory;
}

// ---- around a call ----

void SlotCalls::beginStep() {
  m_thread = pthread_self();
  m_isInside = false;
  m_isInStep = m_patchCount > 0;
}

void SlotCalls::endStep() {
  m_isInStep = false;
}

bool SlotCalls::isHere() const {
  return __atomic_load_n(&m_isInStep, __ATOMIC_RELAXED) && pthread_self() == m_thread;
}

template <class Forward>
int SlotCalls::record(const Callee& callee, const TVMFFIAny* args, std::int32_t count,
                      const void* returnAddress, const Forward& forward) {
  const std::uint32_t place = m_places.numberOf(returnAddress);  // those inside have numbers too, as here
  if (m_isInside) {
    return forward();
  }
  const TVMFFIAny function = functionAt(callee.function);
  m_isInside = callee.isOpaque;
  m_recording.begin(function, rawText(callee.name), args, count, place);
  int code = forward();
  m_isInside = false;
  if (code == 0) {
    code = m_wait();
  }
  if (code == 0) {
    m_recording.end(function, nowNs());
  }
  return code;
}

int SlotCalls::kernel(std::uint32_t slot, void* self, const TVMFFIAny* args, std::int32_t count,
                      TVMFFIAny* result, const void* returnAddress) {
  const Patch& patch = m_patches[slot];
  const auto forward = [&] { return patch.kernel(self, args, count, result); };
  return isHere() ? record({reinterpret_cast<const void*>(patch.kernel), patch.name, true}, args, count,
                           returnAddress, forward)
                  : forward();
}

int SlotCalls::call(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result,
                    const void* returnAddress) {
  const auto forward = [&] { return m_call(function, args, count, result); };
  if (!isHere()) {
    return forward();
  }
  const char* const name = m_names.find(function);
  // Where kernels are not met, it is not known which calls are theirs; none of the machine's builtins is.
  if (m_told.slots == 0 && m_told.kernels > 0 && !startsWith(name, kBuiltinPrefix)) {
    return forward();
  }
  return record({function, name, strcmp(name, kInvokeClosure) != 0}, args, count, returnAddress, forward);
}

int SlotCalls::lookUp(LookUp* forward, void* library, const char* name, void** function) {
  const int code = forward(library, name, function);
  if (code == 0 && function != nullptr && *function != nullptr && pthread_self() == m_thread) {
    m_names.set(*function, {name, strlen(name)});  // without memory it stays without a name
  }
  return code;
}

}  // namespace opscope::probe
