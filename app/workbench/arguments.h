// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of the window. GUI thread; plain values.
#pragma once

#include <QStringList>
#include <optional>

#include "ui/bridge/session_types.h"
#include "ui/models/run_options.h"
#include "ui/shell/screenshot.h"
#include "ui/views/look/theme.h"

namespace opscope::workbench {

struct Arguments {
  QStringList files;  ///< of two that are compared the second is the new one
  QString store;      ///< --store; empty: the usual one
  session::CallPlan plan;
  bool hasPlan = false;
  std::optional<ui::RunOptions> options;  ///< --threads, --plugin and the like
  QString page;                           ///< to begin with; empty: the usual one
  std::optional<ui::ScreenshotPlan> screenshot;
  std::optional<ui::ThemeChoice> theme;
  std::optional<int> textSize;  ///< in percent
};

/// Reads the application's arguments; prints help and version and ends where asked. The error is the first
/// line for standard error.
base::Result<Arguments> readArguments(const QStringList& words);

}  // namespace opscope::workbench
