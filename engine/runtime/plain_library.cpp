// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/plain_library.h"

#include <dlfcn.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/bound_library.h"
#include "engine/runtime/elf_image.h"
#include "engine/runtime/private_copy.h"

namespace opscope::runtime {

using base::ErrorCode;
using base::Result;

namespace ffi = tvm::ffi;

namespace {

constexpr const char* kContextSlot = "__tvm_ffi_library_ctx";
constexpr std::string_view kLookUpSlot = "__TVMBackendGetFuncFromEnv";
constexpr std::string_view kPrefix = "__tvm_ffi_";

[[noreturn]] void raise(const char* kind, std::string message) {
  throw ffi::Error(kind, std::move(message), "");
}

std::string typeNameOf(const TVMFFIAny& value) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(value.type_index);
  return info == nullptr ? "an unknown type" : std::string(info->type_key.data, info->type_key.size);
}

/// What an old kernel gets for `value`; the text of a small string lies in `value` itself, so that must stay
/// in place. Plain values are laid out alike.
TVMFFIAny asPlain(const TVMFFIAny& value, std::int32_t index) {
  TVMFFIAny plain = value;
  const auto become = [&plain](std::int32_t type, void* pointer) {
    plain.type_index = type;
    plain.zero_padding = 0;
    plain.v_ptr = pointer;
  };
  if (value.type_index == kTVMFFITensor) {
    become(kTVMFFIDLTensorPtr, TVMFFITensorGetDLTensorPtr(value.v_obj));
  } else if (value.type_index == kTVMFFIStr) {
    become(kTVMFFIRawStr, const_cast<char*>(TVMFFIBytesGetByteArrayPtr(value.v_obj)->data));
  } else if (value.type_index == kTVMFFISmallStr) {
    become(kTVMFFIRawStr, const_cast<char*>(value.v_bytes));
  } else if (value.type_index >= kTVMFFIStaticObjectBegin) {
    raise("TypeError", "argument " + std::to_string(index) + " is of type " + typeNameOf(value) +
                           ", which kernels of TVM 0.21 cannot take");
  }
  return plain;
}

/// One kernel as a function of tvm-ffi.
struct PlainKernel {
  TVMFFISafeCallType code;
  ffi::ObjectRef library;  ///< keeps the code; none where the library itself keeps the function

  void operator()(ffi::PackedArgs arguments, ffi::Any* result) const {
    constexpr std::int32_t kUsualArguments = 24;
    const std::int32_t count = arguments.size();
    std::array<TVMFFIAny, kUsualArguments> few;
    std::vector<TVMFFIAny> many;
    TVMFFIAny* plain = few.data();
    if (count > kUsualArguments) {
      many.resize(static_cast<std::size_t>(count));
      plain = many.data();
    }
    const auto* given = reinterpret_cast<const TVMFFIAny*>(arguments.data());
    for (std::int32_t i = 0; i < count; ++i) {
      plain[i] = asPlain(given[i], i);
    }
    TVMFFIAny returned{};
    if (code(nullptr, plain, count, &returned) != 0) {
      throw ffi::detail::MoveFromSafeCallRaised();
    }
    if (returned.type_index >= kTVMFFIStaticObjectBegin) {
      // It has the older header, so it can be neither used nor freed.
      raise("TypeError", "a kernel of TVM 0.21 returned an object; only numbers can be taken from it");
    }
    *result = ffi::AnyView::CopyFromTVMFFIAny(returned);
  }
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

class PlainLibraryObj final : public ffi::ModuleObj {
 public:
  PlainLibraryObj(BoundLibrary library, std::unordered_set<std::string> exported)
      : m_library(std::move(library)), m_exported(std::move(exported)) {
    fillSlots();
  }

  const char* kind() const final { return "library"; }

  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    const TVMFFISafeCallType code = codeOf(name);
    if (code == nullptr) {
      return std::nullopt;
    }
    return ffi::Function::FromPacked(PlainKernel{code, ffi::GetRef<ffi::ObjectRef>(this)});
  }

  /// For kernels: the function stays owned here. Raises RuntimeError when nothing provides it.
  ffi::Function lookUp(const std::string& name) {
    const std::lock_guard lock(m_mutex);
    const auto known = m_lookedUp.find(name);
    if (known != m_lookedUp.end()) {
      return known->second;
    }
    return m_lookedUp.emplace(name, find(name)).first->second;
  }

 private:
  void fillSlots();
  ffi::Function find(const std::string& name);

  /// Only what the library itself exports: the loader's search would go on to the libraries that it needs.
  void* symbol(const std::string& name) const {
    return m_exported.contains(name) ? dlsym(m_library.handle(), name.c_str()) : nullptr;
  }
  TVMFFISafeCallType codeOf(const std::string& name) const {
    void* found = symbol(name);
    if (found == nullptr) {
      found = symbol(std::string(kPrefix) + name);
    }
    return reinterpret_cast<TVMFFISafeCallType>(found);
  }

  BoundLibrary m_library;
  std::unordered_set<std::string> m_exported;
  std::mutex m_mutex;
  std::unordered_map<std::string, ffi::Function> m_lookedUp;
};

#pragma GCC diagnostic pop

ffi::Function PlainLibraryObj::find(const std::string& name) {
  if (const TVMFFISafeCallType code = codeOf(name)) {
    return ffi::Function::FromPacked(PlainKernel{code, ffi::ObjectRef()});
  }
  for (const ffi::Any& import : imports()) {
    if (auto found = import.cast<ffi::Module>()->GetFunction(name, /*query_imports=*/true)) {
      return *found;
    }
  }
  if (const std::optional<ffi::Function> global = ffi::Function::GetGlobal(name)) {
    return *global;
  }
  // Worded as by tvm-ffi for newer libraries.
  raise("RuntimeError", "Cannot find function " + name + " in the imported modules or global registry.");
}

extern "C" int opscopePlainLookUp(void* context, const char* name, void** function) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::Function found = static_cast<PlainLibraryObj*>(context)->lookUp(name);
  *function = const_cast<ffi::FunctionObj*>(found.operator->());
  TVM_FFI_SAFE_CALL_END();
}

void PlainLibraryObj::fillSlots() {
  const auto set = [this](const std::string& name, void* value) {
    if (void* slot = symbol(name)) {
      *static_cast<void**>(slot) = value;
    }
  };
  for (const ContextSymbol& known : contextSymbols()) {
    set(known.name, known.address);
  }
  set(std::string(kLookUpSlot), reinterpret_cast<void*>(&opscopePlainLookUp));
  set(kContextSlot, this);
}

std::unordered_set<std::string> exportedNames(const ElfImage& image) {
  std::unordered_set<std::string> names;
  for (const ElfSymbol& symbol : image.definedSymbols()) {
    names.emplace(symbol.name);
  }
  return names;
}

}  // namespace

Result<ffi::Module> loadPlainLibrary(const std::shared_ptr<const LibraryBytes>& content,
                                     const std::string& displayName, const Replacement& replacement) {
  OPSCOPE_TRY_ASSIGN(const ElfImage image, ElfImage::parse(content, displayName));
  OPSCOPE_TRY_ASSIGN(BoundLibrary library, BoundLibrary::open(image, replacement));
  return ffi::Module(ffi::make_object<PlainLibraryObj>(std::move(library), exportedNames(image)));
}

}  // namespace opscope::runtime
