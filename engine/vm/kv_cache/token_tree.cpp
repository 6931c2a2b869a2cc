// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kv_cache/token_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/vm/builtins/arguments.h"

namespace opscope::vm {

TokenTree TokenTree::extended(std::span<const std::int64_t> more) const {
  if (parents.size() + more.size() > kMaxNodes) {
    raise("ValueError", fmt::format("KV cache: a token tree has at most {} nodes, this one would have {}",
                                    kMaxNodes, parents.size() + more.size()));
  }
  TokenTree tree = *this;
  for (const std::int64_t parent : more) {
    const std::int64_t node = tree.size();
    if (parent < -1 || parent >= node) {
      raise("ValueError",
            fmt::format("KV cache: the parent of tree node {} should be -1 or an earlier node, got {}", node,
                        parent));
    }
    tree.isChain = tree.isChain && parent == node - 1;
    tree.parents.push_back(static_cast<std::int32_t>(parent));
    tree.depths.push_back(parent == -1 ? 0 : tree.depths[static_cast<std::size_t>(parent)] + 1);
  }
  return tree;
}

std::vector<std::int32_t> TokenTree::walkRanges() const {
  const std::size_t count = parents.size();
  // Parents stand before their children, so one pass backwards sums the subtrees, one forwards places them.
  std::vector<std::int32_t> subtree(count, 1);
  for (std::size_t node = count; node-- > 0;) {
    if (parents[node] >= 0) {
      subtree[static_cast<std::size_t>(parents[node])] += subtree[node];
    }
  }
  std::vector<std::int32_t> ranges(count * 2);
  std::vector<std::int32_t> nextChild(count);
  std::int32_t nextRoot = 0;
  for (std::size_t node = 0; node < count; ++node) {
    std::int32_t& place = parents[node] < 0 ? nextRoot : nextChild[static_cast<std::size_t>(parents[node])];
    ranges[node * 2] = place;
    ranges[node * 2 + 1] = place + subtree[node];
    nextChild[node] = place + 1;
    place += subtree[node];
  }
  return ranges;
}

std::vector<std::int32_t> TokenTree::pathTo(std::int32_t leaf) const {
  std::vector<std::int32_t> path;
  for (std::int32_t node = leaf; node != -1; node = parents[static_cast<std::size_t>(node)]) {
    path.push_back(node);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace opscope::vm
