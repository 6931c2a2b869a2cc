// SPDX-License-Identifier: Apache-2.0
#include "engine/session/call_sequence.h"

#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/near_match.h"
#include "engine/report/run_report.h"
#include "engine/session/ffi_values.h"
#include "engine/session/input_spec.h"
#include "engine/session/listed_arguments.h"

namespace opscope::session {

namespace ffi = tvm::ffi;

base::Result<const FunctionInfo*> findFunctionInfo(const ExecutableInfo& info, const std::string& name) {
  const auto place = std::ranges::find(info.functions, name, &FunctionInfo::name);
  if (place != info.functions.end()) {
    return &*place;
  }
  std::vector<std::string> names;
  for (const FunctionInfo& function : info.functions) {
    names.push_back(function.name);
  }
  const std::string near = base::nearMatch(name, names);
  return base::Error{base::ErrorCode::NotFound,
                     fmt::format("{} has no function \"{}\".", info.fileName, name),
                     fmt::format("It has: {}.", base::joinNames(names)),
                     near.empty() ? std::string() : fmt::format("Did you mean \"{}\"?", near)};
}

namespace {

std::vector<ListedArgument> listedArguments(const ResolvedStep& step, const std::vector<ResolvedStep>& steps,
                                            const ExecutableInfo& info) {
  std::vector<ListedArgument> listed;
  for (const InputValue& argument : step.arguments) {
    const auto* result = std::get_if<StepResult>(&argument.value);
    if (result == nullptr) {
      listed.push_back({argument});
      continue;
    }
    const ResolvedStep& source = steps[result->step];
    const auto function = source.isGlobal ? base::Result<const FunctionInfo*>(nullptr)
                                          : findFunctionInfo(info, source.function);
    listed.push_back(
        listedResult(*result, function && *function != nullptr ? &(*function)->signature : nullptr));
  }
  return listed;
}

/// Whether each step's function takes its arguments: all that do not fit, in one error.
base::Result<> checkSteps(const std::string& file, const std::vector<ResolvedStep>& steps,
                          const ExecutableInfo& info) {
  constexpr std::size_t kTold = 4;
  std::vector<base::Error> misfits;
  for (const ResolvedStep& step : steps) {
    if (step.isGlobal) {
      continue;
    }
    OPSCOPE_TRY_ASSIGN(const FunctionInfo* function, findFunctionInfo(info, step.function));
    if (auto fits = checkListedArguments(function->signature, listedArguments(step, steps, info)); !fits) {
      misfits.push_back(std::move(fits).error());
      misfits.back().message = fmt::format("step {}: {}", step.name, misfits.back().message);
    }
  }
  if (misfits.empty()) {
    return {};
  }
  base::Error all = std::move(misfits.front());
  all.message = fmt::format("{}, {}", file, all.message);
  for (std::size_t i = 1; i < std::min(misfits.size(), kTold); ++i) {
    all.detail += fmt::format("\n{} {}", misfits[i].message, misfits[i].detail);
  }
  if (misfits.size() > kTold) {
    all.detail += fmt::format("\nAnd {} more steps.", misfits.size() - kTold);
  }
  return all;
}

/// For those who read it later, from another folder.
std::string absolutePath(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path.string() : whole.lexically_normal().string();
}

/// "", "/1", "/0/2": where the tensor with its elements at `data` stands in `value`.
std::optional<std::string> memberAt(const ffi::Any& value, const void* data) {
  if (const auto* tensor = value.as<ffi::TensorObj>()) {
    return tensor->data == data ? std::optional<std::string>("") : std::nullopt;
  }
  if (const auto* members = value.as<ffi::ArrayObj>()) {
    for (std::size_t i = 0; i < members->size(); ++i) {
      if (const auto member = memberAt(members->begin()[i], data)) {
        return fmt::format("/{}{}", i, *member);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

base::Result<CallSequence> CallSequence::prepare(const CallPlan& plan, const ExecutableInfo& info,
                                                 std::string* faulty) {
  return plan.scenarioFile.empty() ? prepareFunction(plan, info, faulty) : prepareScenario(plan, info);
}

base::Result<CallSequence> CallSequence::prepareFunction(const CallPlan& plan, const ExecutableInfo& info,
                                                         std::string* faulty) {
  const std::string name = plan.function.empty() ? defaultFunction(info) : plan.function;
  OPSCOPE_TRY_ASSIGN(const FunctionInfo* function, findFunctionInfo(info, name));
  OPSCOPE_TRY_ASSIGN(ResolvedInputs inputs, resolveInputs(plan.inputs, function->signature, faulty));
  CallSequence sequence;
  sequence.m_title = name;
  sequence.m_inputs = std::move(inputs.description);
  ResolvedStep step;
  step.name = step.function = name;
  step.arguments = std::move(inputs.arguments);
  step.out = "out";
  OPSCOPE_TRY(sequence.addStep(std::move(step), &function->signature));
  return sequence;
}

base::Result<CallSequence> CallSequence::prepareScenario(const CallPlan& plan, const ExecutableInfo& info) {
  if (!plan.inputs.values.empty() || !plan.inputs.dimensions.empty() || !plan.function.empty()) {
    return base::Error{base::ErrorCode::InvalidArgument, "A scenario names its functions and inputs itself.",
                       "A function, input values or dimensions were given beside it.",
                       "Leave out --function, --input and --dim, or the scenario."};
  }
  std::string hash;
  OPSCOPE_TRY_ASSIGN(const Scenario scenario, readScenario(plan.scenarioFile, &hash));
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    if (!scenario.steps[i].isGlobal) {  // before arrays are read, which may take long
      if (auto found = findFunctionInfo(info, scenario.steps[i].function); !found) {
        base::Error error = std::move(found).error();
        error.message = fmt::format("{}, steps[{}]: {}", scenario.file, i, error.message);
        return error;
      }
    }
  }
  OPSCOPE_TRY_ASSIGN(std::vector<ResolvedStep> steps, resolveScenario(scenario, plan.inputs.arraysFile));
  CallSequence sequence;
  const std::filesystem::path file(plan.scenarioFile);
  sequence.m_title = file.filename().string();
  sequence.m_inputs = plan.inputs.arraysFile.empty() ? std::string() : absolutePath(plan.inputs.arraysFile);
  sequence.m_facts = {{std::string(report::kScenarioFact), absolutePath(file)},
                      {std::string(report::kScenarioHashFact), hash}};
  OPSCOPE_TRY(checkSteps(scenario.file, steps, info));
  for (ResolvedStep& step : steps) {
    const vm::Signature* signature = nullptr;
    if (!step.isGlobal) {
      OPSCOPE_TRY_ASSIGN(const FunctionInfo* function, findFunctionInfo(info, step.function));
      signature = &function->signature;
    }
    OPSCOPE_TRY(sequence.addStep(std::move(step), signature));
  }
  return sequence;
}

void CallSequence::describe(report::Run& run) const {
  run.function = m_title;
  run.inputs = m_inputs;
  run.environment.insert(run.environment.end(), m_facts.begin(), m_facts.end());
}

base::Result<> CallSequence::addStep(ResolvedStep resolved, const vm::Signature* signature) {
  Step step{std::move(resolved.name),
            std::move(resolved.function),
            resolved.isGlobal,
            std::move(resolved.arguments),
            {},
            {},
            {},
            resolved.only,
            std::move(resolved.out)};
  step.values.resize(step.arguments.size());
  for (std::size_t i = 0; signature != nullptr && i < signature->parameters.size(); ++i) {
    step.argumentNames.push_back(signature->parameters[i].name);
  }
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    if (needsResults(step.arguments[i])) {
      step.lateArguments.push_back(i);
    } else {
      OPSCOPE_TRY_ASSIGN(step.values[i], valueOf(step.arguments[i], {}, placeOf(step, i)));
    }
  }
  m_steps.push_back(std::move(step));
  return {};
}

std::string CallSequence::placeOf(const Step& step, std::size_t argument) {
  return fmt::format("Step {}, argument {}", step.name, argument);
}

base::Result<> CallSequence::runOnce(vm::VirtualMachine& machine, profile::StepMarks* marks) {
  m_results.clear();
  m_results.reserve(m_steps.size());
  for (std::uint32_t i = 0; i < m_steps.size(); ++i) {
    Step& step = m_steps[i];
    for (const std::size_t argument : step.lateArguments) {
      OPSCOPE_TRY_ASSIGN(step.values[argument],
                         valueOf(step.arguments[argument], m_results, placeOf(step, argument)));
    }
    if (marks != nullptr) {
      marks->beginStep(i);
    }
    auto result = step.isGlobal ? machine.invokeGlobal(step.function, step.values)
                                : machine.invoke(step.function, step.values);
    if (marks != nullptr) {
      marks->endStep();
    }
    for (const std::size_t argument : step.lateArguments) {
      step.values[argument] = ffi::Any();
    }
    if (!result) {
      base::Error error = std::move(result).error();
      if (m_steps.size() > 1 && error.code != base::ErrorCode::Cancelled) {
        error.message = fmt::format("Step {}: {}", step.name, error.message);
      }
      return error;
    }
    m_results.push_back(std::move(*result));
  }
  return {};
}

base::Result<Outputs> CallSequence::outputs() const {
  Outputs outputs;
  for (std::size_t i = 0; i < m_results.size(); ++i) {
    const Step& step = m_steps[i];
    if (step.out.empty()) {
      continue;
    }
    ffi::Any value = m_results[i];
    if (step.only) {
      OPSCOPE_TRY_ASSIGN(value, memberOf(value, *step.only, fmt::format("Step {}, \"only\"", step.name)));
    }
    OPSCOPE_TRY(addOutput(step.out, value, outputs));
  }
  return outputs;
}

std::string CallSequence::argumentAt(const void* data) const {
  for (const Step& step : m_steps) {
    for (std::size_t i = 0; i < step.values.size(); ++i) {
      const std::optional<std::string> member = memberAt(step.values[i], data);
      if (!member) {
        continue;
      }
      const bool isNamed = i < step.argumentNames.size() && !step.argumentNames[i].empty();
      const std::string name = isNamed ? fmt::format("input {}{}", step.argumentNames[i], *member)
                                       : fmt::format("argument {}{}", i, *member);
      return m_steps.size() == 1 ? name : fmt::format("{} of step {}", name, step.name);
    }
  }
  return {};
}

void CallSequence::release() {
  m_results.clear();
  for (Step& step : m_steps) {
    step.values.clear();
    step.arguments.clear();
  }
}

std::vector<std::string> CallSequence::stepNames() const {
  std::vector<std::string> names;
  for (const Step& step : m_steps) {
    names.push_back(step.name);
  }
  return names;
}

}  // namespace opscope::session
