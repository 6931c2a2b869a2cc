// SPDX-License-Identifier: Apache-2.0
#include "engine/arrays/npy.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/base/held_file.h"

namespace opscope::arrays {

static_assert(std::endian::native == std::endian::little, "elements are written as they stand in memory");

namespace {

using base::Result;

void swapBytes(Bytes& bytes, std::size_t element) {
  for (std::size_t i = 0; i + element <= bytes.size(); i += element) {
    std::reverse(bytes.data() + i, bytes.data() + i + element);
  }
}

/// Copies elements of Size bytes from Fortran order to C order: walks the result row by row; along a row the
/// source advances by the product of the other dimensions.
template <std::size_t Size>
void reorder(const std::vector<std::int64_t>& shape, const std::byte* from, std::byte* to) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> strides(rank, Size);
  for (std::size_t i = 1; i < rank; ++i) {
    strides[i] = strides[i - 1] * static_cast<std::size_t>(shape[i - 1]);
  }
  std::vector<std::int64_t> index(rank, 0);
  const std::int64_t rowLength = shape[rank - 1];
  while (true) {
    const std::byte* source = from;
    for (std::size_t i = 0; i + 1 < rank; ++i) {
      source += strides[i] * static_cast<std::size_t>(index[i]);
    }
    for (std::int64_t i = 0; i < rowLength; ++i, source += strides[rank - 1], to += Size) {
      std::memcpy(to, source, Size);
    }
    std::size_t axis = rank - 1;
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) {
      index[--axis] = 0;
    }
    if (axis == 0) {
      return;
    }
  }
}

Result<Bytes> toCOrder(const NpyHeader& header, Bytes bytes) {
  if (!header.fortranOrder || header.shape.size() < 2 || bytes.size() == 0) {
    return bytes;
  }
  OPSCOPE_TRY_ASSIGN(Bytes ordered, Bytes::allocate(bytes.size()));
  switch (elementBytes(header.type)) {
    case 1:
      reorder<1>(header.shape, bytes.data(), ordered.data());
      break;
    case 2:
      reorder<2>(header.shape, bytes.data(), ordered.data());
      break;
    case 4:
      reorder<4>(header.shape, bytes.data(), ordered.data());
      break;
    default:
      reorder<8>(header.shape, bytes.data(), ordered.data());
  }
  return ordered;
}

}  // namespace

Result<Array> arrayFromNpyData(const NpyHeader& header, Bytes bytes) {
  if (header.bigEndian) {
    swapBytes(bytes, elementBytes(header.type));
  }
  if (header.type.code == TypeCode::Bool) {
    // Kernels rely on 0 and 1; a file may hold any byte.
    std::transform(bytes.data(), bytes.data() + bytes.size(), bytes.data(),
                   [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
  }
  OPSCOPE_TRY_ASSIGN(Bytes ordered, toCOrder(header, std::move(bytes)));
  return Array::make(header.type, header.shape, std::move(ordered));
}

Result<Array> parseNpy(std::string_view file, std::string_view place) {
  OPSCOPE_TRY_ASSIGN(const NpyHeader header,
                     parseNpyHeader(file.substr(0, kNpyHeaderLimit), file.size(), place));
  OPSCOPE_TRY_ASSIGN(Bytes bytes, Bytes::allocate(header.dataBytes));
  if (header.dataBytes > 0) {
    std::memcpy(bytes.data(), file.data() + header.dataOffset, header.dataBytes);
  }
  return arrayFromNpyData(header, std::move(bytes));
}

Result<Array> readNpy(const std::filesystem::path& path) {
  OPSCOPE_TRY_ASSIGN(const std::string content, base::readFile(path));
  return parseNpy(content, path.string());
}

Result<NpyHeader> readNpyHeader(const std::filesystem::path& path) {
  const auto failed = [&path](int code) {
    return base::Error{code == ENOENT ? base::ErrorCode::NotFound : base::ErrorCode::Io,
                       "Cannot read " + path.string() + ": " + std::strerror(code),
                       {},
                       code == ENOENT ? base::missingFileHint(path) : ""};
  };
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) {
    return failed(EISDIR);
  }
  const auto size = std::filesystem::file_size(path, failure);
  if (failure) {
    return failed(failure.value());
  }
  OPSCOPE_TRY(base::checkNotHeld(path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const auto read = [&](char* to, std::size_t count) -> Result<> {
    file.read(to, static_cast<std::streamsize>(count));
    return file ? Result<>() : Result<>(failed(errno != 0 ? errno : EIO));
  };
  return readNpyHeader(read, size, path.string());
}

Result<> writeNpy(const std::filesystem::path& path, const Array& array) {
  std::string content = npyHeader(array);
  content.append(reinterpret_cast<const char*>(array.data()), array.byteSize());
  return base::writeFileAtomically(path, content);
}

}  // namespace opscope::arrays
