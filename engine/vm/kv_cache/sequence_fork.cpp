// SPDX-License-Identifier: Apache-2.0
// SequenceStore's fork and pop: the two that cut blocks.
#include <fmt/format.h>

#include <algorithm>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/kv_cache/sequence_store.h"

namespace opscope::vm {

/// A position as a block and the number of its tokens before it.
struct SequenceStore::Cut {
  std::int32_t block = 0;
  std::int32_t offset = 0;
};

SequenceStore::Cut SequenceStore::findCut(const KvSequence& sequence, std::int32_t position) const {
  std::vector<std::int32_t> blocks;
  trace(sequence, blocks);
  Cut cut{sequence.lastBlock, position};
  for (const std::int32_t index : blocks) {
    cut.block = index;
    if (index == sequence.lastBlock || block(index).length > cut.offset) {
      break;
    }
    cut.offset -= block(index).length;
  }
  return cut;
}

// Moves the first `pages` pages of a block into a new parent of it. The new parent counts two references: the
// block and the branch that the caller is about to make.
std::int32_t SequenceStore::splitOff(std::int32_t index, std::int32_t pages) {
  const std::int32_t frontIndex = newBlock();
  KvBlock& front = blockAt(frontIndex);
  KvBlock& rest = blockAt(index);
  const std::int32_t moved = pages * m_pageSize;
  front.pages.assign(rest.pages.begin(), rest.pages.begin() + pages);
  rest.pages.erase(rest.pages.begin(), rest.pages.begin() + pages);
  front.parent = rest.parent;
  front.start = rest.start;
  front.length = moved;
  front.references = 2;
  rest.parent = frontIndex;
  rest.start += moved;
  rest.length -= moved;
  if (rest.sinkLength > 0) {  // only pinned tokens can be cut off, see requireForkable
    rest.sinkLength -= moved;
    rest.windowOffset -= moved;
  }
  return frontIndex;
}

// Makes `child` a new last block that shares all before `position`.
std::optional<PageCopy> SequenceStore::branch(const KvSequence& parent, std::int32_t position,
                                              std::int32_t& child) {
  const Cut cut = findCut(parent, position);
  const std::int32_t inPage = position % m_pageSize;
  const std::int32_t wholePages = (cut.offset - inPage) / m_pageSize;
  std::int32_t prefix = block(cut.block).parent;
  if (wholePages > 0) {
    prefix = splitOff(cut.block, wholePages);
  } else if (prefix != -1) {
    ++blockAt(prefix).references;
  }
  child = newBlock();
  KvBlock& branched = blockAt(child);
  branched.parent = prefix;
  branched.references = 1;
  branched.start = position - inPage;
  branched.length = inPage;
  if (inPage == 0) {
    return std::nullopt;
  }
  branched.pages.push_back(m_pages.take());
  return PageCopy{block(cut.block).pages.front(), branched.pages.front(), inPage};
}

void SequenceStore::requireForkable(const KvSequence& parent, std::int64_t parentId,
                                    std::int64_t position) const {
  if (position < 0 || position > parent.length) {
    raise("ValueError", fmt::format("KV cache: a fork of sequence {} should be at -1 (its end) or from 0 to "
                                    "its length {}, got {}",
                                    parentId, parent.length, position));
  }
  if (!parent.tree.empty()) {
    raise("ValueError", fmt::format("KV cache: sequence {} cannot be forked before the accepted nodes of its "
                                    "token tree are committed",
                                    parentId));
  }
  const std::int32_t prefix = parent.length - block(parent.lastBlock).length;
  if (m_slides && parent.window != KvSequence::kNoWindow && position > std::max(prefix, parent.sink)) {
    raise("ValueError", fmt::format("KV cache: sequence {} has a sliding window, so only its first {} tokens "
                                    "can be shared, asked for were {}",
                                    parentId, std::max(prefix, parent.sink), position));
  }
  if (position % m_pageSize != 0 && m_pages.available() == 0) {
    raise("RuntimeError", fmt::format("KV cache: it is full: a fork within a page needs a free page, all {} "
                                      "are in use",
                                      m_pages.pageCount()));
  }
}

// A sequence whose full last block gets shared goes on in a new block.
void SequenceStore::openNewLastBlock(KvSequence& sequence) {
  const std::int32_t index = newBlock();
  KvBlock& opened = blockAt(index);
  opened.parent = sequence.lastBlock;
  opened.start = sequence.length;
  opened.references = 1;
  sequence.lastBlock = index;
}

std::optional<PageCopy> SequenceStore::fork(std::int64_t parentId, std::int64_t childId,
                                            std::int64_t position) {
  KvSequence& parent = at(parentId);
  if (contains(childId)) {
    raise("ValueError", fmt::format("KV cache: sequence {} exists already", childId));
  }
  const std::int64_t wanted = position == -1 ? parent.length : position;
  requireForkable(parent, parentId, wanted);
  const auto cut = static_cast<std::int32_t>(wanted);
  if (cut == parent.length && cut % m_pageSize == 0 && block(parent.lastBlock).length > 0) {
    openNewLastBlock(parent);
  }
  KvSequence child;
  child.length = cut;
  const std::optional<PageCopy> copy = branch(parent, cut, child.lastBlock);
  m_sequences.emplace(childId, std::move(child));
  return copy;
}

void SequenceStore::shrinkLastBlock(KvSequence& sequence, std::int32_t count) {
  KvBlock& last = blockAt(sequence.lastBlock);
  last.length -= count;
  sequence.length -= count;
  if (last.length <= last.sinkLength) {  // what stays is where it was before the window moved
    last.sinkLength = 0;
    last.windowOffset = 0;
  }
  const auto kept = static_cast<std::size_t>(pagesFor(slotCount(last)));
  while (last.pages.size() > kept) {
    m_pages.give(last.pages.back());
    last.pages.pop_back();
  }
}

// Popping into a shared block copies a page when it ends within one.
void SequenceStore::requirePageToPop(const KvSequence& sequence, std::int64_t count) const {
  std::int64_t left = count;
  std::int64_t available = m_pages.available();
  for (std::int32_t index = sequence.lastBlock; index != -1 && left > 0; index = block(index).parent) {
    if (block(index).references > 1) {
      if ((sequence.length - count) % m_pageSize != 0 && available == 0) {
        raise("RuntimeError", "KV cache: it is full: popping within a shared page needs a free page");
      }
      return;
    }
    available += static_cast<std::int64_t>(block(index).pages.size());
    left -= block(index).length;
  }
}

std::optional<PageCopy> SequenceStore::pop(std::int64_t id, std::int64_t count) {
  KvSequence& sequence = at(id);
  if (count < 0 || count > sequence.length) {
    raise("ValueError", fmt::format("KV cache: from sequence {} of {} tokens, 0 to as many can be popped, "
                                    "got {}",
                                    id, sequence.length, count));
  }
  requirePageToPop(sequence, count);
  sequence.tree.truncate(std::max<std::int64_t>(0, sequence.tree.size() - count));
  auto left = static_cast<std::int32_t>(count);
  while (left > 0) {
    const KvBlock& last = block(sequence.lastBlock);
    if (last.references > 1) {
      const std::int32_t position = sequence.length - left;
      std::int32_t branched = 0;
      const std::optional<PageCopy> copy = branch(sequence, position, branched);
      releaseChain(sequence.lastBlock);
      sequence.lastBlock = branched;
      sequence.length = position;
      return copy;
    }
    if (left <= last.length) {
      shrinkLastBlock(sequence, left);
      break;
    }
    left -= last.length;
    sequence.length -= last.length;
    const std::int32_t parent = last.parent;
    releaseBlock(sequence.lastBlock);
    sequence.lastBlock = parent;
  }
  return std::nullopt;
}

}  // namespace opscope::vm
