// SPDX-License-Identifier: Apache-2.0
// A plugin that registers its function in opscope_plugin_init.
#include <tvm/ffi/reflection/registry.h>

extern "C" __attribute__((visibility("default"))) int opscope_plugin_init() {
  tvm::ffi::reflection::GlobalDef().def("test.plugin_init.twice", [](int value) { return 2 * value; });
  return 0;
}
