// SPDX-License-Identifier: Apache-2.0
// The content hash that names an executable in reports and in the store. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace opscope::session {

/// XXH3-128 as 32 hexadecimal digits, as xxh128sum prints it.
std::string contentHash(std::string_view bytes);

}  // namespace opscope::session
