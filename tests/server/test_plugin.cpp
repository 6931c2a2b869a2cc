// SPDX-License-Identifier: Apache-2.0
// A plugin for the server's tests: registers "server_test.plugin" when it is loaded.
#include <tvm/ffi/function.h>

namespace {

const bool isRegistered = [] {
  tvm::ffi::Function::SetGlobal("server_test.plugin", tvm::ffi::Function::FromTyped([] { return 1; }),
                                /*override=*/true);
  return true;
}();

}  // namespace
