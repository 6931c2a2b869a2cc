// SPDX-License-Identifier: Apache-2.0
// INPUTS: the words in which a person gives values to parameters, and what becomes of them. Plain values, no
// tvm-ffi; any thread that may wait for files. Nothing here is made while a clock runs.
//
//   VALUE  = [SHAPE:][TYPE:]KIND | SHAPE[:TYPE]
//   SHAPE  = 1x3x224x224 | scalar
//   TYPE   = float32, int64, bool, bfloat16, ...
//   KIND   = random[:SEED[:LO:HI]] | zeros | ones | range | const:NUMBER | @FILE.npy | @FILE.npz:KEY
//
// A shape parameter takes SHAPE alone (2x3); a string parameter takes the text as it stands. A member of a
// tuple is named x/0, x/1/0. Random numbers: xoshiro256** seeded by splitmix64(seed + position of the
// parameter); floats are uniform in [LO, HI), integers in LO to HI with both ends; without LO:HI these are 0
// and 1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/base/result.h"
#include "engine/session/array_listing.h"
#include "engine/session/input_value.h"
#include "engine/session/requests.h"
#include "engine/vm/signature.h"

namespace opscope::session {

/// A number as written, kept exact: 3, 18446744073709551615, -0.5, inf, nan, true.
struct Number {
  double floating = 0;
  std::optional<std::int64_t> integer;           ///< set when it is whole and fits
  std::optional<std::uint64_t> unsignedInteger;  ///< set when it is whole, not negative and fits
};

/// One VALUE, taken apart.
struct InputSpec {
  enum class Kind { Random, Zeros, Ones, Range, Constant, File };
  std::optional<std::vector<std::int64_t>> shape;
  std::optional<arrays::ElementType> type;
  Kind kind = Kind::Random;
  bool kindGiven = false;  ///< false: only a shape or type was written
  std::uint64_t seed = 0;
  std::optional<std::pair<Number, Number>> range;  ///< LO and HI of random
  Number constant;
  std::string file;
  std::string key;                 ///< of an npz file
  std::string words = "random:0";  ///< the KIND as written, for descriptions
};

/// Errors: InvalidArgument, saying what was found and what may stand there.
base::Result<InputSpec> parseInputSpec(std::string_view text);

/// "NAME=VALUE" of --input and "N=8" of --dim, parted at the first "=". Errors: InvalidArgument.
base::Result<std::pair<std::string, std::string>> parseInputAssignment(std::string_view text);
base::Result<std::pair<std::string, std::int64_t>> parseDimensionAssignment(std::string_view text);

struct ResolvedInputs {
  std::vector<InputValue> arguments;               ///< one a parameter
  std::map<std::string, std::int64_t> dimensions;  ///< every free dimension with its size
  std::string description;                         ///< for Run::inputs: "x float32 [1, 3] random:0; n = 1"
};

/// Makes the argument values of a function. Everything is checked before anything is made: names (with the
/// known ones and the nearest), ranks, shapes, types, dimensions that contradict each other or have no size,
/// and total memory. Errors: InvalidArgument naming the parameter, what it needs and what was given; those of
/// the files; OutOfMemory. When one input or free dimension is at fault, its name goes to `faulty`.
base::Result<ResolvedInputs> resolveInputs(const InputPlan& plan, const vm::Signature& signature,
                                           std::string* faulty = nullptr);

/// What is wrong with one field of a form.
struct InputProblem {
  std::string name;  ///< parameter, member ("x/0") or free dimension; empty: the plan as a whole
  base::Error error;
};

/// The checks of resolveInputs that need no file; every problem, not only the first. Opens no file, so the
/// GUI's thread may call it. Of files that are listed in `listings` type, shape and keys are checked too.
std::vector<InputProblem> checkInputPlan(const InputPlan& plan, const vm::Signature& signature,
                                         const ArrayListings& listings = {});

/// Free dimensions of `signature` that neither `plan.dimensions` nor a shape in `plan.values` gives a size,
/// in order. Files are not opened: dimensions that only files could tell are listed too.
std::vector<std::string> missingDimensions(const InputPlan& plan, const vm::Signature& signature);

/// What a form begins with: size 1 for each free dimension.
std::map<std::string, std::int64_t> defaultDimensions(const vm::Signature& signature);

/// Holds given values against a signature (used for the steps of a scenario; results of earlier steps are not
/// known yet and pass). Errors: InvalidArgument as above.
base::Result<> checkArguments(const vm::Signature& signature, const std::vector<InputValue>& arguments);

/// The words of a command line that give the same call: {"--dim", "n=8", "--input", "x=random:0"}, after
/// {"-f", "main"} or {"--scenario", "FILE.json"} where the plan has them.
std::vector<std::string> commandLineWords(const InputPlan& plan);
std::vector<std::string> commandLineWords(const CallPlan& plan);

/// Joins words for a POSIX shell, quoting where needed.
std::string shellCommand(const std::vector<std::string>& words);

}  // namespace opscope::session
