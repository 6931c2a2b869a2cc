// SPDX-License-Identifier: Apache-2.0
// A scenario's arrays are read and its steps get names.
#include <fmt/format.h>

#include <map>

#include "engine/base/near_match.h"
#include "engine/session/scenario.h"

namespace opscope::session {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

/// Calls `f` with each array key of the arguments, nested ones too.
template <class F>
void forEachKey(const std::vector<ScenarioArgument>& arguments, F&& f) {
  for (const ScenarioArgument& argument : arguments) {
    if (const auto* key = std::get_if<ArrayKey>(&argument.value)) {
      f(argument, key->key);
    } else if (const auto* tuple = std::get_if<ScenarioTuple>(&argument.value)) {
      forEachKey(tuple->members, f);
    }
  }
}

using Arrays = std::map<std::string, arrays::Array>;

InputValue resolveArgument(const ScenarioArgument& argument, const Arrays& arrays) {
  struct Visit {
    const Arrays& arrays;
    InputValue operator()(const ArrayKey& key) const { return {arrays.at(key.key)}; }
    InputValue operator()(const ScenarioTuple& tuple) const {
      TupleValue value;
      for (const ScenarioArgument& member : tuple.members) {
        value.members.push_back(resolveArgument(member, arrays));
      }
      return {std::move(value)};
    }
    InputValue operator()(const NoneValue& value) const { return {value}; }
    InputValue operator()(const ShapeValue& value) const { return {value}; }
    InputValue operator()(std::int64_t value) const { return {value}; }
    InputValue operator()(double value) const { return {value}; }
    InputValue operator()(bool value) const { return {value}; }
    InputValue operator()(const std::string& value) const { return {value}; }
    InputValue operator()(const StepResult& value) const { return {value}; }
  };
  return std::visit(Visit{arrays}, argument.value);
}

/// Every key that the file lacks, in one error.
Result<> checkKeys(const Scenario& scenario, const arrays::NpzReader& reader) {
  std::vector<std::string> missing;
  std::string hint;
  for (const ScenarioStep& step : scenario.steps) {
    forEachKey(step.arguments, [&](const ScenarioArgument& argument, const std::string& key) {
      if (!reader.has(key)) {
        missing.push_back(fmt::format("\"{}\" ({})", key, argument.place));
        const std::string near = hint.empty() ? base::nearMatch(key, reader.keys()) : "";
        hint = near.empty() ? hint : fmt::format("Did you mean \"{}\"?", near);
      }
    });
  }
  if (missing.empty()) {
    return {};
  }
  return Error{
      ErrorCode::NotFound,
      fmt::format("{}: {} lacks {}.", scenario.file, reader.path().string(), base::joinNames(missing)),
      fmt::format("The arrays file holds {}.", base::joinNames(reader.keys())), hint};
}

Result<Arrays> readArrays(const Scenario& scenario, const std::filesystem::path& arraysFile) {
  std::vector<std::string> keys;
  std::string firstPlace;
  for (const ScenarioStep& step : scenario.steps) {
    forEachKey(step.arguments, [&](const ScenarioArgument& argument, const std::string& key) {
      firstPlace = keys.empty() ? argument.place : firstPlace;
      keys.push_back(key);
    });
  }
  Arrays read;
  if (keys.empty()) {
    return read;
  }
  if (arraysFile.empty()) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{}: the scenario needs a file of arrays.", scenario.file),
                 fmt::format("{} takes the array \"{}\".", firstPlace, keys.front()),
                 "Give the file with --inputs FILE.npz."};
  }
  OPSCOPE_TRY_ASSIGN(const arrays::NpzReader reader, arrays::NpzReader::open(arraysFile));
  OPSCOPE_TRY(checkKeys(scenario, reader));
  for (const std::string& key : keys) {
    if (read.find(key) == read.end()) {
      OPSCOPE_TRY_ASSIGN(arrays::Array array, reader.read(key));
      read.emplace(key, std::move(array));
    }
  }
  return read;
}

/// "prefill"; a function that is called more than once gets a number: "decode #1", "decode #2".
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

}  // namespace

Result<std::vector<ResolvedStep>> resolveScenario(const Scenario& scenario,
                                                  const std::filesystem::path& arraysFile) {
  OPSCOPE_TRY_ASSIGN(const Arrays arrays, readArrays(scenario, arraysFile));
  const std::vector<std::string> names = stepNames(scenario);
  std::vector<ResolvedStep> steps;
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    const ScenarioStep& step = scenario.steps[i];
    ResolvedStep resolved{names[i], step.function, step.isGlobal, {}, step.only, step.out};
    for (const ScenarioArgument& argument : step.arguments) {
      resolved.arguments.push_back(resolveArgument(argument, arrays));
    }
    steps.push_back(std::move(resolved));
  }
  return steps;
}

}  // namespace opscope::session
