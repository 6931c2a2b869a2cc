// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/executable_module.h"

#include <fmt/format.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <string_view>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/vm/builtins/arguments.h"
#include "engine/vm/executable_decoder.h"
#include "engine/vm/executable_text.h"
#include "engine/vm/listing.h"
#include "engine/vm/machine_functions.h"
#include "engine/vm/machine_module.h"

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

std::shared_ptr<const ExecutableData> ExecutableModuleObj::data() {
  if (m_data == nullptr) {
    auto decoded = decodeExecutable(std::string(m_bytes.data(), m_bytes.size()), "the embedded executable");
    if (!decoded) {
      raiseError(decoded.error());
    }
    setData(*std::move(decoded), {});
  }
  return m_data;
}

void ExecutableModuleObj::setData(std::shared_ptr<const ExecutableData> data,
                                  std::vector<std::string> standIns) {
  m_data = std::move(data);
  m_standIns = std::move(standIns);
  m_bytes = ffi::Bytes();
}

ffi::Optional<ffi::Function> ExecutableModuleObj::GetFunction(const ffi::String& name) {
  // Functions keep the module, and so the library's code, alive.
  const auto self = ffi::GetRef<ffi::Module>(this);
  if (name == "stats") {
    return ffi::Function::FromTyped([self] { return ffi::String(toStatistics(*executableOf(self).data())); });
  }
  if (name == "as_text") {
    return ffi::Function::FromTyped([self] { return ffi::String(toListing(*executableOf(self).data())); });
  }
  if (name == "as_python") {
    return ffi::Function::FromTyped(
        [self] { return ffi::String(toBuilderScript(*executableOf(self).data())); });
  }
  if (name == "has_function") {
    return ffi::Function::FromTyped([self](const ffi::String& function) {
      return findFunction(*executableOf(self).data(), {function.data(), function.size()}) >= 0;
    });
  }
  if (name == "vm_load_executable") {
    return ffi::Function::FromTyped([self] { return makeMachineModule(self); });
  }
  if (name == "vm_profiler_load_executable") {
    return ffi::Function::FromTyped([self] {
      const auto factory = ffi::Function::GetGlobal(kProfilerFactory);
      if (!factory.has_value()) {
        raise("InternalError", "vm_profiler_load_executable: this program is built without the profiler");
      }
      return (*factory)(self).cast<ffi::Module>();
    });
  }
  return std::nullopt;
}

ExecutableModuleObj& executableOf(const ffi::Module& module) {
  auto* executable = dynamic_cast<ExecutableModuleObj*>(module.operator->());
  if (executable == nullptr) {
    raise("TypeError",
          fmt::format("expected a module of kind {}, got one of kind {}", kExecutableKind, module->kind()));
  }
  return *executable;
}

namespace {

ffi::Module moduleOfBytes(const ffi::Bytes& bytes) {
  return ffi::Module(ffi::make_object<ExecutableModuleObj>(bytes));
}

ffi::Module loadSerialised(const ffi::String& path) {
  auto bytes = base::readFile(std::string(path));
  if (!bytes) {
    raiseError(bytes.error());
  }
  ffi::Module module = moduleOfBytes(ffi::Bytes(*std::move(bytes)));
  executableOf(module).data();
  return module;
}

ffi::Module loadLibraryFile(const ffi::String& path) {
  auto file = readExecutableFile(std::string(path));
  if (!file) {
    raiseError(file.error());
  }
  auto module = loadExecutableModule(*file);
  if (!module) {
    raiseError(module.error());
  }
  return *std::move(module);
}

}  // namespace

void registerExecutableModule() {
  auto add = [](const std::string& name, auto function) {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped(function, name), /*override=*/true);
  };
  add(loaderName(kExecutableKind), moduleOfBytes);
  add("ffi.Module.load_from_file." + std::string(kExecutableKind), loadSerialised);
  add("relax.ExecutableLoadFromFile", loadSerialised);
  add(kLoadLibraryFunction, loadLibraryFile);
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
