// SPDX-License-Identifier: Apache-2.0
// A plugin as a user writes it: registers three functions when loaded, with nothing but tvm-ffi's C API.
//   proto.dps_add(a, b, out): out = a + b    proto.add_ret(a, b): a new a + b    proto.fail(x): raises
#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

const DLTensor* tensorIn(const TVMFFIAny& value) {
  if (value.type_index == kTVMFFITensor) {
    return TVMFFITensorGetDLTensorPtr(value.v_obj);
  }
  return value.type_index == kTVMFFIDLTensorPtr ? static_cast<const DLTensor*>(value.v_ptr) : nullptr;
}

std::int64_t elementsOf(const DLTensor& tensor) {
  std::int64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) {
    count *= tensor.shape[i];
  }
  return count;
}

int raise(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

/// Checks the first `count` arguments: float32 tensors of one size.
bool areFloats(const TVMFFIAny* arguments, int count) {
  for (int i = 0; i < count; ++i) {
    const DLTensor* tensor = tensorIn(arguments[i]);
    if (tensor == nullptr || tensor->dtype.code != kDLFloat || tensor->dtype.bits != 32 ||
        elementsOf(*tensor) != elementsOf(*tensorIn(arguments[0]))) {
      return false;
    }
  }
  return true;
}

void add(const DLTensor& a, const DLTensor& b, const DLTensor& out) {
  const auto* left = static_cast<const float*>(a.data);
  const auto* right = static_cast<const float*>(b.data);
  auto* sum = static_cast<float*>(out.data);
  for (std::int64_t i = 0; i < elementsOf(a); ++i) {
    sum[i] = left[i] + right[i];
  }
}

int dpsAdd(void*, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny*) {
  if (count != 3 || !areFloats(arguments, 3)) {
    return raise("TypeError", "proto.dps_add takes three float32 tensors of one size");
  }
  add(*tensorIn(arguments[0]), *tensorIn(arguments[1]), *tensorIn(arguments[2]));
  return 0;
}

void freeManaged(DLManagedTensor* tensor) {
  std::free(tensor->dl_tensor.data);
  delete[] tensor->dl_tensor.shape;
  delete tensor;
}

int addReturning(void*, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result) {
  if (count != 2 || !areFloats(arguments, 2)) {
    return raise("TypeError", "proto.add_ret takes two float32 tensors of one size");
  }
  const DLTensor& a = *tensorIn(arguments[0]);
  const auto bytes = static_cast<std::size_t>(elementsOf(a)) * sizeof(float);
  auto* managed = new DLManagedTensor();
  managed->dl_tensor = a;
  managed->dl_tensor.strides = nullptr;
  managed->dl_tensor.byte_offset = 0;
  managed->dl_tensor.shape = new std::int64_t[static_cast<std::size_t>(a.ndim) + 1];
  std::memcpy(managed->dl_tensor.shape, a.shape, static_cast<std::size_t>(a.ndim) * sizeof(std::int64_t));
  managed->dl_tensor.data = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  managed->manager_ctx = nullptr;
  managed->deleter = freeManaged;
  add(a, *tensorIn(arguments[1]), managed->dl_tensor);
  TVMFFIObjectHandle tensor = nullptr;
  if (TVMFFITensorFromDLPack(managed, 0, 0, &tensor) != 0) {
    freeManaged(managed);
    return -1;
  }
  result->type_index = kTVMFFITensor;
  result->zero_padding = 0;
  result->v_obj = static_cast<TVMFFIObject*>(tensor);
  return 0;
}

int fail(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*) {
  return raise("ValueError", "proto.fail was called");
}

int registerFunction(const char* name, TVMFFISafeCallType function) {
  TVMFFIObjectHandle handle = nullptr;
  if (TVMFFIFunctionCreate(nullptr, function, nullptr, &handle) != 0) {
    return -1;
  }
  const TVMFFIByteArray nameBytes{name, std::strlen(name)};
  const int code = TVMFFIFunctionSetGlobal(&nameBytes, handle, 1);
  TVMFFIObjectDecRef(handle);
  return code;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int opscope_plugin_init(void) {
  if (registerFunction("proto.dps_add", dpsAdd) != 0 ||
      registerFunction("proto.add_ret", addReturning) != 0) {
    return -1;
  }
  return registerFunction("proto.fail", fail);
}
