// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>

#include "engine/base/atomic_file.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/storage.h"
#include "engine/vm/tensor_cache/tensor_cache_file.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr const char* kListNames[] = {"tensor-cache.json", "ndarray-cache.json"};

ffi::Tensor tensorOf(const CachedParameter& parameter, const char* bytes) {
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  ffi::Tensor tensor = runtime::emptyTensor(allocator, {parameter.shape.data(), parameter.shape.size()},
                                            parameter.dtype, DLDevice{kDLCPU, 0});
  if (!parameter.isBfloat16) {
    std::memcpy(tensor.data_ptr(), bytes, parameter.bytes);
    return tensor;
  }
  auto* out = static_cast<char*>(tensor.data_ptr());
  for (std::uint64_t i = 0; i < parameter.bytes / 2; ++i) {
    std::uint16_t upper = 0;
    std::memcpy(&upper, bytes + i * 2, sizeof(upper));
    const std::uint32_t value = static_cast<std::uint32_t>(upper) << 16;
    std::memcpy(out + i * 4, &value, sizeof(value));
  }
  return tensor;
}

}  // namespace

base::Result<std::vector<CacheShard>> readTensorCache(const std::filesystem::path& folder) {
  for (const char* name : kListNames) {
    const std::filesystem::path list = folder / name;
    std::error_code ignored;
    if (std::filesystem::exists(list, ignored)) {
      OPSCOPE_TRY_ASSIGN(const std::string json, base::readFile(list));
      return parseTensorCache(json, list.string());
    }
  }
  return base::Error{base::ErrorCode::NotFound,
                     folder.string() + " holds no parameters",
                     "expected a file tensor-cache.json (or ndarray-cache.json, its older name)",
                     {}};
}

base::Result<std::vector<NamedTensor>> loadShard(const std::filesystem::path& folder,
                                                 const CacheShard& shard) {
  const std::filesystem::path file = folder / shard.file;
  OPSCOPE_TRY_ASSIGN(const std::string bytes, base::readFile(file));
  if (bytes.size() != shard.bytes) {
    return base::Error{base::ErrorCode::Format, file.string() + " is not complete",
                       fmt::format("expected {} bytes, found {}", shard.bytes, bytes.size()),
                       "Copy or download the parameters again."};
  }
  return runtime::guarded(base::ErrorCode::OutOfMemory, file.string(), [&] {
    std::vector<NamedTensor> tensors;
    for (const CachedParameter& parameter : shard.parameters) {
      tensors.push_back({parameter.name, tensorOf(parameter, bytes.data() + parameter.offset)});
    }
    return tensors;
  });
}

}  // namespace opscope::vm
