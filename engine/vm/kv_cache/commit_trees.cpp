// SPDX-License-Identifier: Apache-2.0
// Ends token trees: the accepted path becomes part of its sequence, the rest is popped.
#include <fmt/format.h>

#include <algorithm>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/kv_cache/paged_kv_cache.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr std::int64_t kNothingAccepted = -1;

void requireLeaf(const KvSequence& sequence, std::int64_t id, std::int64_t leaf) {
  if (leaf < kNothingAccepted || leaf >= sequence.tree.size()) {
    raise("ValueError",
          fmt::format("KV cache: sequence {} has a token tree of {} nodes, so its accepted leaf "
                      "should be -1 or one of them, got {}",
                      id, sequence.tree.size(), leaf));
  }
}

}  // namespace

// Moves the keys of accepted nodes to the front of their tree's slots, in all layers.
void PagedKvCacheObj::compact(ffi::ShapeView ids, ffi::ShapeView leaves) {
  IndexArray starts(m_allocator);
  std::vector<std::int32_t> from;
  std::vector<std::int32_t> to;
  starts.push(0);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const KvSequence& sequence = m_store.at(ids[i]);
    const KvBlock& block = m_store.block(sequence.lastBlock);
    const std::int32_t first = block.length - sequence.tree.size();
    if (leaves[i] != kNothingAccepted) {
      const std::vector<std::int32_t> path = sequence.tree.pathTo(static_cast<std::int32_t>(leaves[i]));
      for (std::int32_t place = 0; place < static_cast<std::int32_t>(path.size()); ++place) {
        const std::int32_t node = path[static_cast<std::size_t>(place)];
        if (node != place) {
          from.push_back(m_store.slotOf(block, first + node));
          to.push_back(m_store.slotOf(block, first + place));
        }
      }
    }
    starts.push(static_cast<std::int32_t>(from.size()));
  }
  if (from.empty()) {
    return;
  }
  IndexArray slots(m_allocator);
  std::for_each(from.begin(), from.end(), [&](std::int32_t slot) { slots.push(slot); });
  std::for_each(to.begin(), to.end(), [&](std::int32_t slot) { slots.push(slot); });
  for (const ffi::Tensor& pages : m_pages) {
    m_kernels.compact(pages, starts.vector(), slots.matrix(2), static_cast<std::int64_t>(ids.size()));
  }
}

void PagedKvCacheObj::commitTrees(ffi::ShapeView ids, ffi::ShapeView leaves) {
  if (ids.size() != leaves.size()) {
    raise("ValueError", fmt::format("KV cache: {} sequences need as many accepted leaves, got {}", ids.size(),
                                    leaves.size()));
  }
  std::vector<std::int64_t> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    raise("ValueError", fmt::format("KV cache: sequence {} is named twice", *twice));
  }
  std::vector<std::int64_t> rejected;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const KvSequence& sequence = m_store.at(ids[i]);
    requireLeaf(sequence, ids[i], leaves[i]);
    std::int64_t count = sequence.tree.size();
    if (leaves[i] != kNothingAccepted) {
      count -= sequence.tree.depths[static_cast<std::size_t>(leaves[i])] + 1;
    } else if (sequence.tree.empty()) {
      // Without a tree, -1 takes back what the last pass appended.
      for (const Append& append : m_plan.appends()) {
        count = m_plan.ready() && append.sequence == ids[i] ? append.tokens : count;
      }
    }
    rejected.push_back(std::min<std::int64_t>(count, sequence.length));
  }
  compact(ids, leaves);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    pop(ids[i], rejected[i]);
    m_store.at(ids[i]).tree = TokenTree{};
  }
}

}  // namespace opscope::vm
