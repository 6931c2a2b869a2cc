// SPDX-License-Identifier: Apache-2.0
// A copy of a library's bytes that the loader can open and nobody else can change. Inside of loadLibrary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::runtime {

/// What is put in place of `size` bytes at `offset`; zeros follow it.
struct Replacement {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::string bytes;  ///< at most `size`
};

/// Owns the file behind `path()`; moving hands it on. The file must live as long as code loaded from it: the
/// loader tells libraries apart by path, and the path of a memory file names a descriptor that is free after.
class PrivateCopy {
 public:
  /// In memory (memfd), named after `displayName` for debuggers and profilers. Errors: Io, OutOfMemory.
  /// Zeros behind a replacement take no memory.
  static base::Result<PrivateCopy> inMemory(std::string_view bytes, const Replacement& replacement,
                                            const std::string& displayName);
  /// In a new file of the temporary folder, for systems that forbid running code from memory files. It is
  /// deleted with this object.
  static base::Result<PrivateCopy> onDisk(std::string_view bytes, const Replacement& replacement,
                                          const std::string& displayName);

  PrivateCopy(PrivateCopy&& other) noexcept;
  PrivateCopy& operator=(PrivateCopy&& other) noexcept;
  PrivateCopy(const PrivateCopy&) = delete;
  PrivateCopy& operator=(const PrivateCopy&) = delete;
  /// Closes the file, unless code loaded from it is still there.
  ~PrivateCopy();

  const std::string& path() const { return m_path; }

 private:
  PrivateCopy(int descriptor, std::string path, bool onDisk)
      : m_descriptor(descriptor), m_path(std::move(path)), m_onDisk(onDisk) {}
  void close();

  int m_descriptor = -1;
  std::string m_path;
  bool m_onDisk = false;
};

}  // namespace opscope::runtime
