// SPDX-License-Identifier: Apache-2.0
// Errors as values. Any thread; an Error is a plain value that its holder owns.
#pragma once

#include <string>
#include <string_view>

namespace opscope::base {

/// What kind of failure it was. Cancelled is an outcome that travels the same way, not a fault.
enum class ErrorCode {
  InvalidArgument,
  NotFound,
  Io,
  Format,
  Unsupported,
  MissingFunction,
  KernelFailed,
  Remote,
  ConnectionLost,
  Timeout,
  OutOfMemory,
  Cancelled,
  Internal,
};

/// The code's name as written above, for logs and JSON.
std::string_view errorCodeName(ErrorCode code);

/// A failure told to a person: what went wrong and where (message), what was found and expected (detail),
/// what to do (hint). Detail and hint may be empty. The words are made where the error is made.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::string detail;
  std::string hint;
};

/// Several lines for a terminal: "opscope: error: MESSAGE", then "  DETAIL" and "  hint: HINT" where present.
std::string formatError(const Error& error);

}  // namespace opscope::base
