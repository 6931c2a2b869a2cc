// SPDX-License-Identifier: Apache-2.0
// A plugin whose start throws, after it has registered something.
#include <tvm/ffi/reflection/registry.h>

#include <stdexcept>

extern "C" __attribute__((visibility("default"))) int opscope_plugin_init() {
  tvm::ffi::reflection::GlobalDef().def("test.plugin_throwing.kept", [] { return 5; });
  throw std::runtime_error("thrown at the start");
}
