// SPDX-License-Identifier: Apache-2.0
// An executable in words and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/cli/console.h"
#include "engine/session/executable_info.h"

namespace opscope::cli {

struct TextOptions {
  bool withBytecode = false;
  std::optional<std::size_t> width;  ///< lines are cut to it, and long lists to their beginning
};

std::string inspectText(const session::ExecutableInfo& info, const TextOptions& options,
                        const Console& console);

/// Schema "opscope.inspect/1". `bytecode` lists the instructions when asked for.
std::string inspectJson(const session::ExecutableInfo& info, bool withBytecode);

}  // namespace opscope::cli
