// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kv_cache/forward_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/kv_cache/forward_batch.h"

namespace opscope::vm {

namespace {
/// Decode kernels read a shared page once per sequence. From this many reads per page on, the prefill kernel,
/// which reads it once, is used instead.
constexpr double kShareFromRatio = 32.0;
}  // namespace

ForwardPlan::ForwardPlan(const PagedKvConfig& config, runtime::StorageAllocator& allocator)
    : queryPositions(allocator),
      appendStarts(allocator),
      appendSlots(allocator),
      firstPositions(allocator),
      m_config(config),
      m_layersSlide(config.hasKind(AttentionKind::MultiHeadSliding)) {
  for (std::size_t depth = 0; depth < kDepths; ++depth) {
    m_depths.emplace_back(allocator);
  }
}

void ForwardPlan::dropIfUsing(std::int64_t sequence) {
  for (const Append& append : m_appends) {
    m_ready = m_ready && append.sequence != sequence;
  }
}

void ForwardPlan::requireValid(const SequenceStore& store, std::span<const Append> appends) const {
  if (appends.empty() || static_cast<std::int64_t>(appends.size()) > m_config.maxBatch) {
    raise("ValueError", fmt::format("KV cache: a forward pass takes 1 to {} sequences, got {}",
                                    m_config.maxBatch, appends.size()));
  }
  std::vector<std::int64_t> ids;
  std::int64_t total = 0;
  for (const Append& append : appends) {
    static_cast<void>(store.at(append.sequence));
    if (append.tokens <= 0 || append.tokens > m_config.prefillChunk) {
      raise("ValueError", fmt::format("KV cache: sequence {} should get 1 to {} tokens in a forward pass, "
                                      "got {}",
                                      append.sequence, m_config.prefillChunk, append.tokens));
    }
    total += append.tokens;
    ids.push_back(append.sequence);
  }
  if (total > m_config.prefillChunk) {
    raise("ValueError", fmt::format("KV cache: a forward pass takes at most {} tokens (its prefill chunk "
                                    "size), got {}",
                                    m_config.prefillChunk, total));
  }
  std::sort(ids.begin(), ids.end());
  if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
    raise("ValueError", fmt::format("KV cache: sequence {} is named twice in a forward pass", *twice));
  }
}

void ForwardPlan::requireTreesAllowed() const {
  const char* reason = m_config.hasKind(AttentionKind::Latent) ? "latent attention (MLA)"
                       : m_config.slidingWindow                ? "a sliding window"
                       : m_config.ropeMode == RopeMode::Inline ? "the inline rope mode"
                                                               : nullptr;
  if (reason != nullptr) {
    raise("ValueError", fmt::format("KV cache: token trees do not go together with {}", reason));
  }
}

std::vector<TokenTree> ForwardPlan::growTrees(
    const SequenceStore& store, std::span<const Append> appends,
    const std::optional<std::span<const std::int64_t>>& parents) const {
  std::vector<TokenTree> trees;
  if (!parents.has_value()) {
    for (const Append& append : appends) {
      if (!store.at(append.sequence).tree.empty()) {
        raise("ValueError", fmt::format("KV cache: sequence {} has a token tree; commit its accepted nodes "
                                        "before more tokens without a tree",
                                        append.sequence));
      }
    }
    return trees;
  }
  requireTreesAllowed();
  std::int64_t total = 0;
  for (const Append& append : appends) {
    total += append.tokens;
  }
  if (static_cast<std::int64_t>(parents->size()) != total) {
    raise("ValueError",
          fmt::format("KV cache: {} new tokens need as many tree parents, got {}", total, parents->size()));
  }
  std::size_t first = 0;
  for (const Append& append : appends) {
    const auto tokens = static_cast<std::size_t>(append.tokens);
    trees.push_back(store.at(append.sequence).tree.extended(parents->subspan(first, tokens)));
    first += tokens;
  }
  return trees;
}

ForwardPlan::Batch ForwardPlan::collect(SequenceStore& store, std::vector<TokenTree> trees) const {
  Batch batch;
  batch.members.resize(m_appends.size());
  for (std::size_t i = 0; i < m_appends.size(); ++i) {
    Member& member = batch.members[i];
    member.sequence = &store.at(m_appends[i].sequence);
    member.tokens = static_cast<std::int32_t>(m_appends[i].tokens);
    member.lastBlockBefore = store.block(member.sequence->lastBlock).length;
    member.firstPosition = member.sequence->length - member.sequence->tree.size();
    store.trace(*member.sequence, member.blocks);
    batch.allSingle = batch.allSingle && member.tokens == 1;
    batch.treesContinue = batch.treesContinue || !member.sequence->tree.empty();
    if (!trees.empty()) {
      member.sequence->tree = std::move(trees[i]);
    }
  }
  return batch;
}

// How often pages of a depth would be read by decode kernels, per read of a kernel that shares them.
void ForwardPlan::chooseKernels(const SequenceStore& store, const Batch& batch) {
  for (std::size_t depth = 0; depth < m_depthCount; ++depth) {
    std::size_t each = 0;
    std::size_t shared = 0;
    std::int32_t previous = -1;
    for (const Member& member : batch.members) {
      const std::int32_t block = member.blockAt(depth);
      const std::size_t pages = block == -1 ? 0 : store.block(block).pages.size();
      each += pages;
      shared += block == previous ? 0 : pages;
      previous = block;
    }
    m_depths[depth].useDecodeKernel =
        batch.allSingle &&
        static_cast<double>(each) < kShareFromRatio * static_cast<double>(std::max<std::size_t>(shared, 1));
    m_depths[depth].isChain = true;
  }
  m_appendFirst =
      (!m_config.slidingWindow && m_depths[m_depthCount - 1].useDecodeKernel) || batch.treesContinue;
}

// Masks of the trees that end at `depth`; when keys are appended later, all trees meet their queries at depth
// 0.
void ForwardPlan::planTrees(const Batch& batch, std::size_t depth) {
  DepthPlan& plan = m_depths[depth];
  plan.treeStarts.clear();
  plan.treeRanges.clear();
  plan.treeStarts.push(0);
  bool needsMask = false;
  for (const Member& member : batch.members) {
    const TokenTree& tree = member.sequence->tree;
    const bool here = !tree.empty() && (m_appendFirst ? member.endsAt(depth) : depth == 0);
    if (here) {
      for (const std::int32_t place : tree.walkRanges()) {
        plan.treeRanges.push(place);
      }
      // A chain needs no mask where kernels are causal: self-attention, and decode's single query.
      needsMask = needsMask || !tree.isChain || (m_appendFirst && !plan.useDecodeKernel);
    }
    plan.treeStarts.push(static_cast<std::int32_t>(plan.treeRanges.size() / 2));
  }
  plan.isChain = !needsMask;
  plan.useDecodeKernel = plan.useDecodeKernel && !(m_appendFirst && needsMask);
}

void ForwardPlan::build(SequenceStore& store, std::span<const Append> appends,
                        const std::optional<std::span<const std::int64_t>>& treeParents) {
  requireValid(store, appends);
  std::vector<TokenTree> trees = growTrees(store, appends, treeParents);
  store.checkAppends(appends);
  m_ready = false;
  m_appends.assign(appends.begin(), appends.end());
  const Batch batch = collect(store, std::move(trees));
  m_depthCount = 1;
  m_totalTokens = 0;
  m_pageBound = 0;
  for (const Member& member : batch.members) {
    m_depthCount = std::max(m_depthCount, std::min(member.blocks.size(), kDepths));
    m_totalTokens += member.tokens;
  }
  chooseKernels(store, batch);
  const auto makeRoom = [&] {
    for (const Member& member : batch.members) {
      store.append(*member.sequence, member.tokens);
    }
  };
  if (m_appendFirst) {
    makeRoom();
  }
  for (std::size_t depth = 0; depth < m_depthCount; ++depth) {
    if (treeParents.has_value()) {
      planTrees(batch, depth);
    }
    planDepth(store, batch, depth);
  }
  if (!m_appendFirst) {
    makeRoom();
  }
  planPositions(store, batch);
  m_ready = true;
}

}  // namespace opscope::vm
