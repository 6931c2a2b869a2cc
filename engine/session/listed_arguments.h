// SPDX-License-Identifier: Apache-2.0
// Arguments of a call whose arrays are known by their headers only: what can be said of a scenario before its
// arrays are read. Plain values; any thread.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/array_listing.h"
#include "engine/session/input_value.h"
#include "engine/vm/signature.h"

namespace opscope::session {

struct ListedArgument {
  /// A value, an array that is not read, or a tuple of such.
  std::variant<InputValue, ListedArray, std::vector<ListedArgument>> value;
  std::string source = {};  ///< "the result of step 0"; empty: an array is called by its key
};

/// The result of an earlier step as far as the signature of its function tells it: a tensor of fixed size. Of
/// all else, and without a signature, it is a value that the check leaves to the run.
ListedArgument listedResult(const StepResult& result, const vm::Signature* signature);

/// As checkArguments: kinds, types, shapes, and free dimensions that contradict each other. Arrays are called
/// by their keys. Errors: InvalidArgument naming each parameter that does not fit, what it needs and what was
/// given.
base::Result<> checkListedArguments(const vm::Signature& signature,
                                    const std::vector<ListedArgument>& arguments);

}  // namespace opscope::session
