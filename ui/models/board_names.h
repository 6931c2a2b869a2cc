// SPDX-License-Identifier: GPL-3.0-or-later
// What a saved board is called where several stand beside each other. Plain values; any thread.
#pragma once

#include <vector>

#include "ui/models/saved_board.h"

namespace opscope::ui {

/// The name; with the address where another board has the same name: "127.0.0.1:9090", "desk
/// (10.0.0.7:9090)".
QString distinctName(const std::vector<SavedBoard>& boards, const SavedBoard& board);

}  // namespace opscope::ui
