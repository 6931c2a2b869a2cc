// SPDX-License-Identifier: Apache-2.0
// The arrays of a ForwardPlan, from the state of the sequences.
#include <algorithm>

#include "engine/vm/kv_cache/forward_batch.h"
#include "engine/vm/kv_cache/forward_plan.h"

namespace opscope::vm {

void PageTable::clear() {
  starts.clear();
  starts.push(0);
  ids.clear();
  lengths.clear();
  keyPositions.clear();
  entries.clear();
}

void PageTable::close(std::int32_t pageCount, Lengths entry, std::int32_t keyPosition) {
  starts.push(starts.back() + pageCount);
  entries.push_back(entry);
  keyPositions.push(keyPosition);
}

void PageTable::finish(bool windows) {
  for (const Lengths& entry : entries) {
    lengths.push(entry.inLastPage);
  }
  if (windows) {
    for (const Lengths& entry : entries) {
      lengths.push(entry.windowOffset);
    }
    for (const Lengths& entry : entries) {
      lengths.push(entry.sink);
    }
  }
}

std::vector<ForwardPlan::Entry> ForwardPlan::entriesOf(const Batch& batch, std::size_t depth) const {
  const DepthPlan& plan = m_depths[depth];
  const bool masked = m_appendFirst && !plan.isChain;
  const bool share = !plan.useDecodeKernel && !masked && depth + 1 < kDepths;
  std::vector<Entry> entries;
  for (const Member& member : batch.members) {
    if (share && !entries.empty() && entries.back().member->blockAt(depth) == member.blockAt(depth)) {
      entries.back().queries += member.tokens;
    } else {
      entries.push_back({&member, member.tokens});
    }
  }
  return entries;
}

void ForwardPlan::planLayerWindow(PageTable& table, const PageTable& all, std::int32_t pages,
                                  std::int32_t end, std::int32_t tokens) const {
  const std::int64_t window = std::min<std::int64_t>(tokens, m_config.layerWindow);
  const std::int64_t offset = (tokens - window) % m_config.pageSize;
  const std::int64_t needed = tokens == 0 ? 0 : (offset + window + m_config.pageSize - 1) / m_config.pageSize;
  const auto kept = static_cast<std::int32_t>(std::min<std::int64_t>(needed, pages));
  for (std::int64_t i = all.ids.size() - kept; i < all.ids.size(); ++i) {
    table.ids.push(all.ids[i]);
  }
  PageTable::Lengths lengths = all.entries.back();
  lengths.windowOffset = static_cast<std::int32_t>(offset);
  table.close(kept, lengths,
              static_cast<std::int32_t>(std::max<std::int64_t>(0, end - m_config.layerWindow)));
}

void ForwardPlan::planEntry(const SequenceStore& store, DepthPlan& plan,
                            std::span<const std::int32_t> blocks) {
  std::int32_t pages = 0;
  std::int32_t tokens = 0;
  for (const std::int32_t index : blocks) {
    const KvBlock& block = store.block(index);
    for (const std::int32_t page : block.pages) {
      plan.pages.ids.push(page);
      m_pageBound = std::max(m_pageBound, page + 1);
    }
    pages += static_cast<std::int32_t>(block.pages.size());
    tokens += block.length;
  }
  PageTable::Lengths lengths;
  std::int32_t start = 0;
  if (!blocks.empty()) {
    const KvBlock& last = store.block(blocks.back());
    start = store.block(blocks.front()).start;
    lengths.windowOffset = last.windowOffset;
    lengths.sink = last.sinkLength;
    lengths.inLastPage =
        tokens == 0 ? 0 : (tokens - last.sinkLength + last.windowOffset - 1) % m_config.pageSize + 1;
  }
  plan.pages.close(pages, lengths, start);
  if (m_layersSlide) {
    planLayerWindow(plan.layerWindow, plan.pages, pages, start + tokens, tokens);
  }
}

void ForwardPlan::planDepth(const SequenceStore& store, const Batch& batch, std::size_t depth) {
  DepthPlan& plan = m_depths[depth];
  plan.queryStarts.clear();
  plan.queryStarts.push(0);
  plan.pages.clear();
  plan.layerWindow.clear();
  for (const Entry& entry : entriesOf(batch, depth)) {
    plan.queryStarts.push(plan.queryStarts.back() + entry.queries);
    planEntry(store, plan, entry.member->blocksAt(depth));
  }
  plan.pages.finish(m_config.slidingWindow);
  if (m_layersSlide) {
    plan.layerWindow.finish(true);
  }
}

void ForwardPlan::planPositions(const SequenceStore& store, const Batch& batch) {
  queryPositions.clear();
  appendSlots.clear();
  appendStarts.clear();
  firstPositions.clear();
  appendStarts.push(0);
  for (const Member& member : batch.members) {
    const KvBlock& last = store.block(member.sequence->lastBlock);
    const TokenTree& tree = member.sequence->tree;
    appendStarts.push(appendStarts.back() + member.tokens);
    firstPositions.push(member.firstPosition);
    for (std::int32_t token = 0; token < member.tokens; ++token) {
      const std::int32_t fromTreeStart = tree.size() - member.tokens + token;
      queryPositions.push(member.firstPosition +
                          (tree.empty() ? token : tree.depths[static_cast<std::size_t>(fromTreeStart)]));
      const std::int32_t before = member.lastBlockBefore + token;
      const std::int32_t after = last.length - member.tokens + token;
      std::int32_t slot = -1;  // a token that the window has passed already is not kept
      if (before < last.sinkLength) {
        slot = store.slotOf(last, before);
      } else if (after >= last.sinkLength) {
        slot = store.slotOf(last, after);
      }
      appendSlots.push(slot);
      m_pageBound = std::max(m_pageBound, slot / m_config.pageSize + 1);
    }
  }
}

}  // namespace opscope::vm
