// SPDX-License-Identifier: Apache-2.0
// As much of libtvm_ffi as the probe needs, for running it where no libtvm_ffi is.
#include <tvm/ffi/c_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct BytesObject {
  TVMFFIObject header;
  TVMFFIByteArray array;
};

struct FunctionObject {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
};

}  // namespace

extern "C" {

int TVMFFIBytesFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  auto* const object = static_cast<BytesObject*>(std::calloc(1, sizeof(BytesObject)));
  auto* const copy = static_cast<char*>(std::malloc(input->size));
  std::memcpy(copy, input->data, input->size);
  object->header.type_index = kTVMFFIBytes;
  object->array = {copy, input->size};
  out->type_index = kTVMFFIBytes;
  out->v_obj = &object->header;
  return 0;
}

void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  std::printf("raised %s: %s\n", kind, message);
}

int TVMFFIFunctionCall(TVMFFIObjectHandle function, TVMFFIAny* args, int32_t count, TVMFFIAny* result) {
  return static_cast<FunctionObject*>(function)->cell.safe_call(nullptr, args, count, result);
}

int TVMFFIFunctionGetGlobal(const TVMFFIByteArray* /*name*/, TVMFFIObjectHandle* out) {
  *out = nullptr;
  return 0;
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle /*object*/) {
  return 0;
}
}
