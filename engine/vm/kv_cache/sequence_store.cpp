// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kv_cache/sequence_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/vm/builtins/arguments.h"

namespace opscope::vm {

/// What a last block looks like after more tokens.
struct SequenceStore::Growth {
  std::int64_t blockLength = 0;
  std::int64_t sequenceLength = 0;
  std::int64_t sinkLength = 0;
  std::int64_t windowOffset = 0;
  std::int64_t firstDropped = 0;  ///< index of the first page that goes
  std::int64_t droppedPages = 0;
  std::int64_t newPages = 0;
};

SequenceStore::SequenceStore(std::int32_t pageSize, std::int32_t pageCount, bool slides)
    : m_pageSize(pageSize), m_slides(slides), m_pages(pageCount) {}

void SequenceStore::clear() {
  m_sequences.clear();
  m_blocks.clear();
  m_freeBlocks.clear();
  m_pages.reset();
}

KvSequence& SequenceStore::at(std::int64_t id) {
  return const_cast<KvSequence&>(std::as_const(*this).at(id));
}

const KvSequence& SequenceStore::at(std::int64_t id) const {
  const auto found = m_sequences.find(id);
  if (found == m_sequences.end()) {
    raise("ValueError", fmt::format("KV cache: there is no sequence {}", id));
  }
  return found->second;
}

std::int32_t SequenceStore::newBlock() {
  if (m_freeBlocks.empty()) {
    m_blocks.emplace_back();
    return static_cast<std::int32_t>(m_blocks.size() - 1);
  }
  const std::int32_t index = m_freeBlocks.back();
  m_freeBlocks.pop_back();
  return index;
}

void SequenceStore::releaseBlock(std::int32_t index) {
  KvBlock& block = blockAt(index);
  for (const std::int32_t page : block.pages) {
    m_pages.give(page);
  }
  std::vector<std::int32_t> pages = std::move(block.pages);
  pages.clear();
  block = KvBlock{};
  block.pages = std::move(pages);  // its capacity serves the next block
  m_freeBlocks.push_back(index);
}

void SequenceStore::releaseChain(std::int32_t lastBlock) {
  std::int32_t index = lastBlock;
  while (index != -1 && block(index).references == 1) {
    const std::int32_t parent = block(index).parent;
    releaseBlock(index);
    index = parent;
  }
  if (index != -1) {
    --blockAt(index).references;
  }
}

void SequenceStore::add(std::int64_t id) {
  if (contains(id)) {
    raise("ValueError", fmt::format("KV cache: sequence {} exists already", id));
  }
  const std::int32_t index = newBlock();
  blockAt(index).references = 1;
  m_sequences[id].lastBlock = index;
}

void SequenceStore::remove(std::int64_t id) {
  releaseChain(at(id).lastBlock);
  m_sequences.erase(id);
}

void SequenceStore::enableWindow(std::int64_t id, std::int64_t window, std::int64_t sink) {
  KvSequence& sequence = at(id);
  if (window <= 0 || window > INT32_MAX) {
    raise("ValueError", fmt::format("KV cache: a sliding window should be positive, got {}", window));
  }
  if (sink < 0 || sink >= window) {
    raise("ValueError",
          fmt::format("KV cache: the attention sink should be from 0 to below the window of {}, got {}",
                      window, sink));
  }
  if (sequence.window != KvSequence::kNoWindow) {
    raise("ValueError", fmt::format("KV cache: sequence {} has a sliding window already", id));
  }
  const std::int32_t prefix = sequence.length - block(sequence.lastBlock).length;
  if (m_slides && prefix >= window) {
    raise("ValueError", fmt::format("KV cache: sequence {} shares its first {} tokens, which cannot slide; "
                                    "a window of {} leaves no room",
                                    id, prefix, window));
  }
  sequence.window = static_cast<std::int32_t>(window);
  sequence.sink = static_cast<std::int32_t>(sink);
}

SequenceStore::Growth SequenceStore::growthOf(const KvSequence& sequence, std::int64_t tokens) const {
  const KvBlock& last = block(sequence.lastBlock);
  Growth growth;
  growth.blockLength = last.length + tokens;
  growth.sequenceLength = sequence.length + tokens;
  growth.sinkLength = last.sinkLength;
  growth.windowOffset = last.windowOffset;
  const auto pageCount = static_cast<std::int64_t>(last.pages.size());
  const std::int64_t slide = growth.sequenceLength - sequence.window;
  if (m_slides && sequence.window != KvSequence::kNoWindow && slide > 0) {
    const std::int64_t sink = std::max(0, sequence.sink - (sequence.length - last.length));
    if (sink > 0 && last.sinkLength == 0) {
      growth.sinkLength = sink;
      growth.windowOffset = sink;
    }
    const std::int64_t sinkPages = (growth.sinkLength + m_pageSize - 1) / m_pageSize;
    const std::int64_t offset = growth.windowOffset + slide;
    const std::int64_t passed = std::max<std::int64_t>(0, offset / m_pageSize - sinkPages);
    growth.windowOffset = offset - passed * m_pageSize;
    growth.blockLength -= slide;
    growth.sequenceLength = sequence.window;
    growth.firstDropped = sinkPages;
    growth.droppedPages = std::clamp<std::int64_t>(pageCount - sinkPages, 0, passed);
  }
  const std::int64_t slots = growth.blockLength - growth.sinkLength + growth.windowOffset;
  growth.newPages = (slots + m_pageSize - 1) / m_pageSize - (pageCount - growth.droppedPages);
  return growth;
}

void SequenceStore::checkAppends(std::span<const Append> appends) const {
  std::int64_t available = m_pages.available();
  for (const Append& append : appends) {
    const Growth growth = growthOf(at(append.sequence), append.tokens);
    available += growth.droppedPages - growth.newPages;
    if (available < 0) {
      raise(
          "RuntimeError",
          fmt::format("KV cache: it is full: {} more tokens of sequence {} need {} new page(s) of {} tokens, "
                      "{} of {} pages are free",
                      append.tokens, append.sequence, growth.newPages, m_pageSize, m_pages.available(),
                      m_pages.pageCount()));
    }
  }
}

void SequenceStore::append(KvSequence& sequence, std::int32_t tokens) {
  const Growth growth = growthOf(sequence, tokens);
  KvBlock& last = blockAt(sequence.lastBlock);
  const auto firstDropped = last.pages.begin() + (growth.droppedPages > 0 ? growth.firstDropped : 0);
  const auto endDropped = firstDropped + growth.droppedPages;
  std::for_each(firstDropped, endDropped, [this](std::int32_t page) { m_pages.give(page); });
  last.pages.erase(firstDropped, endDropped);
  for (std::int64_t page = 0; page < growth.newPages; ++page) {
    last.pages.push_back(m_pages.take());
  }
  last.length = static_cast<std::int32_t>(growth.blockLength);
  last.sinkLength = static_cast<std::int32_t>(growth.sinkLength);
  last.windowOffset = static_cast<std::int32_t>(growth.windowOffset);
  sequence.length = static_cast<std::int32_t>(growth.sequenceLength);
}

void SequenceStore::trace(const KvSequence& sequence, std::vector<std::int32_t>& into) const {
  into.clear();
  for (std::int32_t index = sequence.lastBlock; index != -1; index = block(index).parent) {
    into.push_back(index);
  }
  std::reverse(into.begin(), into.end());
}

std::int32_t SequenceStore::slotOf(const KvBlock& block, std::int32_t index) const {
  const std::int32_t slot = index < block.sinkLength ? index : index - block.sinkLength + block.windowOffset;
  return block.pages[static_cast<std::size_t>(slot / m_pageSize)] * m_pageSize + slot % m_pageSize;
}

std::vector<std::int32_t> SequenceStore::slotsOf(const KvSequence& sequence) const {
  std::vector<std::int32_t> blocks;
  trace(sequence, blocks);
  std::vector<std::int32_t> slots;
  slots.reserve(static_cast<std::size_t>(sequence.length));
  for (const std::int32_t index : blocks) {
    for (std::int32_t token = 0; token < block(index).length; ++token) {
      slots.push_back(slotOf(block(index), token));
    }
  }
  return slots;
}

std::int64_t SequenceStore::totalLength() const {
  std::int64_t total = 0;
  for (const auto& [id, sequence] : m_sequences) {
    total += sequence.length;
  }
  return total;
}

bool SequenceStore::empty() const {
  return m_sequences.empty() && m_freeBlocks.size() == m_blocks.size() &&
         m_pages.available() == m_pages.pageCount();
}

}  // namespace opscope::vm
