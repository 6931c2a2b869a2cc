// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/library.h"

#include <dlfcn.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <optional>
#include <utility>

#include "engine/runtime/elf_image.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/private_copy.h"
#include "engine/runtime/unresolved_symbols.h"

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

using Handle = std::unique_ptr<void, void (*)(void*)>;

// tvm-ffi deletes modules through their own deleter, so its base class has no virtual destructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
/// Hangs among the imports of a library's module and so keeps the copy's file until the library is unloaded.
class LibraryFileObj final : public tvm::ffi::ModuleObj {
 public:
  explicit LibraryFileObj(PrivateCopy copy) : m_copy(std::move(copy)) {}
  const char* kind() const final { return "opscope.LibraryFile"; }
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String& /*name*/) final {
    return std::nullopt;
  }

 private:
  PrivateCopy m_copy;
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

/// Loads with all symbols bound, so that a missing one is an error now and not the end of the process later.
Result<Handle> openBound(const ElfImage& image, const std::string& path) {
  Handle handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* opened) { dlclose(opened); });
  if (handle == nullptr) {
    const char* message = dlerror();
    return loaderError(image, path, message != nullptr ? message : "nothing");
  }
  return handle;
}

Result<tvm::ffi::Module> loadCopy(const ElfImage& image, PrivateCopy copy, const std::string& format) {
  OPSCOPE_TRY_ASSIGN(const Handle bound, openBound(image, copy.path()));
  return guarded(ErrorCode::Format, image.file(), [&]() -> Result<tvm::ffi::Module> {
    const std::string loaderName = "ffi.Module.load_from_file." + format;
    const std::optional<tvm::ffi::Function> loader = tvm::ffi::Function::GetGlobal(loaderName);
    if (!loader) {
      return Error{ErrorCode::Unsupported,
                   image.file() + ": there is no loader for '" + format + "' files",
                   "expected a function '" + loaderName + "'",
                   {}};
    }
    auto root = (*loader)(copy.path(), format).cast<tvm::ffi::Module>();
    if (std::optional<tvm::ffi::Module> library = findLibraryModule(root)) {
      (*library)->ImportModule(tvm::ffi::Module(tvm::ffi::make_object<LibraryFileObj>(std::move(copy))));
    }
    return root;
  });
}

}  // namespace

Result<tvm::ffi::Module> loadLibrary(const std::shared_ptr<const std::string>& content,
                                     const std::string& displayName, const std::string& format) {
  OPSCOPE_TRY_ASSIGN(const ElfImage image, ElfImage::parse(content, displayName));
  OPSCOPE_TRY(image.checkRunsHere());
  Result<PrivateCopy> copy = PrivateCopy::inMemory(*content, displayName);
  if (copy) {
    Result<tvm::ffi::Module> module = loadCopy(image, std::move(*copy), format);
    if (module || module.error().code != ErrorCode::Io) {
      return module;
    }
  }
  // Some systems do not run code from memory files.
  OPSCOPE_TRY_ASSIGN(PrivateCopy file, PrivateCopy::onDisk(*content, displayName));
  return loadCopy(image, std::move(file), format);
}

}  // namespace opscope::runtime
