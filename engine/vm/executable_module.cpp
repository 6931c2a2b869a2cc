// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/executable_module.h"

#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <string_view>

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// Stands for an embedded module that needs a device library.
class StandInModuleObj final : public ffi::ModuleObj {
 public:
  explicit StandInModuleObj(std::string moduleKind) : m_kind(std::move(moduleKind)) {}
  const char* kind() const final { return m_kind.c_str(); }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String&) final { return std::nullopt; }

 private:
  std::string m_kind;
};

#pragma GCC diagnostic pop

std::string loaderName(std::string_view kind) {
  return "ffi.Module.load_from_bytes." + std::string(kind);
}

}  // namespace

void registerExecutableModule() {
  auto load = [](const ffi::Bytes& bytes) {
    return ffi::Module(ffi::make_object<ExecutableModuleObj>(bytes));
  };
  ffi::Function::SetGlobal(loaderName(kExecutableKind), ffi::Function::FromTyped(load), /*override=*/true);
}

StandInLoaders::StandInLoaders(std::span<const std::string> kinds) {
  for (const std::string& kind : kinds) {
    const bool isOurs = kind == kLibraryKind || kind == kExecutableKind;
    if (isOurs || ffi::Function::GetGlobal(loaderName(kind)).has_value()) {
      continue;
    }
    auto load = [kind](const ffi::Bytes&) { return ffi::Module(ffi::make_object<StandInModuleObj>(kind)); };
    ffi::Function::SetGlobal(loaderName(kind), ffi::Function::FromTyped(load), /*override=*/true);
    m_kinds.push_back(kind);
  }
}

StandInLoaders::~StandInLoaders() {
  for (const std::string& kind : m_kinds) {
    ffi::Function::RemoveGlobal(loaderName(kind));
  }
}

}  // namespace opscope::vm
