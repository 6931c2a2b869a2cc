// SPDX-License-Identifier: Apache-2.0
// Plays a scenario on a Target: the same steps and arguments on both sides of a comparison. Single-threaded.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/session/scenario.h"
#include "tests/bench/bench_target.h"

namespace opscope::bench {

class ScenarioPlayer {
 public:
  /// Throws std::runtime_error when the files cannot be read. Arguments become tensors here, before any clock
  /// runs.
  ScenarioPlayer(Target& target, const std::string& scenarioFile, const std::string& arraysFile);
  /// All steps, or those from `repeatFrom` on with what the steps before have left.
  void play();
  /// Plays the steps before `step` now and leaves them out from then on.
  void repeatFrom(std::size_t step);

 private:
  struct Step {
    std::string function;
    std::vector<session::InputValue> values;
    std::vector<tvm::ffi::Any> arguments;
    bool usesResults = false;
    bool isGlobal = false;
    std::optional<tvm::ffi::Function> global;
  };
  void playSteps(std::size_t first, std::size_t end);
  tvm::ffi::Any callGlobal(const Step& step);

  Target& m_target;
  std::vector<Step> m_steps;
  std::vector<tvm::ffi::Any> m_results;
  std::vector<tvm::ffi::AnyView> m_views;
  std::size_t m_first = 0;
};

}  // namespace opscope::bench
