// SPDX-License-Identifier: Apache-2.0
// What becomes of requests that do not say which function they mean. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/executable_info.h"

namespace opscope::session {

/// Where no function is called main and several are public.
enum class FunctionChoice {
  FirstPublic,  ///< for programs that show which one it is
  Refused,      ///< an error that names them; RequestFailed::input is then kFunctionInput
};

inline constexpr const char* kFunctionInput = "--function";

/// The public functions where the default is but the first of several; else none.
std::vector<std::string> functionsToChooseFrom(const ExecutableInfo& info);

/// Errors: InvalidArgument with the functions that there are, when one has to be named.
base::Result<> checkHasDefault(const ExecutableInfo& info);

}  // namespace opscope::session
