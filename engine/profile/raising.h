// SPDX-License-Identifier: Apache-2.0
// The way from exceptions back to errors of tvm-ffi's C interface, for functions that generated code calls.
// Any thread.
#pragma once

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>

#include <exception>
#include <new>
#include <utility>

namespace opscope::profile {

/// Runs `body`. False when it threw: then the error is raised on this thread.
template <class Body>
bool raising(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return true;
  } catch (const tvm::ffi::Error& error) {
    tvm::ffi::detail::SetSafeCallRaised(error);
  } catch (const std::bad_alloc&) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "there is no memory for more records");
  } catch (const std::exception& error) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", error.what());
  }
  return false;
}

}  // namespace opscope::profile
