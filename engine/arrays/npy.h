// SPDX-License-Identifier: Apache-2.0
// numpy's .npy files. Any thread; no state. Format: numpy.lib.format, versions 1.0, 2.0 and 3.0.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/base/result.h"

namespace opscope::arrays {

/// What stands before the elements.
struct NpyHeader {
  ElementType type;
  std::vector<std::int64_t> shape;
  bool fortranOrder = false;
  bool bigEndian = false;
  std::size_t dataOffset = 0;  ///< of the first element in the file
  std::size_t dataBytes = 0;
};

/// Reads the header from the first bytes of a file of `fileBytes` bytes and holds the size it asks for
/// against that. `begin` must hold the whole header (kNpyHeaderLimit bytes, or the file, are always enough).
/// `place` begins every message: "in.npy", "in.npz, array x". Errors: Format; Unsupported for element types
/// that an Array cannot hold (complex, structured, objects, text, times).
inline constexpr std::size_t kNpyHeaderLimit = std::size_t{1} << 20;
base::Result<NpyHeader> parseNpyHeader(std::string_view begin, std::uint64_t fileBytes,
                                       std::string_view place);

/// Reads as much of a file of `fileBytes` bytes as its header takes. `read` gives the next `size` bytes.
/// Errors: as above, and those of `read`.
using NpyRead = std::function<base::Result<>(char* to, std::size_t size)>;
base::Result<NpyHeader> readNpyHeader(const NpyRead& read, std::uint64_t fileBytes, std::string_view place);

/// Of a file, without its elements. Errors: as above; NotFound, Io.
base::Result<NpyHeader> readNpyHeader(const std::filesystem::path& path);

/// Turns elements as they stand in the file (`bytes`, header.dataBytes long) into an Array: C order, the
/// machine's byte order.
base::Result<Array> arrayFromNpyData(const NpyHeader& header, Bytes bytes);

/// A whole file in memory. Fortran order is reordered, big endian converted; two-byte void ("V2"), as
/// ml_dtypes writes bfloat16, is bfloat16. Errors as above; OutOfMemory.
base::Result<Array> parseNpy(std::string_view file, std::string_view place);

/// Errors as above; NotFound, Io.
base::Result<Array> readNpy(const std::filesystem::path& path);

/// The bytes before the elements as numpy writes them (version 1.0, C order, little endian, aligned to 64);
/// bfloat16 as "<V2", as ml_dtypes does.
std::string npyHeader(ElementType type, std::span<const std::int64_t> shape);
std::string npyHeader(const Array& array);

/// Writes atomically. Errors: Io, NotFound (folder).
base::Result<> writeNpy(const std::filesystem::path& path, const Array& array);

}  // namespace opscope::arrays
