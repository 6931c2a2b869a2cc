// SPDX-License-Identifier: Apache-2.0
// Attention of a paged KV cache: which kernels run on which parts, and how the parts are put together. New
// queries meet new keys in one part, and the keys in the pages in one part a depth; parts are merged by their
// lse.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/kv_cache/paged_kv_cache.h"
#include "engine/vm/kv_cache/tensor_shapes.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr DLDataType kFloat32{kDLFloat, 32, 1};
// Layers with a window of their own have these whatever the other layers have (as TVM's runtime does).
constexpr double kLayerWindowTheta = 10000.0;
constexpr double kLayerWindowScale = 1.0;

/// The first rows of a tensor: kernels take a plain DLTensor too, so this needs no object.
class FirstRows {
 public:
  FirstRows(const DLTensor& tensor, std::int64_t rows) : m_view(tensor) {
    std::copy_n(tensor.shape, m_shape.size(), m_shape.begin());
    m_shape[0] = rows;
    m_view.shape = m_shape.data();
  }
  FirstRows(const FirstRows&) = delete;
  FirstRows& operator=(const FirstRows&) = delete;
  DLTensor* get() { return &m_view; }

 private:
  std::array<std::int64_t, 3> m_shape{};
  DLTensor m_view;
};

/// What kernels give for queries that see no keys; merging it with another part leaves that part as it is.
void fillWithNothing(const ffi::Tensor& output, const ffi::Tensor& lse) {
  constexpr float kNoKeys = -5e4F;
  std::memset(static_cast<char*>(output.data_ptr()) + output.byte_offset(), 0,
              ffi::GetDataSize(*output.GetDLTensorPtr()));
  auto* first = reinterpret_cast<float*>(static_cast<char*>(lse.data_ptr()) + lse.byte_offset());
  std::fill_n(first, lse.numel(), kNoKeys);
}

std::int64_t flag(bool value) {
  return value ? 1 : 0;
}

}  // namespace

/// Queries and where their result goes. Keys and values are those of the new tokens.
struct PagedKvCacheObj::Part {
  ffi::AnyView query;
  ffi::AnyView key;
  ffi::AnyView value;
  ffi::AnyView output;
  ffi::AnyView lse;
};

std::size_t PagedKvCacheObj::localLayer(std::int64_t layer) const {
  if (layer < m_config.firstLayer || layer >= m_config.firstLayer + m_config.layerCount) {
    raise("ValueError",
          fmt::format("KV cache: it holds layers {} to {}, asked for was layer {}", m_config.firstLayer,
                      m_config.firstLayer + m_config.layerCount - 1, layer));
  }
  return static_cast<std::size_t>(layer - m_config.firstLayer);
}

void PagedKvCacheObj::requireKind(std::size_t layer, bool latent, const char* what) const {
  if ((kindOf(layer) == AttentionKind::Latent) != latent) {
    raise("ValueError",
          fmt::format("KV cache: {} is for layers with {} attention, layer {} is of another kind", what,
                      latent ? "latent" : "multi-head",
                      m_config.firstLayer + static_cast<std::int64_t>(layer)));
  }
}

void PagedKvCacheObj::append(std::size_t layer, const ffi::Tensor& keys, const ffi::Tensor& values) {
  m_kernels.append(m_shownPages[layer], keys, values, m_plan.appendSlots.vector());
}

void PagedKvCacheObj::attentionWithFusedQkv(std::int64_t layerIndex, double scale, const DLTensor& qkv,
                                            const DLTensor& output) {
  requireForward();
  const std::size_t layer = localLayer(layerIndex);
  requireKind(layer, false, "attention_with_fused_qkv");
  const std::int64_t tokens = m_plan.totalTokens();
  // Models may compute on more rows than there are tokens; the rows behind them stay as they are.
  const std::int64_t rows = qkv.ndim == 3 ? std::max(qkv.shape[0], tokens) : tokens;
  requireShape("fused q, k and v", qkv, {rows, m_config.queryHeads + 2 * m_config.keyHeads, m_config.keyDim},
               m_config.dtype);
  requireShape("the output", output, {rows, m_config.queryHeads, m_config.keyDim}, m_config.dtype);
  FirstRows qkvRows(qkv, tokens);
  FirstRows outputRows(output, tokens);
  const ffi::Tensor& q = m_query.rows(tokens);
  const ffi::Tensor& k = m_key.rows(tokens);
  const ffi::Tensor& v = m_value.rows(tokens);
  if (m_kernels.ropeFactors.has_value()) {
    m_kernels.splitRotary(qkvRows.get(), m_plan.queryPositions.vector(), q, k, v, *m_kernels.ropeFactors);
  } else {
    m_kernels.splitRotary(qkvRows.get(), m_plan.queryPositions.vector(), q, k, v,
                          flag(m_config.ropeMode == RopeMode::Normal));
  }
  if (m_plan.appendFirst()) {
    append(layer, k, v);
  }
  attend(layer, Part{q, k, v, outputRows.get(), m_lse.rows(tokens)}, scale);
  if (!m_plan.appendFirst()) {
    append(layer, k, v);
  }
}

void PagedKvCacheObj::attend(std::size_t layer, const Part& part, double scale) {
  const bool withNew = !m_plan.appendFirst();
  if (withNew) {
    attendToNew(layer, part, scale);
  }
  const bool masked =
      withNew && m_config.kernelMasksLayerWindow && kindOf(layer) == AttentionKind::MultiHeadSliding;
  attendToPages(layer, part, scale, !withNew, masked);
}

void PagedKvCacheObj::attendToNew(std::size_t layer, const Part& part, double scale) {
  DepthPlan& first = m_plan.depths().front();
  const ffi::Tensor& starts = m_plan.appendStarts.vector();
  const ffi::Tensor& positions = m_plan.queryPositions.vector();
  const bool inlineRope = m_config.ropeMode == RopeMode::Inline && kindOf(layer) != AttentionKind::Latent;
  if (first.isChain || m_plan.appendFirst()) {
    m_kernels.raggedPrefill(part.query, starts, part.key, part.value, starts, positions,
                            m_plan.firstPositions.vector(), part.output, part.lse, flag(true),
                            flag(inlineRope), m_config.ropeScale, m_config.ropeTheta, scale);
    return;
  }
  m_kernels.treeRagged(part.query, starts, part.key, part.value, starts, positions, first.treeStarts.vector(),
                       first.treeRanges.matrix(first.treeRanges.size() / 2), part.output, part.lse,
                       flag(inlineRope), m_config.ropeScale, m_config.ropeTheta, scale);
}

void PagedKvCacheObj::attendAtDepth(std::size_t layer, DepthPlan& depth, const Part& part, double scale,
                                    bool masked) {
  const bool layerWindow = kindOf(layer) == AttentionKind::MultiHeadSliding;
  const bool windows = layerWindow || m_config.slidingWindow;
  PageTable& table = layerWindow ? depth.layerWindow : depth.pages;
  const double theta = layerWindow ? kLayerWindowTheta : m_config.ropeTheta;
  const double ropeScale = layerWindow ? kLayerWindowScale : m_config.ropeScale;
  const std::int64_t inlineRope = flag(m_config.ropeMode == RopeMode::Inline);
  const ffi::Tensor& lengths = windows ? table.lengths.matrix(3) : table.lengths.vector();
  const ffi::Tensor& positions = m_plan.queryPositions.vector();
  if (m_plan.appendFirst() && !depth.isChain) {
    m_kernels.treePaged(part.query, depth.queryStarts.vector(), m_shownPages[layer], table.starts.vector(),
                        table.ids.vector(), lengths, table.keyPositions.vector(), positions, part.output,
                        part.lse, inlineRope, ropeScale, theta, scale, depth.treeStarts.vector(),
                        depth.treeRanges.matrix(depth.treeRanges.size() / 2));
  } else if (depth.useDecodeKernel) {
    const KvKernel& kernel = windows ? m_kernels.slidingDecode : m_kernels.decode;
    kernel(part.query, m_shownPages[layer], table.starts.vector(), table.ids.vector(), lengths,
           table.keyPositions.vector(), positions, part.output, part.lse, inlineRope, ropeScale, theta,
           scale);
  } else {
    const KvKernel& kernel = windows ? m_kernels.slidingPrefill : m_kernels.pagedPrefill;
    kernel(part.query, depth.queryStarts.vector(), m_shownPages[layer], table.starts.vector(),
           table.ids.vector(), lengths, table.keyPositions.vector(), positions, part.output, part.lse,
           flag(masked), inlineRope, ropeScale, theta, scale);
  }
}

void PagedKvCacheObj::attendLatentAtDepth(std::size_t layer, DepthPlan& depth, const Part& part,
                                          double scale) {
  m_kernels.latentPrefill(part.query, depth.queryStarts.vector(), m_shownPages[layer],
                          depth.pages.starts.vector(), depth.pages.ids.vector(), depth.pages.lengths.vector(),
                          part.output, part.lse, flag(false), scale);
}

// Returns whether there was anything in the pages. The first part writes the output itself, later ones are
// merged into it.
bool PagedKvCacheObj::attendToPages(std::size_t layer, const Part& part, double scale, bool isFirst,
                                    bool masked) {
  const std::int64_t tokens = m_plan.totalTokens();
  bool attended = false;
  for (DepthPlan& depth : m_plan.depths()) {
    if (depth.pages.ids.size() == 0) {
      continue;
    }
    Part target = part;
    if (!isFirst) {
      target.output = m_partOutput.rows(tokens);
      target.lse = m_partLse.rows(tokens);
    }
    if (kindOf(layer) == AttentionKind::Latent) {
      attendLatentAtDepth(layer, depth, target, scale);
    } else {
      attendAtDepth(layer, depth, target, scale, masked);
    }
    if (!isFirst) {
      m_kernels.merge.front()(part.output, part.lse, target.output, target.lse);
    }
    isFirst = false;
    attended = true;
  }
  return attended;
}

void PagedKvCacheObj::selfAttention(std::int64_t layerIndex, double scale, const ffi::Tensor& q,
                                    const ffi::Tensor& k, const ffi::Tensor& v, const ffi::Tensor& output,
                                    const ffi::Tensor& lse) {
  requireForward();
  const std::size_t layer = localLayer(layerIndex);
  const std::int64_t tokens = m_plan.totalTokens();
  // Latent layers attend with the dimensions of the model here, which only the kernel knows.
  for (const ffi::Tensor* tensor : {&q, &k, &v, &output}) {
    if (tensor->ndim() != 3) {
      raise("ValueError",
            fmt::format("KV cache: q, k, v and output of self-attention should have 3 axes, got {}",
                        tensor->ndim()));
    }
    requireShape("q, k, v and output of self-attention", *tensor, {tokens, tensor->size(1), tensor->size(2)},
                 m_config.dtype);
  }
  requireShape("lse", lse, {tokens, m_config.queryHeads}, kFloat32);
  attendToNew(layer, Part{q, k, v, output, lse}, scale);
}

void PagedKvCacheObj::crossAttention(std::int64_t layerIndex, double scale, const ffi::Tensor& q,
                                     const ffi::Tensor& output, const ffi::Tensor& lse) {
  requireForward();
  const std::size_t layer = localLayer(layerIndex);
  const std::int64_t tokens = m_plan.totalTokens();
  requireShape("q", q, {tokens, m_config.queryHeads, m_config.keyDim}, m_config.dtype);
  requireShape("the output", output, {tokens, m_config.queryHeads, m_config.valueDim}, m_config.dtype);
  requireShape("lse", lse, {tokens, m_config.queryHeads}, kFloat32);
  if (!attendToPages(layer, Part{q, nullptr, nullptr, output, lse}, scale, true, false)) {
    fillWithNothing(output, lse);
  }
}

void PagedKvCacheObj::attentionWithSharedKv(std::int64_t layerIndex, double scale, const ffi::Tensor& q,
                                            const ffi::Tensor& k, const ffi::Tensor& v,
                                            const ffi::Tensor& output) {
  requireForward();
  const std::size_t layer = localLayer(layerIndex);
  requireKind(layer, false, "attention_with_shared_kv");
  const std::int64_t tokens = m_plan.totalTokens();
  requireShape("q", q, {tokens, m_config.queryHeads, m_config.keyDim}, m_config.dtype);
  requireShape("k", k, {tokens, m_config.keyHeads, m_config.keyDim}, m_config.dtype);
  requireShape("v", v, {tokens, m_config.keyHeads, m_config.valueDim}, m_config.dtype);
  requireShape("the output", output, {tokens, m_config.queryHeads, m_config.valueDim}, m_config.dtype);
  attend(layer, Part{q, k, v, output, m_lse.rows(tokens)}, scale);
}

void PagedKvCacheObj::appendLatent(std::int64_t layerIndex, const ffi::Tensor& kv) {
  requireForward();
  const std::size_t layer = localLayer(layerIndex);
  requireKind(layer, true, "append_mla_kv");
  requireShape("keys and values", kv, {m_plan.totalTokens(), m_config.keyDim}, m_config.dtype);
  m_kernels.appendLatent(m_shownPages[layer], kv, m_plan.appendSlots.vector());
}

void PagedKvCacheObj::mergeOutputs(const ffi::Tensor& output, const ffi::Tensor& lse,
                                   const ffi::Tensor& otherOutput, const ffi::Tensor& otherLse) {
  if (m_kernels.merge.size() < 2) {
    raise("RuntimeError", "KV cache: the executable brings no kernel for merging outputs on request");
  }
  m_kernels.merge[1](output, lse, otherOutput, otherLse);
}

}  // namespace opscope::vm
