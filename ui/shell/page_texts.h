// SPDX-License-Identifier: GPL-3.0-or-later
// What the pages say of the workspace: ready, running, failed. GUI thread; pure functions of its state.
#pragma once

#include "ui/shell/workspace.h"
#include "ui/views/summary_page.h"
#include "ui/views/widgets/error_panel.h"
#include "ui/views/widgets/running_panel.h"

namespace opscope::ui {

ReadyText readyText(const Workspace& workspace, InputForm& form);
RunningText runningText(const Workspace& workspace);
ErrorText errorText(const Failure& failure, const Workspace& workspace);
/// It happened on a saved board.
bool isOnBoard(const Failure& failure);
/// The board was there and is not any more.
bool isBoardLost(const Failure& failure);
/// "The run of main stopped" and the like.
QString failureTitle(const Failure& failure);

}  // namespace opscope::ui
