// SPDX-License-Identifier: Apache-2.0
// Unpacks gzip. Any thread; values only.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::runtime {

bool isGzip(std::string_view bytes);

/// The bytes of every member. Errors, naming `file`: Format when it is damaged, cut off or holds more than
/// `limit` bytes.
base::Result<std::string> unpackGzip(std::string_view bytes, const std::string& file,
                                     std::size_t limit = std::size_t{4} << 30);

}  // namespace opscope::runtime
