// SPDX-License-Identifier: GPL-3.0-or-later
// The Ops page of a window that shows a run. GUI thread.
#pragma once

#include "tests/ui/support/window_stage.h"
#include "ui/views/ops_page.h"

namespace opscope::ui::testing {

/// Opens the executable, runs it and goes to Ops by keys.
inline OpsPage* showOps(Stage& stage) {
  openExecutable(stage);
  runToEnd(stage);
  QTest::keyClick(stage.window.get(), Qt::Key_2, Qt::AltModifier);
  return stage.window->findChild<OpsPage*>();
}

}  // namespace opscope::ui::testing
