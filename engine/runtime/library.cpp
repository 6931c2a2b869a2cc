// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/library.h"

#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <optional>
#include <utility>

#include "engine/runtime/bound_library.h"
#include "engine/runtime/elf_image.h"
#include "engine/runtime/ffi_error.h"

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

// tvm-ffi deletes modules through their own deleter, so its base class has no virtual destructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
/// Hangs among the imports of a library's module and so keeps the file that it was loaded from.
class LibraryFileObj final : public tvm::ffi::ModuleObj {
 public:
  explicit LibraryFileObj(BoundLibrary library) : m_library(std::move(library)) {}
  const char* kind() const final { return kKind; }
  static constexpr const char* kKind = "opscope.LibraryFile";
  void* handle() const { return m_library.handle(); }
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String& /*name*/) final {
    return std::nullopt;
  }

 private:
  BoundLibrary m_library;
};
#pragma GCC diagnostic pop

/// The module of the shared library itself in the tree below `root`. The trees are small and acyclic.
std::optional<tvm::ffi::Module> findLibraryModule(const tvm::ffi::Module& root) {
  if (std::string_view(root->kind()) == "library") {
    return root;
  }
  for (const tvm::ffi::Any& import : root->imports()) {
    if (auto found = findLibraryModule(import.cast<tvm::ffi::Module>())) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace

void* libraryHandle(const tvm::ffi::Module& module) {
  if (std::string_view(module->kind()) == LibraryFileObj::kKind) {
    return static_cast<const LibraryFileObj*>(module.get())->handle();
  }
  for (const tvm::ffi::Any& import : module->imports()) {
    if (void* handle = libraryHandle(import.cast<tvm::ffi::Module>())) {
      return handle;
    }
  }
  return nullptr;
}

Result<tvm::ffi::Module> loadLibrary(const std::shared_ptr<const std::string>& content,
                                     const std::string& displayName, const std::string& format) {
  return loadLibrary(LibraryBytes::of(*content), displayName, format);
}

Result<tvm::ffi::Module> loadLibrary(const std::shared_ptr<const LibraryBytes>& content,
                                     const std::string& displayName, const std::string& format,
                                     const Replacement& replacement) {
  OPSCOPE_TRY_ASSIGN(const ElfImage image, ElfImage::parse(content, displayName));
  OPSCOPE_TRY_ASSIGN(BoundLibrary bound, BoundLibrary::open(image, replacement));
  return guarded(ErrorCode::Format, displayName, [&]() -> Result<tvm::ffi::Module> {
    const std::string loaderName = "ffi.Module.load_from_file." + format;
    const std::optional<tvm::ffi::Function> loader = tvm::ffi::Function::GetGlobal(loaderName);
    if (!loader) {
      return Error{ErrorCode::Unsupported,
                   displayName + ": there is no loader for '" + format + "' files",
                   "expected a function '" + loaderName + "'",
                   {}};
    }
    auto root = (*loader)(bound.path(), format).cast<tvm::ffi::Module>();
    if (std::optional<tvm::ffi::Module> library = findLibraryModule(root)) {
      (*library)->ImportModule(tvm::ffi::Module(tvm::ffi::make_object<LibraryFileObj>(std::move(bound))));
    }
    return root;
  });
}

}  // namespace opscope::runtime
