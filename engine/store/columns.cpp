// SPDX-License-Identifier: Apache-2.0
#include "engine/store/columns.h"

namespace opscope::store {

bool countsUp(std::span<const std::uint32_t> numbers) {
  for (std::size_t position = 0; position < numbers.size(); ++position) {
    if (numbers[position] != position) {
      return false;
    }
  }
  return true;
}

}  // namespace opscope::store
