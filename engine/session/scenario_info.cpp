// SPDX-License-Identifier: Apache-2.0
#include "engine/session/scenario_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>

#include "engine/arrays/npz.h"
#include "engine/base/near_match.h"
#include "engine/session/listed_arguments.h"
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

/// Of the arrays only types and shapes are looked at, each once.
class ArrayHeaders {
 public:
  ArrayHeaders(const arrays::NpzReader* reader, const Scenario& scenario, const ExecutableInfo& executable)
      : m_reader(reader), m_scenario(scenario), m_executable(executable) {}

  ListedArgument argumentOf(const ScenarioArgument& argument) {
    if (const auto* key = std::get_if<ArrayKey>(&argument.value)) {
      return {arrayOf(key->key)};
    }
    if (const auto* result = std::get_if<StepResult>(&argument.value)) {
      return resultOf(*result);
    }
    if (const auto* tuple = std::get_if<ScenarioTuple>(&argument.value)) {
      std::vector<ListedArgument> members;
      for (const ScenarioArgument& member : tuple->members) {
        members.push_back(argumentOf(member));
      }
      return {std::move(members)};
    }
    return {std::visit(
        []<typename Value>(const Value& value) {
          if constexpr (std::is_same_v<Value, ArrayKey> || std::is_same_v<Value, ScenarioTuple>) {
            return InputValue{NoneValue{}};  // seen to above
          } else {
            return InputValue{value};
          }
        },
        argument.value)};
  }
  /// Of the first array that cannot be read.
  const std::optional<Error>& problem() const { return m_problem; }

 private:
  ListedArgument resultOf(const StepResult& result) const {
    const ScenarioStep& step = m_scenario.steps[result.step];
    const auto function = std::ranges::find(m_executable.functions, step.function, &FunctionInfo::name);
    const bool isKnown = !step.isGlobal && function != m_executable.functions.end();
    return listedResult(result, isKnown ? &function->signature : nullptr);
  }

  ListedArray arrayOf(const std::string& key) {
    const auto [place, isNew] = m_known.try_emplace(key);
    if (isNew) {
      place->second.key = key;
      if (auto header = m_reader->readHeader(key)) {
        place->second.type = arrays::elementTypeName(header->type);
        place->second.shape = header->shape;
      } else if (!m_problem) {
        m_problem = std::move(header).error();
      }
    }
    return place->second;
  }

  const arrays::NpzReader* m_reader;
  const Scenario& m_scenario;
  const ExecutableInfo& m_executable;
  std::map<std::string, ListedArray> m_known;
  std::optional<Error> m_problem;
};

/// Arguments whose types or shapes the executable cannot take become problems of their steps.
std::optional<Error> checkShapes(const Scenario& scenario, const arrays::NpzReader* reader,
                                 const ExecutableInfo& executable, ScenarioInfo& info) {
  ArrayHeaders headers(reader, scenario, executable);
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    const ScenarioStep& step = scenario.steps[i];
    const auto function = std::ranges::find(executable.functions, step.function, &FunctionInfo::name);
    if (step.isGlobal || function == executable.functions.end() || !info.steps[i].problem.empty()) {
      continue;
    }
    std::vector<ListedArgument> arguments;
    for (const ScenarioArgument& argument : step.arguments) {
      arguments.push_back(headers.argumentOf(argument));
    }
    if (headers.problem()) {
      return headers.problem();
    }
    if (const auto fits = checkListedArguments(function->signature, arguments); !fits) {
      const Error& error = fits.error();
      info.steps[i].problem =
          error.message + " " + error.detail + (error.hint.empty() ? "" : " " + error.hint);
    }
  }
  return std::nullopt;
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
  return Error{ErrorCode::InvalidArgument,
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
  const auto arrays = openArraysFile(*scenario, arraysFile);
  std::optional<Error> unread;
  if (!arrays) {
    unread = arrays.error();
  } else {
    unread = checkShapes(*scenario, *arrays ? &**arrays : nullptr, executable, info);
  }
  if (unread) {
    info.arraysProblem = withoutFolders(*std::move(unread), {scenarioFile, arraysFile});
  }
  info.problem = stepsProblem(info, scenarioFile.filename().string());
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
