// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers for what can be undone, so that several keepers of it (the filter, a view's zoom) undo in the order
// in which things were done. GUI thread.
#pragma once

#include <QtGlobal>

namespace opscope::ui {

/// Of something that was done; 0 stands for nothing.
using UndoStep = quint64;

/// Larger than all before.
inline UndoStep nextUndoStep() {
  static UndoStep last = 0;
  return ++last;
}

}  // namespace opscope::ui
