// SPDX-License-Identifier: Apache-2.0
// Plays a scenario on a Target: the same steps and arguments on both sides of a comparison. Single-threaded.
#pragma once

#include <tvm/ffi/any.h>

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
  /// All steps from the first.
  void play();

 private:
  struct Step {
    std::string function;
    std::vector<session::InputValue> values;
    std::vector<tvm::ffi::Any> arguments;
    bool usesResults = false;
  };
  Target& m_target;
  std::vector<Step> m_steps;
  std::vector<tvm::ffi::Any> m_results;
};

}  // namespace opscope::bench
