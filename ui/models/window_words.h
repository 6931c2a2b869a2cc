// SPDX-License-Identifier: GPL-3.0-or-later
// Advice of the engine names options of the command line; the window says it in the words of its own
// controls, and names the command only for what it has no control for. Any thread; a pure function.
#pragma once

#include <QString>
#include <string>

#include "engine/base/error.h"

namespace opscope::ui {

/// "Warm up longer (--warmup)" becomes "Warm up longer (Warm-up in the tool bar)".
QString windowWords(const std::string& advice);

/// "A kernel failed" for KernelFailed.
QString kindWords(base::ErrorCode code);

}  // namespace opscope::ui
