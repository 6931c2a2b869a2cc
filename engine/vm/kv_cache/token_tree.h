// SPDX-License-Identifier: Apache-2.0
// A tree of draft tokens at the end of a sequence: each node names an earlier node or -1 as its parent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace opscope::vm {

struct TokenTree {
  /// TVM's kernels hold no more nodes of one sequence.
  static constexpr std::size_t kMaxNodes = 256;

  std::vector<std::int32_t> parents;
  std::vector<std::int32_t> depths;  ///< 0 for roots
  bool isChain = true;               ///< each node's parent is the node before it

  bool empty() const { return parents.empty(); }
  std::int32_t size() const { return static_cast<std::int32_t>(parents.size()); }

  /// This tree with `more` nodes behind it; `more` counts parents from the first node of the whole tree.
  /// Raises ValueError for a parent that is not an earlier node or -1, and for a tree that is too large.
  TokenTree extended(std::span<const std::int64_t> more) const;

  /// Keeps the first `nodes` nodes.
  void truncate(std::int64_t nodes) {
    parents.resize(static_cast<std::size_t>(nodes));
    depths.resize(static_cast<std::size_t>(nodes));
    isChain = isChain || nodes == 0;
  }

  /// For each node its place in a depth-first walk and the end of its subtree in that walk: node a is an
  /// ancestor of b (or b itself) if place[a] <= place[b] < end[a]. This is the mask that kernels take.
  std::vector<std::int32_t> walkRanges() const;

  /// Nodes from a root to `leaf`.
  std::vector<std::int32_t> pathTo(std::int32_t leaf) const;
};

}  // namespace opscope::vm
