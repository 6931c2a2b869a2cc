// SPDX-License-Identifier: Apache-2.0
// What a file of arrays holds, by its headers: for forms, which choose arrays and check them without reading
// them. Plain values; any thread that may wait for files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace opscope::session {

struct ListedArray {
  std::string key;   ///< empty in a .npy file
  std::string type;  ///< "float32"
  std::vector<std::int64_t> shape;
  std::optional<base::Error> problem;  ///< why it cannot be read; type and shape are empty then
};

struct ArrayListing {
  bool isArchive = false;              ///< .npz, by its content
  std::vector<ListedArray> arrays;     ///< in the file's order
  std::optional<base::Error> problem;  ///< of the file as a whole
};

/// By the name of the file as it stands in an InputPlan.
using ArrayListings = std::map<std::string, ArrayListing>;

ArrayListing listArrays(const std::filesystem::path& path);

/// "float32 [1, 3]".
std::string describeListed(const ListedArray& array);

}  // namespace opscope::session
