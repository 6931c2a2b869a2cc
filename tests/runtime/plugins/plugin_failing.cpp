// SPDX-License-Identifier: Apache-2.0
// A plugin that cannot start.
#include <tvm/ffi/c_api.h>

extern "C" __attribute__((visibility("default"))) int opscope_plugin_init() {
  TVMFFIErrorSetRaisedFromCStr("RuntimeError", "the licence server is away");
  return 3;
}
