// SPDX-License-Identifier: GPL-3.0-or-later
// What a file that is to be opened holds: measurements of some kind, or something for the session. Any
// thread; blocks while it reads.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "engine/base/result.h"
#include "ui/models/run_view.h"

namespace opscope::ui {

/// Measurements read from a file.
struct OpenedRun {
  std::shared_ptr<const RunView> run;
  QString format;  ///< "TVM report (JSON)", "session file"
};

/// Calls of an executable, which is another file.
struct OpenedScenario {};

/// monostate: no report by its first bytes; the session tries to open it as an executable.
using OpenedFile = std::variant<std::monostate, OpenedRun, OpenedScenario, base::Error>;

/// Reports, samples, CSV, traces, session files and scenarios, told apart by their content.
OpenedFile readOpenedFile(const std::string& path);

}  // namespace opscope::ui
