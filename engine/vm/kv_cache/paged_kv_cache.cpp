// SPDX-License-Identifier: Apache-2.0
// State of a paged KV cache; attention is in paged_attention.cpp.
#include "engine/vm/kv_cache/paged_kv_cache.h"

#include <fmt/format.h>

#include <utility>

#include "engine/runtime/run_context.h"
#include "engine/vm/builtins/arguments.h"
#include "engine/vm/host_tensor.h"
#include "engine/vm/kv_cache/tensor_shapes.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr DLDevice kHost{kDLCPU, 0};

std::vector<std::int64_t> pageShape(const PagedKvConfig& config, AttentionKind kind, std::int32_t count) {
  if (kind == AttentionKind::Latent) {
    return {count, config.pageSize, config.keyDim};
  }
  return {count, 2, config.keyHeads, config.pageSize, config.keyDim};
}

}  // namespace

PagedKvCacheObj::PagedKvCacheObj(PagedKvConfig config, KvKernels kernels)
    : m_config(std::move(config)),
      m_kernels(std::move(kernels)),
      m_allocator(runtime::AllocatorKind::Naive, runtime::runLogSlot()),
      m_store(m_config.pageSize, m_config.pageCount, m_config.slidingWindow),
      m_plan(m_config, m_allocator),
      m_query(m_allocator, m_config.prefillChunk, {m_config.queryHeads, m_config.keyDim}, m_config.dtype),
      m_key(m_allocator, m_config.prefillChunk, {m_config.keyHeads, m_config.keyDim}, m_config.dtype),
      m_value(m_allocator, m_config.prefillChunk, {m_config.keyHeads, m_config.keyDim}, m_config.dtype),
      m_partOutput(m_allocator, m_config.prefillChunk, {m_config.queryHeads, m_config.valueDim},
                   m_config.dtype),
      m_partLse(m_allocator, m_config.prefillChunk, {m_config.queryHeads}, DLDataType{kDLFloat, 32, 1}),
      m_lse(m_allocator, m_config.prefillChunk, {m_config.queryHeads}, DLDataType{kDLFloat, 32, 1}) {
  for (const AttentionKind kind : m_config.layerKinds) {
    const std::vector<std::int64_t> shape = pageShape(m_config, kind, m_config.pageCount);
    const ffi::ShapeView view(shape.data(), shape.size());
    m_storages.push_back(runtime::allocateStorage(m_allocator, runtime::tensorBytes(view, m_config.dtype),
                                                  runtime::kTensorAlignment, kHost));
    m_pages.push_back(runtime::tensorFromStorage(m_storages.back(), 0, view, m_config.dtype));
  }
}

void PagedKvCacheObj::showPages(std::int32_t count) {
  if (!m_shownPages.empty() && m_shownPages.front().size(0) == count) {
    return;
  }
  m_shownPages.clear();
  for (std::size_t layer = 0; layer < m_storages.size(); ++layer) {
    const std::vector<std::int64_t> shape = pageShape(m_config, m_config.layerKinds[layer], count);
    m_shownPages.push_back(
        runtime::tensorFromStorage(m_storages[layer], 0, {shape.data(), shape.size()}, m_config.dtype));
  }
}

void PagedKvCacheObj::clear() {
  m_store.clear();
  m_plan.drop();
  m_importing = false;
}

void PagedKvCacheObj::addSequence(std::int64_t id) {
  m_store.add(id);
}

void PagedKvCacheObj::removeSequence(std::int64_t id) {
  m_store.remove(id);
  m_plan.dropIfUsing(id);
}

void PagedKvCacheObj::copyPage(const std::optional<PageCopy>& copy) {
  if (!copy.has_value()) {
    return;
  }
  for (const ffi::Tensor& pages : m_pages) {
    m_kernels.copyPage(pages, static_cast<std::int64_t>(copy->from), static_cast<std::int64_t>(copy->to),
                       static_cast<std::int64_t>(copy->tokens));
  }
}

void PagedKvCacheObj::forkSequence(std::int64_t parent, std::int64_t child, std::int64_t position) {
  copyPage(m_store.fork(parent, child, position));
}

void PagedKvCacheObj::pop(std::int64_t id, std::int64_t count) {
  copyPage(m_store.pop(id, count));
  m_plan.dropIfUsing(id);
}

void PagedKvCacheObj::enableSlidingWindow(std::int64_t id, std::int64_t window, std::int64_t sink) {
  if (!m_config.slidingWindow && !m_config.hasKind(AttentionKind::MultiHeadSliding)) {
    raise("ValueError", "KV cache: it was made without support for sliding windows");
  }
  m_store.enableWindow(id, window, sink);
}

void PagedKvCacheObj::beginForward(ffi::ShapeView ids, ffi::ShapeView lengths,
                                   const std::optional<std::span<const std::int64_t>>& treeParents) {
  if (m_importing) {
    raise("RuntimeError", "KV cache: a sequence is being restored; finish that before a forward pass");
  }
  if (ids.size() != lengths.size()) {
    raise("ValueError", fmt::format("KV cache: {} sequences need as many append lengths, got {}", ids.size(),
                                    lengths.size()));
  }
  std::vector<Append> appends;
  appends.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    appends.push_back({ids[i], lengths[i]});
  }
  if (treeParents.has_value() && !m_treeKernelsOrdered) {
    m_kernels.orderTreeKernels();
    m_treeKernelsOrdered = true;
  }
  m_plan.build(m_store, appends, treeParents);
  showPages(m_plan.pageBound());
}

void PagedKvCacheObj::requireForward() const {
  if (!m_plan.ready()) {
    raise("RuntimeError",
          "KV cache: there is no forward pass; begin one with kv_state_begin_forward (removing, "
          "popping or clearing its sequences ends it)");
  }
}

ffi::Tensor PagedKvCacheObj::queryPositions() {
  requireForward();
  // A copy: the next pass overwrites the plan's array, and callers keep what they are given.
  return copyHostTensor("KV cache", *m_plan.queryPositions.vector().GetDLTensorPtr());
}

std::vector<std::int32_t> PagedKvCacheObj::slotsBetween(std::int64_t id, std::int64_t first,
                                                        std::int64_t last) const {
  const KvSequence& sequence = m_store.at(id);
  if (first < 0 || first >= last || last > sequence.length) {
    raise("ValueError", fmt::format("KV cache: tokens {} to {} should be a range within the {} tokens of "
                                    "sequence {}",
                                    first, last, sequence.length, id));
  }
  const std::vector<std::int32_t> slots = m_store.slotsOf(sequence);
  return {slots.begin() + first, slots.begin() + last};
}

void PagedKvCacheObj::debugGet(std::int64_t id, std::int64_t first, std::int64_t last,
                               const ffi::Tensor& keys, const ffi::Tensor& values) {
  const std::vector<std::int32_t> slots = slotsBetween(id, first, last);
  for (std::size_t layer = 0; layer < m_pages.size(); ++layer) {
    requireKind(layer, false, "debug_get_kv");
  }
  for (const ffi::Tensor* tensor : {&keys, &values}) {
    requireShape("keys and values", *tensor,
                 {m_config.layerCount, last - first, m_config.keyHeads, m_config.keyDim}, m_config.dtype);
  }
  IndexArray positions(m_allocator);
  for (const std::int32_t slot : slots) {
    positions.push(slot);
  }
  for (std::size_t layer = 0; layer < m_pages.size(); ++layer) {
    m_kernels.debugGet(m_pages[layer], positions.vector(), keys, values, static_cast<std::int64_t>(layer));
  }
}

void PagedKvCacheObj::debugGetLatent(std::int64_t id, std::int64_t first, std::int64_t last,
                                     const ffi::Tensor& data) {
  const std::vector<std::int32_t> slots = slotsBetween(id, first, last);
  for (std::size_t layer = 0; layer < m_pages.size(); ++layer) {
    requireKind(layer, true, "debug_get_kv_mla");
  }
  requireShape("data", data, {m_config.layerCount, last - first, m_config.keyDim}, m_config.dtype);
  IndexArray positions(m_allocator);
  for (const std::int32_t slot : slots) {
    positions.push(slot);
  }
  for (std::size_t layer = 0; layer < m_pages.size(); ++layer) {
    m_kernels.debugGet(m_pages[layer], positions.vector(), data, static_cast<std::int64_t>(layer));
  }
}

}  // namespace opscope::vm
