// SPDX-License-Identifier: Apache-2.0
// Writes .npz files array by array, for more arrays than memory holds. One thread at a time; owns the file
// until it is finished. Format: zip with stored entries (APPNOTE 6.3, zip64 where sizes ask for it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/base/atomic_file.h"
#include "engine/base/result.h"

namespace opscope::arrays {

class NpzStreamWriter {
 public:
  /// The file is under its name after `finish` and not there, or as it was, without it. Errors: Io, NotFound.
  static base::Result<NpzStreamWriter> create(const std::filesystem::path& path);

  /// Writes an array whose elements stand at `data` in C order: as many bytes as type and shape ask for.
  /// Errors: InvalidArgument (a key twice, empty or with a zero byte, a wrong size), Io.
  base::Result<> add(const std::string& key, ElementType type, std::span<const std::int64_t> shape,
                     std::span<const std::byte> data);

  /// Writes the directory and gives the file its name. Last. Errors: Io.
  base::Result<> finish();

  /// Of the file until now.
  std::uint64_t bytesWritten() const { return m_offset; }

 private:
  struct Entry {
    std::string name;
    std::uint32_t checksum = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };

  NpzStreamWriter(base::AtomicFileWriter file, std::filesystem::path path)
      : m_file(std::move(file)), m_path(std::move(path)) {}
  base::Result<> write(std::string_view bytes);
  base::Result<> checkKey(const std::string& key);

  base::AtomicFileWriter m_file;
  std::filesystem::path m_path;
  std::uint64_t m_offset = 0;
  std::vector<Entry> m_entries;
  std::set<std::string> m_keys;
};

}  // namespace opscope::arrays
