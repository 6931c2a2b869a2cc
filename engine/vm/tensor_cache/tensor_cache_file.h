// SPDX-License-Identifier: Apache-2.0
// Reads a folder of parameters as TVM saves them: tensor-cache.json (ndarray-cache.json before TVM 0.21)
// lists shards, binary files with the parameters one behind the other. Any thread.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace opscope::vm {

struct CachedParameter {
  std::string name;
  std::vector<std::int64_t> shape;
  DLDataType dtype{};
  bool isBfloat16 = false;  ///< float32 that is stored as its upper halves ("f32-to-bf16")
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
};

struct CacheShard {
  std::string file;  ///< relative to the folder
  std::uint64_t bytes = 0;
  std::vector<CachedParameter> parameters;
};

/// Parses the list, checking every field. Errors: Format naming file, place, found and expected.
base::Result<std::vector<CacheShard>> parseTensorCache(std::string_view json,
                                                       const std::string& fileForMessages);

/// Finds and parses the list of a folder. Errors: NotFound when it has none, Io, Format.
base::Result<std::vector<CacheShard>> readTensorCache(const std::filesystem::path& folder);

struct NamedTensor {
  std::string name;
  tvm::ffi::Tensor tensor;
};

/// The tensors of one shard, aligned copies. Errors: Io; Format when the file is not as long as the list
/// says.
base::Result<std::vector<NamedTensor>> loadShard(const std::filesystem::path& folder,
                                                 const CacheShard& shard);

}  // namespace opscope::vm
