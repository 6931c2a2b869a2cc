// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/compiled_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <new>

#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/ffi_error.h"

namespace opscope::profile {

namespace ffi = tvm::ffi;

namespace {

constexpr std::string_view kPrefix = "__tvm_ffi_";
constexpr std::string_view kCompiledPrefix = "__tvm_ffi___vmtir__";
constexpr std::string_view kLibraryPrefix = "__tvm_ffi__library_";

std::vector<code::ExportedFunction> kernelsOf(const code::LoadedLibrary& library) {
  std::vector<code::ExportedFunction> kernels;
  for (const code::ExportedFunction& function : library.functions()) {
    if (function.name.starts_with(kPrefix) && !function.name.starts_with(kCompiledPrefix) &&
        !function.name.starts_with(kLibraryPrefix)) {
      kernels.push_back(function);
    }
  }
  return kernels;
}

bool hasCompiledFunctions(const vm::ExecutableData& data) {
  return std::ranges::any_of(data.functions, [](const vm::FunctionEntry& function) {
    return function.kind == vm::FunctionKind::VmTir;
  });
}

/// Runs `body`, which may throw what fails the call; the caller of ours is C. False when it did.
template <class Body>
bool raising(Body&& body) noexcept {
  try {
    body();
    return true;
  } catch (const ffi::Error& error) {
    ffi::detail::SetSafeCallRaised(error);
  } catch (const std::bad_alloc&) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "there is no memory for more records");
  } catch (const std::exception& error) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", error.what());
  }
  return false;
}

const TVMFFIAny* asValues(const void* values) {
  return static_cast<const TVMFFIAny*>(values);
}

}  // namespace

/// What stands in the library's slots instead of the runtime's functions. Their forerunners are fixed, so
/// that a call without a tap of ours is passed on.
struct CompiledCalls::Packed {
  static CompiledCalls* ofCaller(const void* returnAddress) {
    auto* calls = static_cast<CompiledCalls*>(code::KernelTap::current());
    const auto address = reinterpret_cast<std::uintptr_t>(returnAddress);
    return calls != nullptr && calls->m_library->image().contains(address) ? calls : nullptr;
  }

  static int call(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result) {
    const void* const returnAddress = __builtin_return_address(0);
    CompiledCalls* const calls = ofCaller(returnAddress);
    return calls == nullptr ? TVMFFIFunctionCall(function, args, count, result)
                            : calls->callFunction(function, args, count, result, returnAddress);
  }

  static int lookUp(void* library, const char* name, void** function) {
    CompiledCalls* const calls = ofCaller(__builtin_return_address(0));
    const int code = TVMFFIEnvModLookupFromImports(library, name, function);
    if (code == 0 && calls != nullptr && !raising([&] { calls->nameFunction(*function, name); })) {
      return -1;
    }
    return code;
  }
};

CompiledCalls::CompiledCalls(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook)
    : CompiledCalls(machine, observer, hook, Options()) {}

CompiledCalls::CompiledCalls(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook,
                             const Options& options)
    : m_machine(machine),
      m_observer(observer),
      m_hook(hook),
      m_firstInstruction(static_cast<std::uint32_t>(machine.executable().instructions.size())),
      m_firstFunction(static_cast<std::uint32_t>(machine.executable().functions.size())),
      m_isNeeded(hasCompiledFunctions(machine.executable())) {
  if (!m_isNeeded) {
    return;
  }
  m_openFrames.reserve(64);
  if (void* handle = machine.libraryHandle()) {
    patch(handle, options);
  } else {
    m_problem = "the library was loaded by other means than Opscope's";
  }
}

CompiledCalls::~CompiledCalls() = default;

void CompiledCalls::patch(void* handle, const Options& options) {
  auto library = code::LoadedLibrary::of(handle);
  if (!library) {
    m_problem = library.error().message;
    return;
  }
  m_library = std::make_unique<code::LoadedLibrary>(*std::move(library));
  code::PageAccess& pages = options.pages != nullptr ? *options.pages : m_systemPages;
  std::vector<code::ExportedFunction> kernels = kernelsOf(*m_library);
  for (const code::ExportedFunction& kernel : kernels) {
    m_names.emplace_back(kernel.name.substr(kPrefix.size()));
  }
  nameGlobalFunctions();
  m_runtimeSlots = std::make_unique<code::WordPatches>(*m_library, pages);
  patchRuntimeSlots();
  code::KernelTap& tap = *this;
  m_patch = std::make_unique<code::KernelPatch>(*m_library, std::move(kernels), tap, pages, options.limits);
  m_scope = std::make_unique<code::KernelTapScope>(&tap);
}

/// A slot that holds anything but the function registered for it is left alone.
void CompiledCalls::patchRuntimeSlots() {
  const auto replace = [this](const char* symbol, auto* expected, auto* replacement) {
    auto* const slot = reinterpret_cast<std::uintptr_t*>(m_library->addressOf(symbol));
    if (slot != nullptr && *slot == reinterpret_cast<std::uintptr_t>(expected)) {
      m_runtimeSlots->set(slot, reinterpret_cast<std::uintptr_t>(replacement));
    }
  };
  replace("__TVMFFIFunctionCall", &TVMFFIFunctionCall, &Packed::call);
  replace("__TVMFFIEnvModLookupFromImports", &TVMFFIEnvModLookupFromImports, &Packed::lookUp);
  for (const runtime::ContextSymbol& symbol : runtime::contextSymbols()) {
    if (std::string_view(symbol.name) == "__TVMBackendGetFuncFromEnv") {  // TVM 0.25
      replace(symbol.name, static_cast<std::byte*>(symbol.address), &Packed::lookUp);
    }
  }
}

/// The library may have looked functions up before: their names are found by their objects.
void CompiledCalls::nameGlobalFunctions() {
  for (const ffi::String& name : ffi::Function::ListGlobalNames()) {
    if (const auto function = ffi::Function::GetGlobal(name)) {
      nameFunction(ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*function),
                   {name.data(), name.size()});
    }
  }
}

void CompiledCalls::nameFunction(void* function, std::string_view name) {
  m_namesOfFunctions.try_emplace(function, name);
}

std::uint32_t CompiledCalls::numberOf(void* function) {
  const auto known = m_numbers.find(function);
  if (known != m_numbers.end()) {
    return known->second;
  }
  const auto name = m_namesOfFunctions.find(function);
  m_names.push_back(name != m_namesOfFunctions.end() ? name->second : "(function without a name)");
  const auto number = static_cast<std::uint32_t>(m_names.size() - 1);
  m_numbers.emplace(function, number);
  return number;
}

vm::CallSite CompiledCalls::siteOf(const CallSiteTable::Site& site) const {
  return {m_firstInstruction + site.number, m_firstFunction + site.function, m_openFrames.back() - 1};
}

std::string_view CompiledCalls::nameOf(const CallSiteTable::Site& site) const {
  return m_names[site.function];
}

// ---- around a call ----

CompiledCalls::Answer CompiledCalls::begin(CallSiteTable::Site& site, const TVMFFIAny* args,
                                           std::int32_t count) {
  const std::uint32_t frames = m_machine.frameCount();
  if (frames == 0 || (!m_openFrames.empty() && m_openFrames.back() == frames)) {
    return Answer::Ignore;  // a kernel or builtin makes it
  }
  if (m_machine.stopRequested()) {
    TVMFFIErrorSetRaisedFromCStr("Cancelled", "stopped");
    return Answer::Refuse;
  }
  if (m_hook != nullptr && !raising([&] { m_hook->beforeCall(nameOf(site), args, count); })) {
    return Answer::Refuse;
  }
  m_openFrames.push_back(frames);
  try {
    m_observer.beginCall(siteOf(site), args, count);
  } catch (...) {
    m_openFrames.pop_back();
    throw;
  }
  return Answer::Watch;
}

bool CompiledCalls::end(const CallSiteTable::Site& site, const TVMFFIAny* args, std::int32_t count,
                        const TVMFFIAny* result) {
  if (result != nullptr) {
    m_observer.endCall(siteOf(site), *result);
  }
  m_openFrames.pop_back();
  return result == nullptr || m_hook == nullptr ||
         raising([&] { m_hook->afterCall(nameOf(site), *result, args, count); });
}

CompiledCalls::Answer CompiledCalls::beginKernel(const code::KernelCall& call) noexcept {
  Answer answer = Answer::Refuse;
  raising([&] {
    CallSiteTable::Site& site = m_sites.at(call.returnAddress);
    site.function = call.kernel;
    answer = begin(site, asValues(call.arguments), call.count);
  });
  return answer;
}

bool CompiledCalls::endKernel(const code::KernelCall& call, bool succeeded) noexcept {
  const CallSiteTable::Site site = m_sites.at(call.returnAddress);  // known since its begin
  return end(site, asValues(call.arguments), call.count, succeeded ? asValues(call.result) : nullptr);
}

int CompiledCalls::callFunction(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result,
                                const void* returnAddress) {
  Answer answer = Answer::Refuse;
  CallSiteTable::Site site;
  raising([&] {
    CallSiteTable::Site& known = m_sites.at(returnAddress);
    if (known.callee != function) {
      known.callee = function;
      known.function = numberOf(function);
    }
    site = known;
    answer = begin(site, args, count);
  });
  if (answer == Answer::Refuse) {
    return -1;
  }
  const int code = TVMFFIFunctionCall(function, args, count, result);
  if (answer == Answer::Ignore) {
    return code;
  }
  return end(site, args, count, code == 0 ? result : nullptr) ? code : -1;
}

// ---- in words ----

std::string CompiledCalls::way() const {
  if (m_patch == nullptr) {
    return "not";
  }
  const bool bySlots = m_patch->count(code::Way::Slot) > 0;
  const bool byCallSites = m_patch->count(code::Way::CallSite) > 0;
  if (bySlots && byCallSites) {
    return "slots and call sites";
  }
  return bySlots ? "slots" : byCallSites ? "call sites" : "not";
}

std::string CompiledCalls::unmet() const {
  if (!m_problem.empty()) {
    return m_problem;
  }
  if (m_patch == nullptr || m_patch->count(code::Way::Unpatched) == 0) {
    return {};
  }
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < m_patch->kernels().size(); ++i) {
    if (m_patch->way(i) == code::Way::Unpatched) {
      names.push_back(m_names[i]);
    }
  }
  constexpr std::size_t kShown = 5;
  const std::size_t shown = std::min(names.size(), kShown);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<long>(shown), ", "));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

}  // namespace opscope::profile
