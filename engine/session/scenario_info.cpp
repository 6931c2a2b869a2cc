// SPDX-License-Identifier: Apache-2.0
#include "engine/session/scenario_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/near_match.h"
#include "engine/session/scenario.h"

namespace opscope::session {

namespace {

using base::Error;
using base::ErrorCode;

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = from.empty() ? std::string::npos : text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// A panel beside the page has no room for folders, and the files stand beside the words.
Error withoutFolders(Error error, const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    for (std::string* text : {&error.message, &error.detail, &error.hint}) {
      replaceAll(*text, file.string(), file.filename().string());
    }
  }
  return error;
}

/// Why the executable cannot take this step; "" when it can, as far as is known before it runs.
std::string problemOf(const ScenarioStep& step, const ExecutableInfo& executable) {
  if (step.isGlobal) {
    return {};
  }
  std::vector<std::string> names;
  for (const FunctionInfo& function : executable.functions) {
    if (function.name != step.function) {
      names.push_back(function.name);
      continue;
    }
    const std::size_t wanted = function.signature.parameters.size();
    return wanted == step.arguments.size()
               ? std::string()
               : fmt::format("{} takes {} input{}. The step gives {}.", step.function, wanted,
                             wanted == 1 ? "" : "s", step.arguments.size());
  }
  const std::string near = base::nearMatch(step.function, names);
  return fmt::format("The executable has no function {}.{}", step.function,
                     near.empty() ? "" : fmt::format(" Did you mean {}?", near));
}

ScenarioStepInfo infoOf(const ScenarioStep& step, std::string name, const ExecutableInfo& executable) {
  ScenarioStepInfo info{
      std::move(name), step.function, step.isGlobal, {}, step.out, problemOf(step, executable)};
  for (const ScenarioArgument& argument : step.arguments) {
    info.arguments.push_back(describeArgument(argument));
  }
  return info;
}

/// All steps that cannot be taken, in one error.
std::optional<Error> stepsProblem(const ScenarioInfo& info, const std::string& file) {
  constexpr std::size_t kTold = 4;
  std::vector<std::string> told;
  std::size_t count = 0;
  for (std::size_t i = 0; i < info.steps.size(); ++i) {
    if (info.steps[i].problem.empty()) {
      continue;
    }
    if (++count <= kTold) {
      told.push_back(fmt::format("steps[{}]: {}", i, info.steps[i].problem));
    }
  }
  if (count == 0) {
    return std::nullopt;
  }
  if (count > kTold) {
    told.push_back(fmt::format("and {} more", count - kTold));
  }
  return Error{ErrorCode::NotFound,
               fmt::format("{} does not fit this executable.", file),
               fmt::format("{}", fmt::join(told, "\n")),
               {}};
}

}  // namespace

ScenarioInfo inspectScenario(const std::filesystem::path& scenarioFile,
                             const std::filesystem::path& arraysFile, const ExecutableInfo& executable) {
  ScenarioInfo info;
  const auto scenario = readScenario(scenarioFile, &info.hash);
  if (!scenario) {
    info.problem = withoutFolders(scenario.error(), {scenarioFile});
    return info;
  }
  const std::vector<std::string> names = stepNames(*scenario);
  for (std::size_t i = 0; i < scenario->steps.size(); ++i) {
    info.steps.push_back(infoOf(scenario->steps[i], names[i], executable));
  }
  std::set<std::string> keys;
  for (const ScenarioKey& wanted : arrayKeys(*scenario)) {
    keys.insert(wanted.key);
  }
  info.arrayCount = keys.size();
  info.problem = stepsProblem(info, scenarioFile.filename().string());
  if (const auto arrays = openArraysFile(*scenario, arraysFile); !arrays) {
    info.arraysProblem = withoutFolders(arrays.error(), {scenarioFile, arraysFile});
  }
  return info;
}

bool looksLikeScenario(std::string_view json) {
  int depth = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      const std::size_t begin = ++i;
      while (i < json.size() && json[i] != '"') {
        i += json[i] == '\\' ? 2 : 1;
      }
      if (depth != 1 || i >= json.size() || json.substr(begin, i - begin) != "steps") {
        continue;
      }
      const std::size_t next = json.find_first_not_of(" \t\r\n", i + 1);
      if (next != std::string_view::npos && json[next] == ':') {
        return true;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace opscope::session
