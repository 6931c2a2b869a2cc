// SPDX-License-Identifier: Apache-2.0
// numpy's .npz files: zip archives of .npy files, stored or deflated. A reader is used by one thread at a
// time and owns the open file; writing has no state.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/arrays/npy.h"
#include "engine/base/result.h"

namespace opscope::arrays {

class NpzReader {
 public:
  /// Reads the list of arrays, not the arrays. Errors: NotFound, Io, Format (not a zip file, damaged).
  static base::Result<NpzReader> open(const std::filesystem::path& path);
  NpzReader(NpzReader&&) noexcept;
  NpzReader& operator=(NpzReader&&) noexcept;
  ~NpzReader();

  /// Names without ".npy", in the file's order. They may hold slashes and colons.
  const std::vector<std::string>& keys() const;
  bool has(std::string_view key) const;

  /// Reads one array. Errors: NotFound naming the arrays that exist and the nearest; Format, Unsupported as
  /// for .npy; Io; OutOfMemory. Sizes are checked against the file before memory is taken.
  base::Result<Array> read(std::string_view key) const;

  /// Type and shape of one array, without its elements. Errors: as read().
  base::Result<NpyHeader> readHeader(std::string_view key) const;

  const std::filesystem::path& path() const;

 private:
  struct Impl;
  explicit NpzReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

/// "all.npz holds no array \"x\".", with those that it holds and the nearest.
base::Error noSuchArray(const std::filesystem::path& path, std::string_view key,
                        const std::vector<std::string>& keys);

struct NamedArray {
  std::string key;
  Array array;
};

enum class NpzCompression { Stored, Deflated };

/// The bytes of such a file. Errors: InvalidArgument (as below), OutOfMemory.
base::Result<std::string> npzContent(const std::vector<NamedArray>& arrays,
                                     NpzCompression compression = NpzCompression::Stored);

/// Writes the arrays in their order, the same bytes for the same arrays (no time stamps). The file appears
/// whole under its name or not at all. Errors: InvalidArgument (a key twice, empty, or with a zero byte), Io,
/// NotFound (folder).
base::Result<> writeNpz(const std::filesystem::path& path, const std::vector<NamedArray>& arrays,
                        NpzCompression compression = NpzCompression::Stored);

}  // namespace opscope::arrays
