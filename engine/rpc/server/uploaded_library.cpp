// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/uploaded_library.h"

#include <fmt/format.h>
#include <tvm/ffi/function.h>

#include <string>
#include <string_view>

#include "engine/runtime/elf_image.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/file_kind.h"
#include "engine/runtime/library.h"
#include "engine/runtime/object_linker.h"

namespace opscope::rpc::server {

namespace ffi = tvm::ffi;
using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

/// Registered by the program, which knows the virtual machine; this module does not.
constexpr const char* kExecutableLoader = "opscope.vm.load_library";
constexpr std::string_view kExecutableKind = "relax.VMExecutable";
/// Where libraries keep their modules, since TVM 0.22 and in 0.21.
constexpr std::string_view kModuleSymbols[] = {"__tvm_ffi__library_bin", "__tvm_ffi_library_bin"};

bool holdsExecutable(const runtime::ElfImage& image) {
  for (const std::string_view symbol : kModuleSymbols) {
    const auto modules = image.dataOfSymbol(symbol);
    if (modules.has_value() && modules->find(kExecutableKind) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

Result<ffi::Module> loadExecutable(const std::filesystem::path& file) {
  const auto loader = ffi::Function::GetGlobal(kExecutableLoader);
  if (!loader.has_value()) {
    return Error{ErrorCode::MissingFunction, "This server was built without a virtual machine", {}, {}};
  }
  return runtime::guarded(ErrorCode::Format, file.filename().string(),
                          [&] { return (*loader)(ffi::String(file.string())).cast<ffi::Module>(); });
}

}  // namespace

Result<std::shared_ptr<const runtime::LibraryBytes>> linkUploaded(const std::filesystem::path& file) {
  OPSCOPE_TRY_ASSIGN(auto bytes, runtime::LibraryBytes::read(file));
  const std::string name = file.filename().string();
  if (runtime::isLinkable(bytes->view())) {
    return runtime::linkObjects(bytes->view(), name);
  }
  if (!bytes->view().starts_with("\x7f"
                                 "ELF")) {
    return Error{ErrorCode::Unsupported,
                 fmt::format("{} is no library, and nothing that can be linked to one", name),
                 fmt::format("it is {}", runtime::recogniseFile(bytes->view()).description),
                 {}};
  }
  return bytes;
}

Result<ffi::Module> loadUploaded(const std::filesystem::path& file) {
  OPSCOPE_TRY_ASSIGN(auto bytes, runtime::LibraryBytes::read(file));
  const std::string name = file.filename().string();
  const bool linkable = runtime::isLinkable(bytes->view());
  auto library = bytes;
  if (linkable) {
    OPSCOPE_TRY_ASSIGN(library, runtime::linkObjects(bytes->view(), name));
  }
  OPSCOPE_TRY_ASSIGN(const runtime::ElfImage image, runtime::ElfImage::parse(library, name));
  OPSCOPE_TRY(image.checkRunsHere());
  if (holdsExecutable(image)) {
    return loadExecutable(file);  // links again where that is needed
  }
  return runtime::loadLibrary(library, name);
}

}  // namespace opscope::rpc::server
