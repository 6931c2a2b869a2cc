// SPDX-License-Identifier: Apache-2.0
// A scenario: calls that share state, read from JSON. Plain values; any thread that may wait for files.
//
//   {"steps": [{"func": NAME | "global": NAME, "args": [ARG...], "only": MEMBER, "out": KEY}...], ...notes}
//   ARG = {"npz": KEY} | {"shape": [..]} | {"int": 1} | {"float": 1.5} | {"bool": true} | {"string": ".."} |
//         {"none": true} | {"tuple": [KEY | ARG...]} | {"ret": STEP, "index": MEMBER | [MEMBER...],
//         "reshape": [..]}
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/arrays/npz.h"
#include "engine/base/result.h"
#include "engine/session/input_value.h"

namespace opscope::session {

struct ScenarioArgument;

/// An array of the file given by --inputs.
struct ArrayKey {
  std::string key;
};
struct ScenarioTuple {
  std::vector<ScenarioArgument> members;
};
struct ScenarioArgument {
  std::string place;  ///< where it stands: "steps[2].args[0]"
  std::variant<NoneValue, ArrayKey, ShapeValue, std::int64_t, double, bool, std::string, ScenarioTuple,
               StepResult>
      value;
};

struct ScenarioStep {
  std::string function;  ///< of the executable, or of the registry when isGlobal
  bool isGlobal = false;
  std::vector<ScenarioArgument> arguments;
  std::optional<std::int64_t> only;  ///< the member that `out` saves
  std::string out;                   ///< key in OUT.npz; empty: the result is not saved
};

struct Scenario {
  std::string file;  ///< for messages
  std::vector<ScenarioStep> steps;
};

/// Errors: Format, naming the file, the place ("steps[2].args[0]"), what was found and what was expected.
base::Result<Scenario> parseScenario(std::string_view json, std::string_view fileForMessages);

/// `hash`, if wanted, gets that of the file's content. Errors: NotFound, Io and those above.
base::Result<Scenario> readScenario(const std::filesystem::path& path, std::string* hash = nullptr);

/// An array that the scenario takes.
struct ScenarioKey {
  std::string key;
  std::string place;  ///< where it stands: "steps[2].args[0]"
};

/// In order of the steps; a key that stands in several places comes several times.
std::vector<ScenarioKey> arrayKeys(const Scenario& scenario);

/// Holds the keys against the file's list of arrays; reads no array. Nothing when the scenario takes none.
/// Errors: InvalidArgument (arrays are taken and no file is given), NotFound naming every missing key with
/// its place, errors of the file.
base::Result<std::optional<arrays::NpzReader>> openArraysFile(const Scenario& scenario,
                                                              const std::filesystem::path& arraysFile);

/// Of each step, unique: "prefill"; a function that is called more than once gets a number: "decode #1".
std::vector<std::string> stepNames(const Scenario& scenario);

/// In short words: "in/ids", "ret 2", "tuple of 15", "shape [1, 7]", "int 3".
std::string describeArgument(const ScenarioArgument& argument);

/// A step with its arrays read; `arguments` may hold StepResult, also within tuples.
struct ResolvedStep {
  std::string name;  ///< unique, for Run::steps: "prefill", "decode #1", "decode #2"
  std::string function;
  bool isGlobal = false;
  std::vector<InputValue> arguments;
  std::optional<std::int64_t> only;
  std::string out;
};

/// Reads every array that the scenario names, each once. `arraysFile` may be empty when it names none.
/// Errors: InvalidArgument (no file given), NotFound naming every missing key with its place, errors of the
/// file.
base::Result<std::vector<ResolvedStep>> resolveScenario(const Scenario& scenario,
                                                        const std::filesystem::path& arraysFile);

}  // namespace opscope::session
