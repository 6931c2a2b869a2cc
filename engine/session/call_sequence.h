// SPDX-License-Identifier: Apache-2.0
// What a request calls, ready to run again and again: one function with its inputs, or the steps of a
// scenario. Made, used and destroyed on the worker; owns arguments and the last results.
#pragma once

#include <tvm/ffi/any.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/profile/profiler.h"
#include "engine/report/run.h"
#include "engine/session/executable_info.h"
#include "engine/session/outputs.h"
#include "engine/session/requests.h"
#include "engine/session/scenario.h"
#include "engine/vm/virtual_machine.h"

namespace opscope::session {

class CallSequence {
 public:
  struct Step {
    std::string name;
    std::string function;
    bool isGlobal = false;
    std::vector<InputValue> arguments;
    std::vector<std::string> argumentNames;  // as far as they are known
    std::vector<tvm::ffi::Any> values;       // of `arguments`; those that need results are set anew each time
    std::vector<std::size_t> lateArguments;  // positions of these
    std::optional<std::int64_t> only;
    std::string out;
  };

  /// Makes all inputs and checks every argument against the signatures, before anything runs. Errors: those
  /// of resolveInputs and resolveScenario; NotFound for a function that the executable does not have.
  /// `faulty` gets the name of the input that is wrong, where one is.
  static base::Result<CallSequence> prepare(const CallPlan& plan, const ExecutableInfo& info,
                                            std::string* faulty = nullptr);

  /// All steps once from the first; results of the time before are freed first. `marks` may be null.
  /// Errors: the machine's; Cancelled after a stop.
  base::Result<> runOnce(vm::VirtualMachine& machine, profile::StepMarks* marks);

  /// The results of the last run that are to be saved, in order of the steps. Errors: those of addOutput; a
  /// step's `only` that its result does not have.
  base::Result<Outputs> outputs() const;

  /// "input x", "argument 2 of step prefill": whose memory `data` is; "" for memory that is no argument.
  std::string argumentAt(const void* data) const;

  /// Frees arguments and results.
  void release();

  std::vector<std::string> stepNames() const;
  /// For those who run the steps elsewhere.
  const std::vector<Step>& steps() const { return m_steps; }
  /// "Step decode, argument 2".
  static std::string placeOf(const Step& step, std::size_t argument);
  /// For Run::function: the function's name or the scenario's file name.
  const std::string& title() const { return m_title; }
  /// For Run::inputs.
  const std::string& inputsDescription() const { return m_inputs; }
  /// Function and inputs of what was measured, and of a scenario the facts that it can be run again by.
  void describe(report::Run& run) const;

 private:
  static base::Result<CallSequence> prepareFunction(const CallPlan& plan, const ExecutableInfo& info,
                                                    std::string* faulty);
  static base::Result<CallSequence> prepareScenario(const CallPlan& plan, const ExecutableInfo& info);
  base::Result<> addStep(ResolvedStep step, const vm::Signature* signature);

  std::vector<Step> m_steps;
  std::vector<tvm::ffi::Any> m_results;  // of the steps, at the last run
  std::string m_title;
  std::string m_inputs;
  std::vector<report::Fact> m_facts;
};

/// The function called `name` in the executable. Errors: NotFound naming the functions there are.
base::Result<const FunctionInfo*> findFunctionInfo(const ExecutableInfo& info, const std::string& name);

}  // namespace opscope::session
