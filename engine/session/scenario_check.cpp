// SPDX-License-Identifier: Apache-2.0
// What a scenario takes and calls, before any array is read.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/near_match.h"
#include "engine/session/scenario.h"

namespace opscope::session {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

void collectKeys(const std::vector<ScenarioArgument>& arguments, std::vector<ScenarioKey>& keys) {
  for (const ScenarioArgument& argument : arguments) {
    if (const auto* key = std::get_if<ArrayKey>(&argument.value)) {
      keys.push_back({key->key, argument.place});
    } else if (const auto* tuple = std::get_if<ScenarioTuple>(&argument.value)) {
      collectKeys(tuple->members, keys);
    }
  }
}

/// Every key that the file lacks, in one error.
Result<> checkKeys(const Scenario& scenario, const std::vector<ScenarioKey>& keys,
                   const arrays::NpzReader& reader) {
  std::vector<std::string> missing;
  std::string hint;
  for (const ScenarioKey& wanted : keys) {
    if (reader.has(wanted.key)) {
      continue;
    }
    missing.push_back(fmt::format("\"{}\" ({})", wanted.key, wanted.place));
    const std::string near = hint.empty() ? base::nearMatch(wanted.key, reader.keys()) : "";
    hint = near.empty() ? hint : fmt::format("Did you mean \"{}\"?", near);
  }
  if (missing.empty()) {
    return {};
  }
  return Error{
      ErrorCode::NotFound,
      fmt::format("{}: {} lacks {}.", scenario.file, reader.path().string(), base::joinNames(missing)),
      fmt::format("The arrays file holds {}.", base::joinNames(reader.keys())), hint};
}

std::string describeResult(const StepResult& result) {
  std::string text = fmt::format("ret {}", result.step);
  for (const std::int64_t member : result.index) {
    text += fmt::format(".{}", member);
  }
  return result.reshaped ? text + " as " + arrays::shapeText(result.shape) : text;
}

}  // namespace

std::vector<ScenarioKey> arrayKeys(const Scenario& scenario) {
  std::vector<ScenarioKey> keys;
  for (const ScenarioStep& step : scenario.steps) {
    collectKeys(step.arguments, keys);
  }
  return keys;
}

Result<std::optional<arrays::NpzReader>> openArraysFile(const Scenario& scenario,
                                                        const std::filesystem::path& arraysFile) {
  const std::vector<ScenarioKey> keys = arrayKeys(scenario);
  if (keys.empty()) {
    return std::nullopt;
  }
  if (arraysFile.empty()) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{}: the scenario needs a file of arrays.", scenario.file),
                 fmt::format("{} takes the array \"{}\".", keys.front().place, keys.front().key),
                 "Give the file with --inputs FILE.npz."};
  }
  OPSCOPE_TRY_ASSIGN(arrays::NpzReader reader, arrays::NpzReader::open(arraysFile));
  OPSCOPE_TRY(checkKeys(scenario, keys, reader));
  return std::optional(std::move(reader));
}

std::vector<std::string> stepNames(const Scenario& scenario) {
  std::map<std::string, std::size_t> total;
  for (const ScenarioStep& step : scenario.steps) {
    ++total[step.function];
  }
  std::map<std::string, std::size_t> seen;
  std::vector<std::string> names;
  for (const ScenarioStep& step : scenario.steps) {
    const std::size_t number = ++seen[step.function];
    names.push_back(total[step.function] == 1 ? step.function : fmt::format("{} #{}", step.function, number));
  }
  return names;
}

std::string describeArgument(const ScenarioArgument& argument) {
  struct Visit {
    std::string operator()(const NoneValue&) const { return "none"; }
    std::string operator()(const ArrayKey& key) const { return key.key; }
    std::string operator()(const ShapeValue& shape) const {
      return "shape " + arrays::shapeText(shape.values);
    }
    std::string operator()(std::int64_t value) const { return fmt::format("int {}", value); }
    std::string operator()(double value) const { return fmt::format("float {}", value); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const std::string& value) const { return fmt::format("\"{}\"", value); }
    std::string operator()(const ScenarioTuple& tuple) const {
      return fmt::format("tuple of {}", tuple.members.size());
    }
    std::string operator()(const StepResult& result) const { return describeResult(result); }
  };
  return std::visit(Visit{}, argument.value);
}

}  // namespace opscope::session
