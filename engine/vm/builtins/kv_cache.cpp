// SPDX-License-Identifier: Apache-2.0
// The paged KV cache: what a model's functions call in each layer, and what hosts ask it.
#include <tvm/ffi/string.h>

#include <array>
#include <vector>

#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/kv_arguments.h"
#include "engine/vm/builtins/kv_cache_create.h"
#include "engine/vm/kv_cache/kv_checkpoint.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

// (cache, layer, scale, qkv, output)
void attentionWithFusedQkv(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_attention_with_fused_qkv", packed);
  arguments.requireCount(5, 5);
  pagedKvCache(arguments).attentionWithFusedQkv(arguments.integer(1), number(arguments, 2),
                                                arguments.tensor(3), arguments.tensor(4));
}

// (cache, layer, scale, q, k, v, output, lse)
void selfAttention(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_self_attention", packed);
  arguments.requireCount(8, 8);
  pagedKvCache(arguments).selfAttention(arguments.integer(1), number(arguments, 2), arguments.ownedTensor(3),
                                        arguments.ownedTensor(4), arguments.ownedTensor(5),
                                        arguments.ownedTensor(6), arguments.ownedTensor(7));
}

// (cache, layer, scale, q, output, lse)
void crossAttention(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_cross_attention", packed);
  arguments.requireCount(6, 6);
  pagedKvCache(arguments).crossAttention(arguments.integer(1), number(arguments, 2), arguments.ownedTensor(3),
                                         arguments.ownedTensor(4), arguments.ownedTensor(5));
}

// (cache, layer whose keys are used, scale, q, new k, new v, output)
void attentionWithSharedKv(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_attention_with_shared_kv", packed);
  arguments.requireCount(7, 7);
  pagedKvCache(arguments).attentionWithSharedKv(arguments.integer(1), number(arguments, 2),
                                                arguments.ownedTensor(3), arguments.ownedTensor(4),
                                                arguments.ownedTensor(5), arguments.ownedTensor(6));
}

// (cache, layer, keys and values) -> cache
void appendMlaKv(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_append_mla_kv", packed);
  arguments.requireCount(3, 3);
  pagedKvCache(arguments).appendLatent(arguments.integer(1), arguments.ownedTensor(2));
  *result = arguments.at(0);
}

// (cache, output, lse, other output, other lse) -> [output, lse]
void mergeAttnOutputInplace(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_merge_attn_output_inplace", packed);
  arguments.requireCount(5, 5);
  const ffi::Tensor output = arguments.ownedTensor(1);
  const ffi::Tensor lse = arguments.ownedTensor(2);
  pagedKvCache(arguments).mergeOutputs(output, lse, arguments.ownedTensor(3), arguments.ownedTensor(4));
  *result = ffi::Array<ffi::Tensor>{output, lse};
}

// (cache) -> int32 positions of the pass's tokens in their sequences
void getQueryPositions(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_get_query_positions", packed);
  arguments.requireCount(1, 1);
  *result = pagedKvCache(arguments).queryPositions();
}

// (cache, sequence, window, sink)
void enableSlidingWindowForSeq(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_enable_sliding_window_for_seq", packed);
  arguments.requireCount(4, 4);
  pagedKvCache(arguments).enableSlidingWindow(arguments.integer(1), arguments.integer(2),
                                              arguments.integer(3));
}

// (cache, sequences, accepted leaf of each or -1)
void commitAcceptedTokenTreeNodes(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_commit_accepted_token_tree_nodes", packed);
  arguments.requireCount(3, 3);
  pagedKvCache(arguments).commitTrees(arguments.shape(1), arguments.shape(2));
}

// (cache) -> whether it holds nothing
void empty(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_empty", packed);
  arguments.requireCount(1, 1);
  *result = pagedKvCache(arguments).store().empty();
}

// (cache) -> free pages
void getNumAvailablePages(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_get_num_available_pages", packed);
  arguments.requireCount(1, 1);
  *result = pagedKvCache(arguments).store().availablePages();
}

// (cache) -> tokens of all sequences
void getTotalSequenceLength(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_get_total_sequence_length", packed);
  arguments.requireCount(1, 1);
  *result = pagedKvCache(arguments).store().totalLength();
}

// (cache, sequence) -> its tokens
void getSequenceLength(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_get_sequence_length", packed);
  arguments.requireCount(2, 2);
  *result = static_cast<std::int64_t>(pagedKvCache(arguments).store().at(arguments.integer(1)).length);
}

// (cache, sequence, first, last, keys, values)
void debugGetKv(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_debug_get_kv", packed);
  arguments.requireCount(6, 6);
  pagedKvCache(arguments).debugGet(arguments.integer(1), arguments.integer(2), arguments.integer(3),
                                   arguments.ownedTensor(4), arguments.ownedTensor(5));
}

// (cache, sequence, first, last, keys and values)
void debugGetKvMla(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_debug_get_kv_mla", packed);
  arguments.requireCount(5, 5);
  pagedKvCache(arguments).debugGetLatent(arguments.integer(1), arguments.integer(2), arguments.integer(3),
                                         arguments.ownedTensor(4));
}

// (cache, sequence, tokens) -> [runs, first slot, slots, ...]: where the tokens of a pass begun by this go
void disaggPrepareRecv(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.kv_cache_disagg_prepare_recv", packed);
  arguments.requireCount(3, 3);
  PagedKvCacheObj& cache = pagedKvCache(arguments);
  const std::int64_t sequence = arguments.integer(1);
  const std::int64_t tokens = arguments.integer(2);
  cache.beginForward({&sequence, 1}, {&tokens, 1}, std::nullopt);
  const IndexArray& slots = cache.appendSlots();
  std::vector<std::int64_t> runs = {0};
  for (std::int64_t i = 0; i < slots.size(); ++i) {
    if (i == 0 || slots[i] != slots[i - 1] + 1) {
      ++runs.front();
      runs.insert(runs.end(), {slots[i], 0});
    }
    ++runs.back();
  }
  *result = ffi::Shape(runs);
}

// Sending keys to another process: refused.
void disaggMarkSend(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.kv_cache_disagg_mark_send", packed);
  arguments.failValue(
      "sending keys and values to another process needs NVSHMEM on CUDA devices; this engine runs "
      "one process");
}

// (cache) -> hash of its layout
void getLayoutHash(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_get_layout_hash", packed);
  arguments.requireCount(1, 1);
  *result = ffi::String(KvCheckpoint(pagedKvCache(arguments)).layoutHash());
}

// (cache, sequence) -> JSON
void getCheckpointMetadata(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_get_checkpoint_metadata", packed);
  arguments.requireCount(2, 2);
  *result = ffi::String(KvCheckpoint(pagedKvCache(arguments)).metadata(arguments.integer(1)));
}

// (cache, sequence, layer, tensor to fill)
void exportPageGroup(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_export_page_group", packed);
  arguments.requireCount(4, 4);
  KvCheckpoint(pagedKvCache(arguments))
      .exportLayer(arguments.integer(1), arguments.integer(2), arguments.ownedTensor(3));
}

// (cache, sequence, JSON)
void prepareImport(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_prepare_import", packed);
  arguments.requireCount(3, 3);
  KvCheckpoint(pagedKvCache(arguments)).prepareImport(arguments.integer(1), arguments.text(2));
}

// (cache, sequence, layer, tensor)
void importPageGroup(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_import_page_group", packed);
  arguments.requireCount(4, 4);
  KvCheckpoint(pagedKvCache(arguments))
      .importLayer(arguments.integer(1), arguments.integer(2), arguments.ownedTensor(3));
}

// (cache, sequence)
void finishImport(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_finish_import", packed);
  arguments.requireCount(2, 2);
  KvCheckpoint(pagedKvCache(arguments)).finishImport(arguments.integer(1));
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.paged_attention_kv_cache_create", createPagedKvCache},
    Builtin{"vm.builtin.attention_kv_cache_attention_with_fused_qkv", attentionWithFusedQkv},
    Builtin{"vm.builtin.attention_kv_cache_self_attention", selfAttention},
    Builtin{"vm.builtin.attention_kv_cache_cross_attention", crossAttention},
    Builtin{"vm.builtin.attention_kv_cache_attention_with_shared_kv", attentionWithSharedKv},
    Builtin{"vm.builtin.attention_kv_cache_append_mla_kv", appendMlaKv},
    Builtin{"vm.builtin.attention_kv_cache_merge_attn_output_inplace", mergeAttnOutputInplace},
    Builtin{"vm.builtin.attention_kv_cache_get_query_positions", getQueryPositions},
    Builtin{"vm.builtin.attention_kv_cache_enable_sliding_window_for_seq", enableSlidingWindowForSeq},
    Builtin{"vm.builtin.attention_kv_cache_commit_accepted_token_tree_nodes", commitAcceptedTokenTreeNodes},
    Builtin{"vm.builtin.attention_kv_cache_empty", empty},
    Builtin{"vm.builtin.attention_kv_cache_get_num_available_pages", getNumAvailablePages},
    Builtin{"vm.builtin.attention_kv_cache_get_total_sequence_length", getTotalSequenceLength},
    Builtin{"vm.builtin.attention_kv_cache_get_sequence_length", getSequenceLength},
    Builtin{"vm.builtin.attention_kv_cache_debug_get_kv", debugGetKv},
    Builtin{"vm.builtin.attention_kv_cache_debug_get_kv_mla", debugGetKvMla},
    Builtin{"vm.builtin.attention_kv_cache_get_layout_hash", getLayoutHash},
    Builtin{"vm.builtin.attention_kv_cache_get_checkpoint_metadata", getCheckpointMetadata},
    Builtin{"vm.builtin.attention_kv_cache_export_page_group", exportPageGroup},
    Builtin{"vm.builtin.attention_kv_cache_prepare_import", prepareImport},
    Builtin{"vm.builtin.attention_kv_cache_import_page_group", importPageGroup},
    Builtin{"vm.builtin.attention_kv_cache_finish_import", finishImport},
    Builtin{"vm.builtin.kv_cache_disagg_prepare_recv", disaggPrepareRecv},
    Builtin{"vm.builtin.kv_cache_disagg_mark_send", disaggMarkSend},
};

}  // namespace

std::span<const Builtin> kvCacheBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
