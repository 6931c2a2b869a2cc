// SPDX-License-Identifier: Apache-2.0
// What `profile --counters list` prints. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/session/counters.h"

namespace opscope::cli {

/// A table of the events, and the reasons why some cannot be counted, each once. `width` as for Grid.
std::string countersText(const session::CounterList& list, std::optional<std::size_t> width);

}  // namespace opscope::cli
