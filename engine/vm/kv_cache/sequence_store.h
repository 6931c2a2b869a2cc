// SPDX-License-Identifier: Apache-2.0
// The book-keeping of a paged KV cache: which pages hold the tokens of which sequence. Plain data, no
// tensors.
//
// Tokens live in blocks. A block has pages of its own; all blocks of a sequence but its last are full to a
// page border and may be shared: a sequence is the path from its last block to the root of a tree. A fork
// splits the parent's block at a page border, shares what is before it and asks for a copy of the page that
// it cuts. With a sliding window the last block keeps its first `sinkLength` tokens and, from slot
// `windowOffset` on, the newest ones; pages between them are given back.
//
// One thread, that of its cache. Every function raises tvm::ffi::Error on wrong arguments and then has
// changed nothing. Behaviour: Block, Sequence and ForkSequence, PopN, SlideWindowForSequence of TVM's
// paged_kv_cache.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/vm/kv_cache/page_pool.h"
#include "engine/vm/kv_cache/token_tree.h"

namespace opscope::vm {

struct KvBlock {
  std::vector<std::int32_t> pages;
  std::int32_t length = 0;        ///< tokens
  std::int32_t start = 0;         ///< position of the first token in its sequences
  std::int32_t sinkLength = 0;    ///< pinned first tokens; 0 until the window has moved
  std::int32_t windowOffset = 0;  ///< slot of the first token after the pinned ones
  std::int32_t parent = -1;
  std::int32_t references = 0;  ///< children, and sequences that end here
};

struct KvSequence {
  static constexpr std::int32_t kNoWindow = -1;

  std::int32_t lastBlock = 0;
  std::int32_t length = 0;  ///< tokens that are held, over all blocks
  std::int32_t window = kNoWindow;
  std::int32_t sink = 0;  ///< first tokens of the sequence that are pinned when the window moves
  TokenTree tree;         ///< not empty until its accepted nodes are committed
};

/// The first `tokens` tokens of page `from` are to be copied to page `to`, in every layer.
struct PageCopy {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t tokens = 0;
};

struct Append {
  std::int64_t sequence = 0;
  std::int64_t tokens = 0;
};

class SequenceStore {
 public:
  /// `slides`: sequences may give up old tokens (enableWindow).
  SequenceStore(std::int32_t pageSize, std::int32_t pageCount, bool slides);

  void clear();
  void add(std::int64_t id);
  void remove(std::int64_t id);
  /// `position` -1 is the end of the parent. With a window, only pinned tokens can be shared.
  std::optional<PageCopy> fork(std::int64_t parent, std::int64_t child, std::int64_t position);
  /// Drops the last `count` tokens.
  std::optional<PageCopy> pop(std::int64_t id, std::int64_t count);
  void enableWindow(std::int64_t id, std::int64_t window, std::int64_t sink);

  /// Raises when the pages do not suffice for all `appends` in this order.
  void checkAppends(std::span<const Append> appends) const;
  /// Makes room for `tokens` more tokens, moving the window. checkAppends has let it through.
  void append(KvSequence& sequence, std::int32_t tokens);

  KvSequence& at(std::int64_t id);
  const KvSequence& at(std::int64_t id) const;
  bool contains(std::int64_t id) const { return m_sequences.contains(id); }
  const KvBlock& block(std::int32_t index) const { return m_blocks[static_cast<std::size_t>(index)]; }
  /// Block indices from the root to the sequence's last block.
  void trace(const KvSequence& sequence, std::vector<std::int32_t>& into) const;
  /// Slot of token `index` of `block` in the pages of a layer: page * page size + place in the page.
  std::int32_t slotOf(const KvBlock& block, std::int32_t index) const;
  /// Slots of all tokens of a sequence, in order.
  std::vector<std::int32_t> slotsOf(const KvSequence& sequence) const;

  std::int32_t pageSize() const { return m_pageSize; }
  std::int64_t availablePages() const { return m_pages.available(); }
  std::int64_t totalLength() const;
  /// No sequence, and every page and block is free.
  bool empty() const;

 private:
  struct Growth;
  struct Cut;

  KvBlock& blockAt(std::int32_t index) { return m_blocks[static_cast<std::size_t>(index)]; }
  std::int32_t newBlock();
  void releaseBlock(std::int32_t index);
  void releaseChain(std::int32_t lastBlock);
  Growth growthOf(const KvSequence& sequence, std::int64_t tokens) const;
  std::int32_t slotCount(const KvBlock& block) const {
    return block.length - block.sinkLength + block.windowOffset;
  }
  std::int32_t pagesFor(std::int32_t slots) const { return (slots + m_pageSize - 1) / m_pageSize; }
  void requireForkable(const KvSequence& parent, std::int64_t parentId, std::int64_t position) const;
  void openNewLastBlock(KvSequence& sequence);
  Cut findCut(const KvSequence& sequence, std::int32_t position) const;
  std::int32_t splitOff(std::int32_t index, std::int32_t pages);
  std::optional<PageCopy> branch(const KvSequence& parent, std::int32_t position, std::int32_t& child);
  void shrinkLastBlock(KvSequence& sequence, std::int32_t count);
  void requirePageToPop(const KvSequence& sequence, std::int64_t count) const;

  std::int32_t m_pageSize;
  bool m_slides;
  PagePool m_pages;
  std::vector<KvBlock> m_blocks;
  std::vector<std::int32_t> m_freeBlocks;
  std::unordered_map<std::int64_t, KvSequence> m_sequences;
};

}  // namespace opscope::vm
