// SPDX-License-Identifier: Apache-2.0
// Stands in for libtvm_ffi when the probe is linked: the names that it needs, under the library's name. The
// board's own libtvm_ffi is what the probe meets when it is loaded. Never shipped.

#define OPSCOPE_LINK_NAME(name)                                      \
  extern "C" __attribute__((visibility("default"))) int name(void) { \
    return 0;                                                        \
  }

OPSCOPE_LINK_NAME(TVMFFIBytesFromByteArray)
OPSCOPE_LINK_NAME(TVMFFIErrorSetRaisedFromCStr)
OPSCOPE_LINK_NAME(TVMFFIFunctionCall)
OPSCOPE_LINK_NAME(TVMFFIFunctionGetGlobal)
OPSCOPE_LINK_NAME(TVMFFIObjectDecRef)
