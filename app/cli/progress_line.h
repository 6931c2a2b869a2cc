// SPDX-License-Identifier: Apache-2.0
// The progress bar as text. Any thread; a pure function.
#pragma once

#include <cstddef>
#include <string>

#include "engine/session/events.h"

namespace opscope::cli {

/// "measuring  [#####.......] 7 of 30  about 3 s left" in less than `width` columns: the bar gives way first,
/// then the time left.
std::string progressLine(const session::Progress& progress, std::size_t width);

}  // namespace opscope::cli
