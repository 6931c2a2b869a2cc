// SPDX-License-Identifier: Apache-2.0
// What a library of TVM's in compiled mode looks like from outside: a function that calls a kernel through a
// slot, and a function of the runtime through a variable that the runtime fills.
#include <tvm/ffi/c_api.h>

#define OPSCOPE_EXPORT extern "C" __attribute__((visibility("default"), noinline))

extern "C" {
__attribute__((visibility("default"), weak)) int (*__TVMFFIFunctionCall)(void*, TVMFFIAny*, int,
                                                                         TVMFFIAny*) = nullptr;
}

OPSCOPE_EXPORT int __tvm_ffi_scale(void* /*self*/, TVMFFIAny* args, int count, TVMFFIAny* /*result*/) {
  for (int i = 0; i < count; ++i) {
    args[i].v_int64 *= 2;
  }
  return 0;
}

OPSCOPE_EXPORT int __tvm_ffi___vmtir__main(void* self, TVMFFIAny* /*args*/, int /*count*/,
                                           TVMFFIAny* result) {
  TVMFFIAny value{};
  value.type_index = kTVMFFIInt;
  value.v_int64 = 18;
  TVMFFIAny more{};
  static int function = 0;  // stands for an object
  if (__tvm_ffi_scale(self, &value, 1, nullptr) != 0 ||
      __TVMFFIFunctionCall(&function, &value, 1, &more) != 0) {
    return -1;
  }
  value.v_int64 += more.v_int64;
  *result = value;
  return 0;
}
