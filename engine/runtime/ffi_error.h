// SPDX-License-Identifier: Apache-2.0
// The one door through which exceptions of tvm-ffi, and of the standard library under it, become Result.
// Any thread; values only.
#pragma once

#include <tvm/ffi/error.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/base/result.h"

namespace opscope::runtime {

/// An error as raised by tvm-ffi, told to a person: "WHERE: MESSAGE", the kind ("ValueError") and causes in
/// the detail. The kind MemoryError gives OutOfMemory whatever `code` says. An error object that is missing
/// (a callee reported failure without raising anything) is told as such.
base::Error toError(const tvm::ffi::Error& error, base::ErrorCode code, std::string where);

/// The same for exceptions of the standard library.
base::Error toError(const std::exception& error, base::ErrorCode code, std::string where);

/// Takes the error that is raised on this thread (after a C function of tvm-ffi returned non-zero).
base::Error takeRaisedError(base::ErrorCode code, std::string where);

/// What a function raised, word by word: for those who hand it on instead of telling it to a person.
struct RaisedError {
  std::string kind;  ///< "ValueError"
  std::string message;
};

/// Takes the error that is raised on this thread, as takeRaisedError does.
RaisedError takeRaised();

namespace detail {
template <class T>
struct GuardedResult {
  using Type = base::Result<T>;
};
template <class T>
struct GuardedResult<base::Result<T>> {
  using Type = base::Result<T>;
};
}  // namespace detail

/// Runs `function`; what it throws becomes an Error with `code`, told at `where`. A function that returns a
/// Result keeps it.
template <class F>
auto guarded(base::ErrorCode code, std::string_view where, F&& function) ->
    typename detail::GuardedResult<std::invoke_result_t<F>>::Type {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      std::forward<F>(function)();
      return {};
    } else {
      return std::forward<F>(function)();
    }
  } catch (const tvm::ffi::Error& error) {
    return toError(error, code, std::string(where));
  } catch (const std::exception& error) {
    return toError(error, code, std::string(where));
  } catch (...) {
    return base::Error{code, std::string(where) + ": an exception of an unknown type was thrown", {}, {}};
  }
}

}  // namespace opscope::runtime
