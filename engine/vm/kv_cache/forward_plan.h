// SPDX-License-Identifier: Apache-2.0
// What one forward pass hands to the kernels besides tensors of the model: where each query and key stands,
// which pages it attends to, where new keys go. Built once per pass, used by every layer. One thread, that of
// its cache.
//
// Attention runs over at most two depths: blocks at the root of a sequence, and everything after them.
// Sequences that share a root block can share its work there. Behaviour: BeginForward of TVM's
// paged_kv_cache.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/vm/kv_cache/index_array.h"
#include "engine/vm/kv_cache/paged_kv_config.h"
#include "engine/vm/kv_cache/sequence_store.h"

namespace opscope::vm {

/// Pages of one depth as kernels take them: entry e has pages [starts[e], starts[e+1]) of `ids`.
struct PageTable {
  explicit PageTable(runtime::StorageAllocator& allocator)
      : starts(allocator), ids(allocator), lengths(allocator), keyPositions(allocator) {}
  struct Lengths {
    std::int32_t inLastPage = 0;
    std::int32_t windowOffset = 0;
    std::int32_t sink = 0;
  };

  void clear();
  void close(std::int32_t pageCount, Lengths entry, std::int32_t keyPosition);
  /// Writes `lengths` from the entries: one row, or three for kernels that know windows.
  void finish(bool windows);

  IndexArray starts;
  IndexArray ids;
  IndexArray lengths;       ///< rows of inLastPage, windowOffset, sink
  IndexArray keyPositions;  ///< of the first key of each entry
  std::vector<Lengths> entries;
};

struct DepthPlan {
  explicit DepthPlan(runtime::StorageAllocator& allocator)
      : queryStarts(allocator),
        pages(allocator),
        layerWindow(allocator),
        treeStarts(allocator),
        treeRanges(allocator) {}

  IndexArray queryStarts;
  PageTable pages;
  PageTable layerWindow;  ///< for layers of kind MultiHeadSliding, filled only if there are any
  IndexArray treeStarts;
  IndexArray treeRanges;
  bool useDecodeKernel = false;
  bool isChain = true;  ///< otherwise the tree arrays mask what a query sees
};

class ForwardPlan {
 public:
  static constexpr std::size_t kDepths = 2;

  ForwardPlan(const PagedKvConfig& config, runtime::StorageAllocator& allocator);

  /// Plans a pass over `appends` and makes room for their tokens. `treeParents`: parents of all new tokens
  /// when they form trees. Raises and changes nothing when an argument is wrong or pages do not suffice.
  void build(SequenceStore& store, std::span<const Append> appends,
             const std::optional<std::span<const std::int64_t>>& treeParents);

  /// Forgets the pass if `sequence` takes part in it.
  void dropIfUsing(std::int64_t sequence);
  void drop() { m_ready = false; }
  bool ready() const { return m_ready; }

  std::span<const Append> appends() const { return m_appends; }
  std::int64_t totalTokens() const { return m_totalTokens; }
  /// New keys are in the pages before attention runs, and attention reads them there.
  bool appendFirst() const { return m_appendFirst; }
  /// One more than the highest page that this pass reads or writes.
  std::int32_t pageBound() const { return m_pageBound; }
  std::span<DepthPlan> depths() { return {m_depths.data(), m_depthCount}; }

  IndexArray queryPositions;
  IndexArray appendStarts;    ///< of each sequence in the batch
  IndexArray appendSlots;     ///< where the keys of each token go, -1 for those that a window drops at once
  IndexArray firstPositions;  ///< of the first new key of each sequence

 private:
  struct Member;
  struct Entry;
  struct Batch;

  void requireValid(const SequenceStore& store, std::span<const Append> appends) const;
  void requireTreesAllowed() const;
  std::vector<TokenTree> growTrees(const SequenceStore& store, std::span<const Append> appends,
                                   const std::optional<std::span<const std::int64_t>>& parents) const;
  Batch collect(SequenceStore& store, std::vector<TokenTree> trees) const;
  void chooseKernels(const SequenceStore& store, const Batch& batch);
  void planTrees(const Batch& batch, std::size_t depth);
  std::vector<Entry> entriesOf(const Batch& batch, std::size_t depth) const;
  void planDepth(const SequenceStore& store, const Batch& batch, std::size_t depth);
  void planEntry(const SequenceStore& store, DepthPlan& plan, std::span<const std::int32_t> blocks);
  void planLayerWindow(PageTable& table, const PageTable& all, std::int32_t pages, std::int32_t end,
                       std::int32_t tokens) const;
  void planPositions(const SequenceStore& store, const Batch& batch);

  const PagedKvConfig& m_config;
  bool m_layersSlide;
  bool m_ready = false;
  bool m_appendFirst = false;
  std::int64_t m_totalTokens = 0;
  std::int32_t m_pageBound = 0;
  std::size_t m_depthCount = 0;
  std::vector<Append> m_appends;
  std::vector<DepthPlan> m_depths;
};

}  // namespace opscope::vm
