// SPDX-License-Identifier: Apache-2.0
// Saves one sequence of a paged KV cache and restores it in another cache of the same layout: a description
// in JSON and one tensor for each layer. Plain multi-head layers only. Uses the cache of its caller, on its
// thread; all functions raise tvm::ffi::Error. Format: the checkpoint functions of TVM 0.27's
// paged_kv_cache.cc.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/vm/kv_cache/paged_kv_cache.h"

namespace opscope::vm {

/// Tokens of the sequence that a description tells of. Raises ValueError for what is no description.
std::int64_t lengthInMetadata(std::string_view metadata);

class KvCheckpoint {
 public:
  /// Raises ValueError for caches that cannot be saved.
  explicit KvCheckpoint(PagedKvCacheObj& cache);

  /// 16 hexadecimal digits that are equal for caches of the same layout.
  std::string layoutHash() const;
  /// The description of a sequence, JSON.
  std::string metadata(std::int64_t sequence) const;
  /// Copies the pages of a layer to `to`, [1, pages, 2, kv heads, page size, dim]; unused slots become zero.
  void exportLayer(std::int64_t sequence, std::int64_t layer, const tvm::ffi::Tensor& to) const;

  /// Empties the cache and makes room for the sequence that `metadata` describes. Until finishImport the
  /// cache refuses forward passes.
  void prepareImport(std::int64_t sequence, std::string_view metadata);
  void importLayer(std::int64_t sequence, std::int64_t layer, const tvm::ffi::Tensor& from);
  /// Raises RuntimeError when a layer is missing.
  void finishImport(std::int64_t sequence);

 private:
  const KvSequence& savable(std::int64_t sequence) const;
  std::vector<std::int32_t> pagesOf(const KvSequence& sequence) const;
  std::size_t layerAt(std::int64_t layer) const;
  std::string describe(std::int64_t sequence, std::int64_t length) const;
  void requireMatch(std::int64_t sequence, std::int64_t length, std::string_view metadata) const;
  void requireImport(std::int64_t sequence) const;
  void requireLayerTensor(const tvm::ffi::Tensor& tensor, std::size_t pages) const;
  std::size_t rowBytes() const;
  std::size_t pageBytes() const;

  PagedKvCacheObj& m_cache;
};

}  // namespace opscope::vm
