// SPDX-License-Identifier: Apache-2.0
// A library that the system's loader holds open, loaded from a private copy of its file. Inside of
// loadLibrary and loadPlainLibrary.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/runtime/elf_image.h"
#include "engine/runtime/private_copy.h"

namespace opscope::runtime {

/// Owns the copy and the loader's handle; moving hands both on.
class BoundLibrary {
 public:
  /// Loads the image, with the replacement in it, with all symbols bound, so that a missing one is an error
  /// now and not the end of the process later. Errors: those of ElfImage::checkRunsHere, of PrivateCopy and
  /// of loaderError.
  static base::Result<BoundLibrary> open(const ElfImage& image, const Replacement& replacement);

  BoundLibrary(BoundLibrary&& other) noexcept;
  BoundLibrary& operator=(BoundLibrary&&) = delete;
  BoundLibrary(const BoundLibrary&) = delete;
  BoundLibrary& operator=(const BoundLibrary&) = delete;
  ~BoundLibrary();

  void* handle() const { return m_handle; }
  const std::string& path() const { return m_copy.path(); }

 private:
  BoundLibrary(PrivateCopy copy, void* handle) : m_copy(std::move(copy)), m_handle(handle) {}
  static base::Result<BoundLibrary> openCopy(const ElfImage& image, PrivateCopy copy);

  PrivateCopy m_copy;  ///< outlives the handle
  void* m_handle = nullptr;
};

}  // namespace opscope::runtime
