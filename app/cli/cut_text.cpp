// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cut_text.h"

#include <fmt/format.h>

#include "app/cli/words.h"
#include "engine/base/near_match.h"

namespace opscope::cli {

std::string cutText(std::size_t width, const std::vector<std::string>& hidden) {
  constexpr std::size_t kMostNamed = 8;
  const std::string without = hidden.empty() ? "" : ", without " + base::joinNames(hidden, kMostNamed);
  return wrapped(fmt::format("Cut to {} columns{}; --wide shows the whole table.", width, without), width,
                 0) +
         "\n";
}

}  // namespace opscope::cli
