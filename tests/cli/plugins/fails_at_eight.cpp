// SPDX-License-Identifier: Apache-2.0
// A plugin whose function works seven times.
#include <tvm/ffi/c_api.h>

#include <cstdint>

namespace {

int failsAtEight(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny* result) {
  static int calls = 0;
  if (++calls == 8) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "the eighth call fails");
    return -1;
  }
  result->type_index = kTVMFFINone;
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int opscope_plugin_init() {
  constexpr const char kName[] = "test.fails_at_eight";
  TVMFFIObjectHandle function = nullptr;
  if (TVMFFIFunctionCreate(nullptr, failsAtEight, nullptr, &function) != 0) {
    return -1;
  }
  const TVMFFIByteArray name{kName, sizeof(kName) - 1};
  const int status = TVMFFIFunctionSetGlobal(&name, function, 1);
  TVMFFIObjectDecRef(function);
  return status;
}
