// SPDX-License-Identifier: Apache-2.0
// How many repeats run without the recorder beside the recorded ones. A plain value.
#pragma once

namespace opscope::profile {

enum class OverheadCheck {
  Off,
  Auto,  ///< at most 20 % more time; a short run spends up to a quarter of a second, and 6 repeats up to one
  Full,  ///< beside each recorded repeat
};

}  // namespace opscope::profile
