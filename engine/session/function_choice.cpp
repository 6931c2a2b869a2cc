// SPDX-License-Identifier: Apache-2.0
#include "engine/session/function_choice.h"

#include <fmt/format.h>

#include "engine/base/near_match.h"

namespace opscope::session {

std::vector<std::string> functionsToChooseFrom(const ExecutableInfo& info) {
  std::vector<std::string> names;
  for (const FunctionInfo& function : info.functions) {
    if (function.name == "main") {
      return {};
    }
    if (!function.isPrivate) {
      names.push_back(function.name);
    }
  }
  return names.size() > 1 ? names : std::vector<std::string>();
}

base::Result<> checkHasDefault(const ExecutableInfo& info) {
  const std::vector<std::string> choice = functionsToChooseFrom(info);
  if (choice.empty()) {
    return {};
  }
  return base::Error{base::ErrorCode::InvalidArgument,
                     fmt::format("{} has {} functions and none called main.", info.fileName, choice.size()),
                     "", fmt::format("Name one with -f: {}", base::joinNames(choice))};
}

}  // namespace opscope::session
