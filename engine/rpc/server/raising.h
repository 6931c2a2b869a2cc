// SPDX-License-Identifier: Apache-2.0
// The way from our errors to tvm-ffi's, for functions that clients call through the registry. Any thread.
#pragma once

#include <tvm/ffi/error.h>

#include <string>
#include <utility>

#include "engine/base/result.h"

namespace opscope::rpc::server {

/// Throws tvm::ffi::Error with all words of `error`, without collecting a backtrace.
[[noreturn]] inline void raise(const base::Error& error) {
  std::string text = error.message;
  for (const std::string* more : {&error.detail, &error.hint}) {
    text += more->empty() ? "" : "\n" + *more;
  }
  const char* const kind = error.code == base::ErrorCode::InvalidArgument ? "ValueError" : "RuntimeError";
  throw tvm::ffi::Error(kind, text, "");
}

/// The value of a result, or raises its error.
template <class T>
T orRaise(base::Result<T> result) {
  if (!result) {
    raise(result.error());
  }
  if constexpr (!std::is_void_v<T>) {
    return *std::move(result);
  }
}

}  // namespace opscope::rpc::server
