// SPDX-License-Identifier: Apache-2.0
// What the window shows of a scenario, and what is wrong with it before anything runs. Plain values; any
// thread that may wait for files. Of the arrays only their list is read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/executable_info.h"

namespace opscope::session {

struct ScenarioStepInfo {
  std::string name;  ///< as in Run::steps
  std::string function;
  bool isGlobal = false;               ///< of the registry, not of the executable
  std::vector<std::string> arguments;  ///< in short words
  std::string out;                     ///< key of the result; empty: it is not saved
  std::string problem;                 ///< why the executable cannot take this step; empty: it can
};

struct ScenarioInfo {
  std::vector<ScenarioStepInfo> steps;  ///< empty when the file cannot be read
  std::size_t arrayCount = 0;           ///< different arrays that it takes
  std::string hash;                     ///< of the file's content; empty when it cannot be read
  std::optional<base::Error> problem;   ///< of the file and its steps
  std::optional<base::Error> arraysProblem;
};

/// Reads the scenario and holds it against the executable and the arrays' types and shapes in `arraysFile`,
/// which may be empty.
/// Messages name the files without their folders.
ScenarioInfo inspectScenario(const std::filesystem::path& scenarioFile,
                             const std::filesystem::path& arraysFile, const ExecutableInfo& executable);

/// JSON with the key "steps" at its top, also where it has mistakes further on.
bool looksLikeScenario(std::string_view json);

}  // namespace opscope::session
