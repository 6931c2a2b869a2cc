// SPDX-License-Identifier: Apache-2.0
// The part of remote_program.h that runs steps.
#include <fmt/format.h>

#include <algorithm>

#include "engine/session/ffi_values.h"
#include "engine/session/remote_program.h"
#include "engine/session/remote_traffic.h"

namespace opscope::session {

base::Result<std::unique_ptr<RemoteSequence>> RemoteSequence::prepare(RemoteProgram& program,
                                                                      const CallSequence& sequence) {
  enterPhase(program.board(), report::TrafficPhase::Inputs);
  std::unique_ptr<RemoteSequence> remote(new RemoteSequence(program, sequence));
  for (const CallSequence::Step& step : sequence.steps()) {
    Step& made = remote->m_steps.emplace_back();
    made.arguments.resize(step.arguments.size());
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      if (!needsResults(step.arguments[i])) {
        OPSCOPE_TRY_ASSIGN(
            made.arguments[i],
            program.values().argumentOf(step.arguments[i], {}, CallSequence::placeOf(step, i), made.made));
      }
    }
    remote->m_globals.emplace_back();
    if (step.isGlobal) {
      OPSCOPE_TRY_ASSIGN(remote->m_globals.back(),
                         rpc::globalFunction(program.board().client(), step.function));
      if (remote->m_globals.back().empty()) {
        return base::Error{
            base::ErrorCode::MissingFunction,
            fmt::format("Step {}: the board's server has no function {}.", step.name, step.function),
            fmt::format("Its server is {}.", program.board().serverWords()), ""};
      }
    }
  }
  return remote;
}

bool RemoteSequence::needsResultOf(std::size_t step) const {
  const std::vector<CallSequence::Step>& steps = m_sequence.steps();
  if (!steps[step].out.empty()) {
    return true;
  }
  const auto uses = [step](const auto& self, const InputValue& value) -> bool {
    if (const auto* const tuple = std::get_if<TupleValue>(&value.value)) {
      return std::ranges::any_of(tuple->members,
                                 [&](const InputValue& member) { return self(self, member); });
    }
    const auto* const result = std::get_if<StepResult>(&value.value);
    return result != nullptr && result->step == step;
  };
  return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(step) + 1, steps.end(),
                     [&](const CallSequence::Step& later) {
                       return std::ranges::any_of(
                           later.arguments, [&](const InputValue& argument) { return uses(uses, argument); });
                     });
}

base::Result<> RemoteSequence::giveInputs(std::size_t step) {
  const CallSequence::Step& called = m_sequence.steps()[step];
  const auto known = m_inputsOf.find(called.function);
  if (known != m_inputsOf.end() && known->second == step && called.lateArguments.empty()) {
    return {};
  }
  m_inputsOf.erase(called.function);
  OPSCOPE_TRY(m_program.setInput(called.function, m_steps[step].arguments));
  m_inputsOf[called.function] = step;
  return {};
}

base::Result<> RemoteSequence::runOnce(RemoteDriver& driver) {
  m_results.clear();
  const std::size_t count = m_steps.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (auto done = runStep(i, driver); !done) {
      base::Error error = std::move(done).error();
      if (count > 1 && error.code != base::ErrorCode::Cancelled) {
        error.message = fmt::format("Step {}: {}", m_sequence.steps()[i].name, error.message);
      }
      return error;
    }
  }
  return {};
}

base::Result<> RemoteSequence::runStep(std::uint32_t index, RemoteDriver& driver) {
  const CallSequence::Step& step = m_sequence.steps()[index];
  Step& made = m_steps[index];
  made.madeLate.clear();
  for (const std::size_t argument : step.lateArguments) {
    OPSCOPE_TRY_ASSIGN(made.arguments[argument],
                       m_program.values().argumentOf(step.arguments[argument], m_results,
                                                     CallSequence::placeOf(step, argument), made.madeLate));
  }
  if (step.isGlobal) {
    OPSCOPE_TRY_ASSIGN(rpc::CallResult result, driver.call(index, m_globals[index].get(), made.arguments));
    m_results.push_back(m_program.values().take(std::move(result)));
    return {};
  }
  OPSCOPE_TRY(giveInputs(index));
  OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle invoke, m_program.function("invoke_stateful"));
  const rpc::Value name = step.function;
  OPSCOPE_TRY(driver.call(index, invoke, {&name, 1}));
  if (!needsResultOf(index)) {
    m_results.emplace_back();
    return {};
  }
  OPSCOPE_TRY_ASSIGN(RemoteValue result, m_program.output(step.function));
  m_results.push_back(std::move(result));
  return {};
}

base::Result<Outputs> RemoteSequence::outputs() {
  Outputs outputs;
  for (std::size_t i = 0; i < m_results.size(); ++i) {
    const CallSequence::Step& step = m_sequence.steps()[i];
    if (step.out.empty()) {
      continue;
    }
    std::deque<RemoteValue> made;
    const RemoteValue* value = &m_results[i];
    if (step.only) {
      OPSCOPE_TRY_ASSIGN(value, m_program.values().memberOf(
                                    *value, *step.only, fmt::format("Step {}, \"only\"", step.name), made));
    }
    OPSCOPE_TRY(m_program.values().addOutput(step.out, *value, outputs));
  }
  return outputs;
}

}  // namespace opscope::session
