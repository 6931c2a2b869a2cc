// SPDX-License-Identifier: Apache-2.0
// A plugin that registers its functions when it is loaded.
#include <tvm/ffi/reflection/registry.h>

TVM_FFI_STATIC_INIT_BLOCK() {
  tvm::ffi::reflection::GlobalDef()
      .def("test.plugin_static.one", [] { return 1; })
      .def("test.plugin_static.two", [] { return 2; });
}
