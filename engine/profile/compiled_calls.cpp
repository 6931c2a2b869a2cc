// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/compiled_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <array>

#include "engine/profile/raising.h"
#include "engine/runtime/backend_symbols.h"

namespace opscope::profile {

namespace ffi = tvm::ffi;

namespace {

constexpr std::string_view kPrefix = "__tvm_ffi_";
constexpr std::string_view kCompiledPrefix = "__tvm_ffi___vmtir__";
constexpr std::string_view kLibraryPrefix = "__tvm_ffi__library_";
constexpr std::string_view kSetArgument = "TVMBackendAnyListSetPackedArg";
constexpr std::string_view kMoveResult = "TVMBackendAnyListMoveFromPackedReturn";
constexpr std::string_view kResetItem = "TVMBackendAnyListResetItem";

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

const TVMFFIAny* asValues(const void* values) {
  return static_cast<const TVMFFIAny*>(values);
}

/// The runtime's own function of this name.
template <class Function>
Function* ofRuntime(std::string_view name) {
  for (const runtime::ContextSymbol& symbol : runtime::contextSymbols()) {
    if (std::string_view(symbol.name).substr(2) == name) {  // context symbols begin with "__"
      return reinterpret_cast<Function*>(symbol.address);
    }
  }
  return nullptr;
}

}  // namespace

bool hasCompiledFunctions(const vm::ExecutableData& data) {
  return std::ranges::any_of(data.functions, [](const vm::FunctionEntry& function) {
    return function.kind == vm::FunctionKind::VmTir;
  });
}

/// What stands in the library's slots instead of the runtime's functions, which they pass calls on to.
struct CompiledCalls::Replacements {
  using ListFunction = int(void* list, int index, TVMFFIAny* args, int place);
  using ItemFunction = int(void* list, int index);

  static CompiledCalls* ofCaller(const void* returnAddress) {
    auto* calls = static_cast<CompiledCalls*>(code::KernelTap::current());
    const auto address = reinterpret_cast<std::uintptr_t>(returnAddress);
    return calls != nullptr && calls->m_library->image().contains(address) ? calls : nullptr;
  }
  static GapCalls* gapsOfCaller(const void* returnAddress) {
    CompiledCalls* const calls = ofCaller(returnAddress);
    return calls != nullptr ? calls->m_gaps.get() : nullptr;
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
    if (code == 0 && calls != nullptr && !raising([&] { calls->m_tracker.nameFunction(*function, name); })) {
      return -1;
    }
    return code;
  }

  /// One event of the gap method, where the caller is watched by it: `forward`, then `after` with the gaps.
  template <class Forward, class After>
  static int asEvent(const void* returnAddress, const Forward& forward, const After& after) {
    GapCalls* const gaps = gapsOfCaller(returnAddress);
    if (gaps == nullptr) {
      return forward();
    }
    gaps->beginEvent();
    const int code = forward();
    after(*gaps);
    gaps->endEvent(returnAddress);
    return code;
  }
  static void nothingMore(GapCalls& /*gaps*/) {}

  static int setArgument(void* list, int index, TVMFFIAny* args, int place) {
    static ListFunction* const kForward = ofRuntime<ListFunction>(kSetArgument);
    return asEvent(
        __builtin_return_address(0), [&] { return kForward(list, index, args, place); },
        [&](GapCalls& gaps) {
          if (!raising([&] { gaps.addArgument(place, args[place]); })) {
            gaps.refuse();
          }
        });
  }

  static int moveResult(void* list, int index, TVMFFIAny* args, int place) {
    static ListFunction* const kForward = ofRuntime<ListFunction>(kMoveResult);
    return asEvent(
        __builtin_return_address(0), [&] { return kForward(list, index, args, place); }, nothingMore);
  }

  static int resetItem(void* list, int index) {
    static ItemFunction* const kForward = ofRuntime<ItemFunction>(kResetItem);
    return asEvent(
        __builtin_return_address(0), [&] { return kForward(list, index); }, nothingMore);
  }
};

CompiledCalls::CompiledCalls(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook)
    : CompiledCalls(machine, observer, hook, Options()) {}

CompiledCalls::CompiledCalls(vm::VirtualMachine& machine, vm::CallObserver& observer, CompiledCallHook* hook,
                             const Options& options)
    : m_isNeeded(hasCompiledFunctions(machine.executable())), m_tracker(machine, observer, hook) {
  if (!m_isNeeded) {
    return;
  }
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
  m_pages = options.pages != nullptr ? options.pages : &m_systemPages;
  std::vector<code::ExportedFunction> kernels = kernelsOf(*m_library);
  for (const code::ExportedFunction& kernel : kernels) {
    m_tracker.addKernel(kernel.name.substr(kPrefix.size()));
  }
  nameGlobalFunctions();
  m_runtimeSlots = std::make_unique<code::WordPatches>(*m_library, *m_pages);
  patchRuntimeSlots();
  code::KernelTap& tap = *this;
  m_patch =
      std::make_unique<code::KernelPatch>(*m_library, std::move(kernels), tap, *m_pages, options.limits);
  if (options.gaps && m_patch->count(code::Way::Unpatched) > 0) {
    watchGaps();
  }
  m_scope = std::make_unique<code::KernelTapScope>(&tap);
}

/// A slot that holds anything but the function registered for it is left alone.
void CompiledCalls::patchRuntimeSlots() {
  const auto replace = [this](const char* symbol, auto* expected, auto* replacement) {
    auto* const slot = reinterpret_cast<std::uintptr_t*>(m_library->addressOf(symbol));
    if (slot == nullptr) {
      return;
    }
    if (*slot != reinterpret_cast<std::uintptr_t>(expected) ||
        !m_runtimeSlots->set(slot, reinterpret_cast<std::uintptr_t>(replacement))) {
      m_problem = "builtins, because the library's way to call them cannot be changed";
    }
  };
  replace("__TVMFFIFunctionCall", &TVMFFIFunctionCall, &Replacements::call);
  replace("__TVMFFIEnvModLookupFromImports", &TVMFFIEnvModLookupFromImports, &Replacements::lookUp);
  replace("__TVMBackendGetFuncFromEnv", ofRuntime<std::byte>("TVMBackendGetFuncFromEnv"),
          &Replacements::lookUp);  // TVM 0.25
}

void CompiledCalls::watchGaps() {
  const auto address = [](auto* function) { return reinterpret_cast<std::uintptr_t>(function); };
  const std::array replacements = {Replacement{kSetArgument, address(&Replacements::setArgument)},
                                   Replacement{kMoveResult, address(&Replacements::moveResult)},
                                   Replacement{kResetItem, address(&Replacements::resetItem)}};
  auto gaps =
      std::make_unique<GapCalls>(*m_library, *m_pages, m_patch->unpatchedTargets(), m_tracker, replacements);
  if (gaps->isReady()) {
    m_gaps = std::move(gaps);
  }
}

/// The library may have looked functions up before: their names are found by their objects.
void CompiledCalls::nameGlobalFunctions() {
  for (const ffi::String& name : ffi::Function::ListGlobalNames()) {
    if (const auto function = ffi::Function::GetGlobal(name)) {
      m_tracker.nameFunction(ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*function),
                             {name.data(), name.size()});
    }
  }
}

// ---- around a call ----

CompiledCalls::Answer CompiledCalls::beginKernel(const code::KernelCall& call) noexcept {
  Answer answer = Answer::Refuse;
  raising([&] {
    answer = m_tracker.begin(m_tracker.kernelSite(call.returnAddress, call.kernel), asValues(call.arguments),
                             call.count);
  });
  return answer;
}

bool CompiledCalls::endKernel(const code::KernelCall& call, bool succeeded) noexcept {
  // Compilers see that a kernel gives nothing and leave the place for its result unset.
  constexpr TVMFFIAny kNone{};
  // The place is known since the begin, so this does not throw.
  const CompiledCallTracker::Site& site = m_tracker.kernelSite(call.returnAddress, call.kernel);
  return m_tracker.end(site, asValues(call.arguments), call.count, succeeded ? &kNone : nullptr);
}

int CompiledCalls::callFunction(void* function, TVMFFIAny* args, std::int32_t count, TVMFFIAny* result,
                                const void* returnAddress) {
  Answer answer = Answer::Refuse;
  CompiledCallTracker::Site site;
  GapCalls* gaps = nullptr;
  raising([&] {
    gaps = m_gaps != nullptr && m_gaps->isCompiledFunction(returnAddress) ? m_gaps.get() : nullptr;
    if (gaps != nullptr) {
      gaps->beginEvent();
      gaps->clearArguments();
    }
    if (gaps == nullptr || !gaps->takeRefusal()) {
      site = m_tracker.functionSite(returnAddress, function);
      answer = m_tracker.begin(site, args, count);
    }
  });
  if (answer == Answer::Refuse) {
    return -1;
  }
  int code = TVMFFIFunctionCall(function, args, count, result);
  if (answer == Answer::Watch && !m_tracker.end(site, args, count, code == 0 ? result : nullptr)) {
    code = -1;
  }
  if (gaps != nullptr && code == 0) {
    gaps->endEvent(returnAddress);
  }
  return code;
}

// ---- in words ----

std::string CompiledCalls::way() const {
  std::vector<std::string_view> ways;
  if (m_patch != nullptr && m_patch->count(code::Way::Slot) > 0) {
    ways.emplace_back("slots");
  }
  if (m_patch != nullptr && m_patch->count(code::Way::CallSite) > 0) {
    ways.emplace_back("call sites");
  }
  if (m_gaps != nullptr) {
    ways.emplace_back("gaps");
  }
  return ways.empty() ? "not" : fmt::format("{}", fmt::join(ways, " and "));
}

std::string CompiledCalls::unmet() const {
  if (!m_problem.empty() || m_patch == nullptr || m_gaps != nullptr) {
    return m_problem;
  }
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i < m_patch->kernels().size(); ++i) {
    if (m_patch->way(i) == code::Way::Unpatched) {
      names.push_back(m_tracker.names()[i]);
    }
  }
  constexpr std::size_t kShown = 5;
  const std::size_t more = names.size() - std::min(names.size(), kShown);
  names.resize(names.size() - more);
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

}  // namespace opscope::profile
