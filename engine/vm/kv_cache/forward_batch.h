// SPDX-License-Identifier: Apache-2.0
// Private to ForwardPlan: the batch while a plan is built.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/vm/kv_cache/forward_plan.h"

namespace opscope::vm {

struct ForwardPlan::Member {
  KvSequence* sequence = nullptr;
  std::vector<std::int32_t> blocks;  // from the root
  std::int32_t tokens = 0;
  std::int32_t lastBlockBefore = 0;  // tokens in the last block
  std::int32_t firstPosition = 0;

  bool endsAt(std::size_t depth) const { return std::min(blocks.size(), kDepths) == depth + 1; }
  std::int32_t blockAt(std::size_t depth) const { return depth < blocks.size() ? blocks[depth] : -1; }
  /// The last depth takes all blocks from there on.
  std::span<const std::int32_t> blocksAt(std::size_t depth) const {
    if (depth >= blocks.size()) {
      return {};
    }
    const std::span<const std::int32_t> from(blocks.data() + depth, blocks.size() - depth);
    return depth + 1 == kDepths ? from : from.first(1);
  }
};

struct ForwardPlan::Entry {
  const Member* member = nullptr;
  std::int32_t queries = 0;
};

struct ForwardPlan::Batch {
  std::vector<Member> members;
  bool treesContinue = false;  // tokens of an earlier pass are in a tree that is not committed
  bool allSingle = true;
};

}  // namespace opscope::vm
