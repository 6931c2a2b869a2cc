// SPDX-License-Identifier: Apache-2.0
// A paged KV cache: keys and values of many sequences in pages that they share, and attention over them by
// the kernels of the executable that made it. One thread at a time. All functions raise tvm::ffi::Error.
// Behaviour: PagedAttentionKVCacheObj of TVM's paged_kv_cache.cc; sequence_store.h and forward_plan.h hold
// the book-keeping.
#pragma once

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/runtime/storage.h"
#include "engine/vm/kv_cache/forward_plan.h"
#include "engine/vm/kv_cache/kv_kernels.h"
#include "engine/vm/kv_cache/kv_state.h"
#include "engine/vm/kv_cache/paged_kv_config.h"
#include "engine/vm/kv_cache/sequence_store.h"
#include "engine/vm/kv_cache/token_buffer.h"

namespace opscope::vm {

class PagedKvCacheObj : public KvStateObj {
 public:
  /// Allocates pages and scratch memory; their contents are not initialised.
  PagedKvCacheObj(PagedKvConfig config, KvKernels kernels);

  void clear() override;
  void addSequence(std::int64_t id) override;
  void removeSequence(std::int64_t id) override;
  void forkSequence(std::int64_t parent, std::int64_t child, std::int64_t position) override;
  void pop(std::int64_t id, std::int64_t count) override;
  void beginForward(tvm::ffi::ShapeView ids, tvm::ffi::ShapeView lengths,
                    const std::optional<std::span<const std::int64_t>>& treeParents) override;
  void endForward() override {}
  void enableSlidingWindow(std::int64_t id, std::int64_t window, std::int64_t sink);
  /// Keeps the nodes from the root to leaf `leaves[i]` of sequence `ids[i]` and pops the rest of its tree; -1
  /// pops all of it.
  void commitTrees(tvm::ffi::ShapeView ids, tvm::ffi::ShapeView leaves);

  // Attention of the tokens of the current forward pass, in one layer. Shapes: qkv [tokens, q + 2 kv heads,
  // dim], q and output [tokens, q heads, dim], k and v [tokens, kv heads, dim], lse [tokens, q heads] of
  // float32.
  void attentionWithFusedQkv(std::int64_t layer, double scale, const DLTensor& qkv, const DLTensor& output);
  void selfAttention(std::int64_t layer, double scale, const tvm::ffi::Tensor& q, const tvm::ffi::Tensor& k,
                     const tvm::ffi::Tensor& v, const tvm::ffi::Tensor& output, const tvm::ffi::Tensor& lse);
  void crossAttention(std::int64_t layer, double scale, const tvm::ffi::Tensor& q,
                      const tvm::ffi::Tensor& output, const tvm::ffi::Tensor& lse);
  void attentionWithSharedKv(std::int64_t layer, double scale, const tvm::ffi::Tensor& q,
                             const tvm::ffi::Tensor& k, const tvm::ffi::Tensor& v,
                             const tvm::ffi::Tensor& output);
  void appendLatent(std::int64_t layer, const tvm::ffi::Tensor& kv);
  void mergeOutputs(const tvm::ffi::Tensor& output, const tvm::ffi::Tensor& lse,
                    const tvm::ffi::Tensor& otherOutput, const tvm::ffi::Tensor& otherLse);

  /// int32 positions of the queries of the current pass, a copy.
  tvm::ffi::Tensor queryPositions();
  /// Slots of the tokens that the current pass appends.
  const IndexArray& appendSlots() const { return m_plan.appendSlots; }

  /// Copies keys and values of tokens [first, last) of all layers: [layers, tokens, kv heads, dim] each.
  void debugGet(std::int64_t id, std::int64_t first, std::int64_t last, const tvm::ffi::Tensor& keys,
                const tvm::ffi::Tensor& values);
  /// The same for latent attention: [layers, tokens, dim].
  void debugGetLatent(std::int64_t id, std::int64_t first, std::int64_t last, const tvm::ffi::Tensor& data);

  const SequenceStore& store() const { return m_store; }
  const PagedKvConfig& config() const { return m_config; }
  const tvm::ffi::Tensor& pages(std::size_t localLayer) const { return m_pages[localLayer]; }

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.PagedKvCache", PagedKvCacheObj, KvStateObj);

 private:
  struct Part;

  void showPages(std::int32_t count);
  void copyPage(const std::optional<PageCopy>& copy);
  void requireForward() const;
  std::size_t localLayer(std::int64_t layer) const;
  AttentionKind kindOf(std::size_t layer) const { return m_config.layerKinds[layer]; }
  void requireKind(std::size_t layer, bool latent, const char* what) const;
  void append(std::size_t layer, const tvm::ffi::Tensor& keys, const tvm::ffi::Tensor& values);
  void attend(std::size_t layer, const Part& part, double scale);
  void attendToNew(std::size_t layer, const Part& part, double scale);
  bool attendToPages(std::size_t layer, const Part& part, double scale, bool isFirst, bool masked);
  void attendAtDepth(std::size_t layer, DepthPlan& depth, const Part& part, double scale, bool masked);
  void attendLatentAtDepth(std::size_t layer, DepthPlan& depth, const Part& part, double scale);
  std::vector<std::int32_t> slotsBetween(std::int64_t id, std::int64_t first, std::int64_t last) const;
  void compact(tvm::ffi::ShapeView ids, tvm::ffi::ShapeView leaves);

  friend class KvCheckpoint;

  PagedKvConfig m_config;
  KvKernels m_kernels;
  bool m_treeKernelsOrdered = false;
  bool m_importing = false;  // a saved sequence is being restored
  std::vector<bool> m_importedLayers;
  runtime::StorageAllocator m_allocator;
  SequenceStore m_store;
  ForwardPlan m_plan;
  std::vector<tvm::ffi::Tensor> m_pages;  // one a layer
  /// The first pages of each layer, as many as a pass needs: TVM's CPU kernels walk over all pages that they
  /// are shown, used or not.
  std::vector<tvm::ffi::Tensor> m_shownPages;
  std::vector<runtime::Storage> m_storages;
  TokenBuffer m_query;
  TokenBuffer m_key;
  TokenBuffer m_value;
  TokenBuffer m_partOutput;
  TokenBuffer m_partLse;
  TokenBuffer m_lse;
};

}  // namespace opscope::vm
