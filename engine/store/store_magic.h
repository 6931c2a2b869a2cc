// SPDX-License-Identifier: Apache-2.0
// How files of stores begin, for those who must tell them from other files without opening them. Any thread.
#pragma once

#include <string_view>

namespace opscope::store {

/// The first bytes of every SQLite file.
inline constexpr std::string_view kStoreMagic("SQLite format 3\0", 16);

/// `head`: the first bytes of a file, at least as many as kStoreMagic has.
constexpr bool looksLikeStore(std::string_view head) {
  return head.starts_with(kStoreMagic);
}

}  // namespace opscope::store
