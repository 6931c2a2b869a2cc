// SPDX-License-Identifier: Apache-2.0
// A scenario's arrays are read.
#include <map>

#include "engine/session/scenario.h"

namespace opscope::session {

namespace {

using base::Result;

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

Result<Arrays> readArrays(const Scenario& scenario, const std::filesystem::path& arraysFile) {
  OPSCOPE_TRY_ASSIGN(const std::optional<arrays::NpzReader> reader, openArraysFile(scenario, arraysFile));
  Arrays read;
  if (!reader) {
    return read;
  }
  for (const ScenarioKey& wanted : arrayKeys(scenario)) {
    if (read.find(wanted.key) == read.end()) {
      OPSCOPE_TRY_ASSIGN(arrays::Array array, reader->read(wanted.key));
      read.emplace(wanted.key, std::move(array));
    }
  }
  return read;
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
