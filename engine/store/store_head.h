// SPDX-License-Identifier: Apache-2.0
// How files of stores begin, for those who must tell them from other files without opening them. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::store {

/// The first bytes of every SQLite file.
inline constexpr std::string_view kStoreMagic("SQLite format 3\0", 16);

/// `head`: the first bytes of a file, at least as many as kStoreMagic has.
constexpr bool looksLikeStore(std::string_view head) {
  return head.starts_with(kStoreMagic);
}

/// The first `size` bytes of a regular file, fewer when it is shorter; "" of anything else. Reads by SQLite's
/// own means: whoever closes a file drops all locks that his process has on it, those of open stores too, and
/// SQLite alone knows of them. Errors: NotFound and Io, as the store's.
base::Result<std::string> readHead(const std::filesystem::path& path, std::size_t size);

}  // namespace opscope::store
