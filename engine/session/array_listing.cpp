// SPDX-License-Identifier: Apache-2.0
#include "engine/session/array_listing.h"

#include <fstream>
#include <utility>

#include "engine/arrays/npz.h"
#include "engine/base/held_file.h"

namespace opscope::session {

namespace {

using base::Result;

/// As archives begin, also one without files.
bool isZip(const std::filesystem::path& path) {
  char head[2] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  return head[0] == 'P' && head[1] == 'K';
}

/// A pipe is waited for when it is opened, and what is read of it is gone for the run.
std::optional<base::Error> noRegularFile(const std::filesystem::path& path) {
  std::error_code unknown;
  const auto type = std::filesystem::status(path, unknown).type();
  using Type = std::filesystem::file_type;
  if (type == Type::regular || type == Type::directory || type == Type::not_found || type == Type::none) {
    return std::nullopt;  // what is wrong with the others, reading tells
  }
  return base::Error{base::ErrorCode::InvalidArgument, "Cannot read " + path.string(),
                     "It is a pipe or a device, and arrays are read again for each run.",
                     "Save the arrays as a .npy or .npz file and choose that."};
}

ListedArray listed(std::string key, Result<arrays::NpyHeader> header) {
  if (!header) {
    return {std::move(key), {}, {}, std::move(header).error()};
  }
  return {std::move(key), arrays::elementTypeName(header->type), std::move(header->shape), {}};
}

}  // namespace

ArrayListing listArrays(const std::filesystem::path& path) {
  ArrayListing listing;
  listing.problem = noRegularFile(path);
  if (const auto free = base::checkNotHeld(path); !free) {
    listing.problem = free.error();
  }
  if (listing.problem) {
    return listing;
  }
  listing.isArchive = isZip(path);
  if (!listing.isArchive) {
    listing.arrays.push_back(listed({}, arrays::readNpyHeader(path)));
    listing.problem = listing.arrays.front().problem;
    return listing;
  }
  const auto reader = arrays::NpzReader::open(path);
  if (!reader) {
    listing.problem = reader.error();
    return listing;
  }
  for (const std::string& key : reader->keys()) {
    listing.arrays.push_back(listed(key, reader->readHeader(key)));
  }
  return listing;
}

std::string describeListed(const ListedArray& array) {
  return array.type + " " + arrays::shapeText(array.shape);
}

}  // namespace opscope::session
