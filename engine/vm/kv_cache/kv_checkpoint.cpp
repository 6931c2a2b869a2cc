// SPDX-License-Identifier: Apache-2.0
// The pages of checkpoints; kv_checkpoint_json.cpp describes them.
#include "engine/vm/kv_cache/kv_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/kv_cache/tensor_shapes.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

KvCheckpoint::KvCheckpoint(PagedKvCacheObj& cache) : m_cache(cache) {
  const PagedKvConfig& config = cache.config();
  const bool plain = std::all_of(config.layerKinds.begin(), config.layerKinds.end(),
                                 [](AttentionKind kind) { return kind == AttentionKind::MultiHead; });
  const char* reason = !plain                             ? "layers other than plain multi-head attention"
                       : config.slidingWindow             ? "sliding windows"
                       : config.keyDim != config.valueDim ? "values of another size than keys"
                       : cache.m_kernels.ropeFactors.has_value() ? "rope extension factors"
                                                                 : nullptr;
  if (reason != nullptr) {
    raise("ValueError", fmt::format("KV cache: one with {} cannot be saved or restored", reason));
  }
}

std::size_t KvCheckpoint::rowBytes() const {
  const PagedKvConfig& config = m_cache.config();
  return static_cast<std::size_t>(config.keyDim) * ((config.dtype.bits * config.dtype.lanes + 7U) / 8U);
}

std::size_t KvCheckpoint::pageBytes() const {
  const PagedKvConfig& config = m_cache.config();
  return 2 * static_cast<std::size_t>(config.keyHeads * config.pageSize) * rowBytes();
}

const KvSequence& KvCheckpoint::savable(std::int64_t sequence) const {
  if (m_cache.m_importing) {
    raise("RuntimeError", "KV cache: a sequence is being restored; finish that first");
  }
  const KvSequence& found = m_cache.store().at(sequence);
  if (!found.tree.empty()) {
    raise("ValueError",
          fmt::format("KV cache: sequence {} has a token tree; commit its accepted nodes first", sequence));
  }
  return found;
}

std::vector<std::int32_t> KvCheckpoint::pagesOf(const KvSequence& sequence) const {
  std::vector<std::int32_t> blocks;
  m_cache.store().trace(sequence, blocks);
  std::vector<std::int32_t> pages;
  for (const std::int32_t block : blocks) {
    const auto& held = m_cache.store().block(block).pages;
    pages.insert(pages.end(), held.begin(), held.end());
  }
  return pages;
}

std::size_t KvCheckpoint::layerAt(std::int64_t layer) const {
  if (layer < 0 || layer >= m_cache.config().layerCount) {
    raise("ValueError",
          fmt::format("KV cache: it has {} groups of pages, one a layer, asked for was group {}",
                      m_cache.config().layerCount, layer));
  }
  return static_cast<std::size_t>(layer);
}

void KvCheckpoint::requireLayerTensor(const ffi::Tensor& tensor, std::size_t pages) const {
  const PagedKvConfig& config = m_cache.config();
  requireShape("a group of pages", tensor,
               {1, static_cast<std::int64_t>(pages), 2, config.keyHeads, config.pageSize, config.keyDim},
               config.dtype);
}

void KvCheckpoint::exportLayer(std::int64_t sequence, std::int64_t layer, const ffi::Tensor& to) const {
  const KvSequence& saved = savable(sequence);
  const std::size_t index = layerAt(layer);
  const std::vector<std::int32_t> pages = pagesOf(saved);
  requireLayerTensor(to, pages.size());
  const char* from = static_cast<const char*>(m_cache.pages(index).data_ptr());
  char* out = static_cast<char*>(to.data_ptr()) + to.byte_offset();
  const auto pageSize = static_cast<std::size_t>(m_cache.config().pageSize);
  for (std::size_t page = 0; page < pages.size(); ++page) {
    const char* source = from + static_cast<std::size_t>(pages[page]) * pageBytes();
    char* target = out + page * pageBytes();
    const std::size_t used = std::min(pageSize, static_cast<std::size_t>(saved.length) - page * pageSize);
    std::memset(target, 0, used == pageSize ? 0 : pageBytes());
    const std::size_t rows = pageSize * rowBytes();  // of one head's keys or values
    for (std::size_t part = 0; part < pageBytes(); part += rows) {
      std::memcpy(target + part, source + part, used * rowBytes());
    }
  }
}

void KvCheckpoint::prepareImport(std::int64_t sequence, std::string_view metadata) {
  const std::int64_t length = lengthInMetadata(metadata);
  const std::int64_t capacity = std::int64_t{m_cache.config().pageCount} * m_cache.config().pageSize;
  if (length < 0 || length > capacity) {
    raise("ValueError", fmt::format("KV cache: a sequence of {} tokens does not fit into a cache for {}",
                                    length, capacity));
  }
  requireMatch(sequence, length, metadata);
  m_cache.clear();
  m_cache.addSequence(sequence);
  if (length > 0) {
    m_cache.m_store.append(m_cache.m_store.at(sequence), static_cast<std::int32_t>(length));
  }
  m_cache.m_importing = true;
  m_cache.m_importedLayers.assign(static_cast<std::size_t>(m_cache.config().layerCount), false);
}

void KvCheckpoint::requireImport(std::int64_t sequence) const {
  if (!m_cache.m_importing) {
    raise("RuntimeError",
          "KV cache: no sequence is being restored; call attention_kv_cache_prepare_import first");
  }
  static_cast<void>(m_cache.store().at(sequence));
}

void KvCheckpoint::importLayer(std::int64_t sequence, std::int64_t layer, const ffi::Tensor& from) {
  requireImport(sequence);
  const std::size_t index = layerAt(layer);
  if (m_cache.m_importedLayers[index]) {
    raise("ValueError", fmt::format("KV cache: group {} has been restored already", layer));
  }
  const std::vector<std::int32_t> pages = pagesOf(m_cache.store().at(sequence));
  requireLayerTensor(from, pages.size());
  const char* source = static_cast<const char*>(from.data_ptr()) + from.byte_offset();
  char* to = static_cast<char*>(m_cache.pages(index).data_ptr());
  for (std::size_t page = 0; page < pages.size(); ++page) {
    std::memcpy(to + static_cast<std::size_t>(pages[page]) * pageBytes(), source + page * pageBytes(),
                pageBytes());
  }
  m_cache.m_importedLayers[index] = true;
}

void KvCheckpoint::finishImport(std::int64_t sequence) {
  requireImport(sequence);
  for (std::size_t layer = 0; layer < m_cache.m_importedLayers.size(); ++layer) {
    if (!m_cache.m_importedLayers[layer]) {
      raise("RuntimeError", fmt::format("KV cache: group {} has not been restored yet", layer));
    }
  }
  m_cache.m_importing = false;
}

}  // namespace opscope::vm
