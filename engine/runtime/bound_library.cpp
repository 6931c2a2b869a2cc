// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/bound_library.h"

#include <dlfcn.h>

#include <utility>

#include "engine/runtime/unresolved_symbols.h"

namespace opscope::runtime {

using base::ErrorCode;
using base::Result;

BoundLibrary::BoundLibrary(BoundLibrary&& other) noexcept
    : m_copy(std::move(other.m_copy)), m_handle(std::exchange(other.m_handle, nullptr)) {}

BoundLibrary::~BoundLibrary() {
  if (m_handle != nullptr) {
    dlclose(m_handle);
  }
}

Result<BoundLibrary> BoundLibrary::openCopy(const ElfImage& image, PrivateCopy copy) {
  void* handle = dlopen(copy.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* message = dlerror();
    return loaderError(image, copy.path(), message != nullptr ? message : "nothing");
  }
  return BoundLibrary(std::move(copy), handle);
}

Result<BoundLibrary> BoundLibrary::open(const ElfImage& image, const Replacement& replacement) {
  OPSCOPE_TRY(image.checkRunsHere());
  Result<PrivateCopy> copy = PrivateCopy::inMemory(image.bytes(), replacement, image.file());
  if (copy) {
    Result<BoundLibrary> library = openCopy(image, std::move(*copy));
    if (library || library.error().code != ErrorCode::Io) {
      return library;
    }
  }
  // Some systems do not run code from memory files.
  OPSCOPE_TRY_ASSIGN(PrivateCopy file, PrivateCopy::onDisk(image.bytes(), replacement, image.file()));
  return openCopy(image, std::move(file));
}

}  // namespace opscope::runtime
