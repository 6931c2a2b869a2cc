// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/board_names.h"

#include <algorithm>

namespace opscope::ui {

QString distinctName(const std::vector<SavedBoard>& boards, const SavedBoard& board) {
  const auto same = std::ranges::count_if(boards, [&](const SavedBoard& other) {
    return other.name.compare(board.name, Qt::CaseInsensitive) == 0;
  });
  if (same < 2 || board.name.contains(board.address)) return board.name;
  // A name that was made of the address lacks the port alone.
  if (board.address.startsWith(board.name)) return board.address;
  return QStringLiteral("%1 (%2)").arg(board.name, board.address);
}

}  // namespace opscope::ui
