// SPDX-License-Identifier: Apache-2.0
// The builtins of paged KV caches with wrong arguments, and with kernels that only record what they are
// given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/vm/case_runner.h"
#include "tests/vm/kv_builtin_calls.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The arguments of paged_attention_kv_cache_create for one layer of 2 query heads and 1 key head of 4
/// elements.
class PagedKvCache : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<ffi::Any> merge = {kernel("merge")};
    m_arguments = {shapeOf({2, 64, 16, 4, 0, 8}),
                   shapeOf({0, 1}),
                   std::int64_t{2},
                   std::int64_t{1},
                   std::int64_t{4},
                   std::int64_t{4},
                   shapeOf({0}),
                   std::int64_t{0},
                   std::int64_t{0},
                   std::int64_t{1},
                   10000.0,
                   std::int64_t{0},
                   floatTensor({}, {0}),
                   kernel("append"),
                   kernel("append latent"),
                   library("ragged"),
                   library("paged"),
                   library("decode"),
                   library("sliding paged"),
                   library("sliding decode"),
                   library("tree paged"),
                   library("tree ragged"),
                   tupleOf({}),
                   tupleOf(merge),
                   kernel("split"),
                   kernel("copy"),
                   kernel("debug"),
                   kernel("compact")};
  }
  ffi::Any kernel(const std::string& name) {
    return ffi::Function::FromPacked(
        [calls = m_calls, name](ffi::PackedArgs, ffi::Any*) { calls->push_back(name); });
  }
  ffi::Any library(const std::string& name) { return tupleOf({ffi::String("tirx"), kernel(name)}); }

  ffi::Any create() { return callBuiltin("paged_attention_kv_cache_create", m_arguments); }
  std::string failureWith(std::size_t place, ffi::Any value) {
    std::vector<ffi::Any> arguments = m_arguments;
    arguments.at(place) = std::move(value);
    return builtinFailure("paged_attention_kv_cache_create", arguments);
  }
  static void begin(const ffi::Any& cache, std::initializer_list<std::int64_t> ids,
                    std::initializer_list<std::int64_t> lengths) {
    callBuiltin("kv_state_begin_forward", {cache, shapeOf(ids), shapeOf(lengths)});
  }
  void attend(const ffi::Any& cache, std::int64_t tokens) {
    const auto count = static_cast<std::size_t>(tokens);
    callBuiltin("attention_kv_cache_attention_with_fused_qkv",
                {cache, std::int64_t{0}, 0.5, floatTensor({tokens, 4, 4}, std::vector<float>(count * 16)),
                 floatTensor({tokens, 2, 4}, std::vector<float>(count * 8))});
  }
  std::vector<std::string> takeCalls() { return std::exchange(*m_calls, {}); }

  std::shared_ptr<std::vector<std::string>> m_calls = std::make_shared<std::vector<std::string>>();
  std::vector<ffi::Any> m_arguments;
};

TEST_F(PagedKvCache, KernelsRunInTheOrderOfTheirParts) {
  const ffi::Any cache = create();
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{0}});
  begin(cache, {0}, {5});
  attend(cache, 5);
  EXPECT_THAT(takeCalls(), ElementsAre("split", "ragged", "append"));
  begin(cache, {0}, {3});
  attend(cache, 3);
  EXPECT_THAT(takeCalls(), ElementsAre("split", "ragged", "paged", "merge", "append"));
  begin(cache, {0}, {1});
  attend(cache, 1);
  EXPECT_THAT(takeCalls(), ElementsAre("split", "append", "decode"));
  callBuiltin("kv_state_fork_sequence", {cache, std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}});
  EXPECT_THAT(takeCalls(), ElementsAre("copy"));
  begin(cache, {0, 1}, {1, 1});
  attend(cache, 2);
  EXPECT_THAT(takeCalls(), ElementsAre("split", "append", "decode", "decode", "merge"));
  callBuiltin("kv_state_begin_forward", {cache, shapeOf({0}), shapeOf({3}), shapeOf({-1, 0, 0})});
  attend(cache, 3);
  const std::vector<std::string> calls = takeCalls();
  EXPECT_THAT(calls, testing::Contains("tree ragged"));
  callBuiltin("attention_kv_cache_commit_accepted_token_tree_nodes", {cache, shapeOf({0}), shapeOf({2})});
  EXPECT_THAT(takeCalls(), ElementsAre("compact"));
  EXPECT_EQ(
      callBuiltin("attention_kv_cache_get_sequence_length", {cache, std::int64_t{0}}).cast<std::int64_t>(),
      12);
}

TEST_F(PagedKvCache, SizesAndHeadsAreChecked) {
  EXPECT_THAT(builtinFailure("paged_attention_kv_cache_create", {}),
              HasSubstr("takes 28 to 29 arguments, got 0"));
  EXPECT_THAT(failureWith(0, shapeOf({1, 2, 3})), HasSubstr("should hold 5 or 6 sizes"));
  EXPECT_THAT(failureWith(0, shapeOf({0, 64, 16, 4, 0, 8})), HasSubstr("largest batch should be from 1"));
  EXPECT_THAT(failureWith(0, shapeOf({2, -1, 16, 4, 0, 8})), HasSubstr("number of tokens should be from 1"));
  EXPECT_THAT(failureWith(0, shapeOf({2, 2147483647, 16, 4, 0, 8})), HasSubstr("are too many"));
  EXPECT_THAT(failureWith(0, shapeOf({2, 64, INT64_MAX, 4, 0, 8})), HasSubstr("prefill chunk size"));
  EXPECT_THAT(failureWith(1, shapeOf({0, 1, 2})), HasSubstr("argument 1 should be the first layer"));
  EXPECT_THAT(failureWith(1, shapeOf({0, 2})), HasSubstr("attention kinds of 2 layers, got 1"));
  EXPECT_THAT(failureWith(3, std::int64_t{3}), HasSubstr("2 query heads cannot share 3 key heads"));
  EXPECT_THAT(failureWith(4, ffi::String("x")), HasSubstr("argument 4 should be an integer"));
  EXPECT_THAT(failureWith(6, shapeOf({2})), HasSubstr("attention of kind 2"));
  EXPECT_THAT(failureWith(7, true), HasSubstr("needs NVSHMEM"));
  EXPECT_THAT(failureWith(8, std::int64_t{3}), HasSubstr("rope mode should be 0 (none)"));
  EXPECT_THAT(failureWith(11, floatTensor({4}, {1, 1, 1, 1})),
              HasSubstr("rope extension factors need the normal"));
  EXPECT_THAT(failureWith(12, nullptr), HasSubstr("argument 12 should be a tensor"));
}

TEST_F(PagedKvCache, KernelsAreChecked) {
  EXPECT_THAT(failureWith(15, tupleOf({ffi::String("flashinfer"), kernel("x"), kernel("y")})),
              HasSubstr("only \"tirx\" runs here"));
  EXPECT_THAT(failureWith(16, tupleOf({ffi::String("tirx")})),
              HasSubstr("argument 16 should be a library's name"));
  EXPECT_THAT(failureWith(17, std::int64_t{1}), HasSubstr("argument 17 should be a tuple"));
  EXPECT_THAT(failureWith(23, tupleOf({})), HasSubstr("no kernel for merging"));
  EXPECT_THAT(failureWith(24, std::int64_t{1}), HasSubstr("argument 24 should be a kernel"));
  m_arguments[17] = tupleOf({});
  const ffi::Any cache = create();
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{0}});
  begin(cache, {0}, {1});
  EXPECT_THROW(attend(cache, 1), ffi::Error);
  EXPECT_THAT(builtinFailure("attention_kv_cache_cross_attention",
                             {cache, std::int64_t{0}, 1.0, floatTensor({1, 2, 4}, std::vector<float>(8)),
                              floatTensor({1, 2, 4}, std::vector<float>(8)), floatTensor({1, 2}, {0, 0})}),
              HasSubstr("the executable brings no kernel for decode attention"));
}

TEST_F(PagedKvCache, AttentionNeedsAPassAndTensorsThatFitIt) {
  const ffi::Any cache = create();
  const auto attention = [&](std::int64_t layer, ffi::Any qkv, ffi::Any output) {
    return builtinFailure("attention_kv_cache_attention_with_fused_qkv",
                          {cache, layer, 0.5, std::move(qkv), std::move(output)});
  };
  const ffi::Any qkv = floatTensor({2, 4, 4}, std::vector<float>(32));
  const ffi::Any output = floatTensor({2, 2, 4}, std::vector<float>(16));
  EXPECT_THAT(attention(0, qkv, output), HasSubstr("there is no forward pass"));
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{0}});
  begin(cache, {0}, {2});
  EXPECT_EQ(attention(0, qkv, output), "");
  EXPECT_THAT(attention(1, qkv, output), HasSubstr("holds layers 0 to 0, asked for was layer 1"));
  EXPECT_THAT(attention(-1, qkv, output), HasSubstr("asked for was layer -1"));
  EXPECT_THAT(attention(0, output, output), HasSubstr("fused q, k and v should have shape [2, 4, 4]"));
  EXPECT_THAT(attention(0, qkv, qkv), HasSubstr("the output should have shape [2, 2, 4]"));
  EXPECT_THAT(attention(0, intTensor({2, 4, 4}, std::vector<std::int32_t>(32)), output),
              HasSubstr("elements of type float32, got int32"));
  EXPECT_THAT(attention(0, nullptr, output), HasSubstr("argument 3 should be a tensor"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_append_mla_kv", {cache, std::int64_t{0}, qkv}),
              HasSubstr("layers with latent attention"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_merge_attn_output_inplace", {cache, qkv, qkv, qkv, qkv}),
              HasSubstr("no kernel for merging outputs on request"));
  callBuiltin("kv_state_popn", {cache, std::int64_t{0}, std::int64_t{1}});
  EXPECT_THAT(attention(0, qkv, output), HasSubstr("there is no forward pass"));
}

TEST_F(PagedKvCache, CrossAttentionToNothingGivesNothing) {
  const ffi::Any cache = create();
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{0}});
  begin(cache, {0}, {2});
  const ffi::Any output = floatTensor({2, 2, 4}, std::vector<float>(16, 5));
  const ffi::Any lse = floatTensor({2, 2}, {5, 5, 5, 5});
  callBuiltin("attention_kv_cache_cross_attention",
              {cache, std::int64_t{0}, 1.0, floatTensor({2, 2, 4}, std::vector<float>(16)), output, lse});
  EXPECT_THAT(floatsOf(output), testing::Each(0.0F));
  EXPECT_THAT(floatsOf(lse), testing::Each(-5e4F));
}

TEST_F(PagedKvCache, StateFunctionsRefuseWrongArguments) {
  const ffi::Any cache = create();
  EXPECT_THAT(builtinFailure("kv_state_clear", {std::int64_t{1}}), HasSubstr("a KV cache or an RNN state"));
  EXPECT_THAT(builtinFailure("kv_state_add_sequence", {cache}), HasSubstr("takes 2 arguments, got 1"));
  EXPECT_THAT(builtinFailure("kv_state_begin_forward", {cache, shapeOf({0}), shapeOf({1, 2})}),
              HasSubstr("1 sequences need as many append lengths, got 2"));
  EXPECT_THAT(builtinFailure("kv_state_begin_forward", {cache, std::int64_t{0}, shapeOf({1})}),
              HasSubstr("argument 1 should be a shape"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_enable_sliding_window_for_seq",
                             {cache, std::int64_t{0}, std::int64_t{4}, std::int64_t{0}}),
              HasSubstr("without support for sliding windows"));
  EXPECT_THAT(builtinFailure("kv_cache_disagg_mark_send", {}), HasSubstr("needs NVSHMEM"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_commit_accepted_token_tree_nodes",
                             {cache, shapeOf({0, 1}), shapeOf({0})}),
              HasSubstr("2 sequences need as many accepted leaves"));
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{0}});
  EXPECT_THAT(builtinFailure("attention_kv_cache_commit_accepted_token_tree_nodes",
                             {cache, shapeOf({0}), shapeOf({0})}),
              HasSubstr("a token tree of 0 nodes"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_debug_get_kv",
                             {cache, std::int64_t{0}, std::int64_t{0}, std::int64_t{1}, floatTensor({1}, {0}),
                              floatTensor({1}, {0})}),
              HasSubstr("should be a range within the 0 tokens"));
}

TEST_F(PagedKvCache, PrepareRecvTellsRunsOfSlots) {
  const ffi::Any cache = create();
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{0}});
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{1}});
  begin(cache, {0, 1}, {2, 1});
  const auto runs = callBuiltin("kv_cache_disagg_prepare_recv", {cache, std::int64_t{0}, std::int64_t{5}})
                        .cast<ffi::Shape>();
  EXPECT_THAT(std::vector<std::int64_t>(runs.begin(), runs.end()), ElementsAre(2, 2, 2, 8, 3));
}

TEST_F(PagedKvCache, ASequenceIsSavedAndRestored) {
  constexpr auto kPlace = 13;
  // An append kernel that writes which token went to each slot, [page, 2, head, place, dim].
  m_arguments[kPlace] = ffi::Function::FromTyped(
      [](const ffi::Tensor& pages, const ffi::Tensor&, const ffi::Tensor&, const ffi::Tensor& slots) {
        for (std::int64_t token = 0; token < slots.size(0); ++token) {
          const std::int32_t slot = static_cast<std::int32_t*>(slots.data_ptr())[token];
          for (std::int64_t i = 0; i < 8; ++i) {  // keys, then values
            const std::int64_t row = (slot / 4 * 2 + i / 4) * 4 + slot % 4;
            static_cast<float*>(pages.data_ptr())[row * 4 + i % 4] = static_cast<float>(token + 1);
          }
        }
      });
  const ffi::Any cache = create();
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{0}});
  begin(cache, {0}, {6});
  attend(cache, 6);
  const ffi::Any metadata =
      callBuiltin("attention_kv_cache_get_checkpoint_metadata", {cache, std::int64_t{0}});
  const ffi::Any pages = floatTensor({1, 2, 2, 1, 4, 4}, std::vector<float>(64, 9));
  callBuiltin("attention_kv_cache_export_page_group", {cache, std::int64_t{0}, std::int64_t{0}, pages});
  const std::vector<float> saved = floatsOf(pages);
  EXPECT_EQ(saved[0], 1);
  EXPECT_EQ(saved[12], 4);
  EXPECT_EQ(saved[32], 5);
  EXPECT_EQ(saved[40], 0);  // unused slots

  m_arguments[0] = shapeOf({1, 32, 16, 4, 0, 8});
  const ffi::Any other = create();
  callBuiltin("attention_kv_cache_prepare_import", {other, std::int64_t{0}, metadata});
  EXPECT_THAT(builtinFailure("kv_state_begin_forward", {other, shapeOf({0}), shapeOf({1})}),
              HasSubstr("being restored"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_finish_import", {other, std::int64_t{0}}),
              HasSubstr("group 0 has not"));
  callBuiltin("attention_kv_cache_import_page_group", {other, std::int64_t{0}, std::int64_t{0}, pages});
  EXPECT_THAT(builtinFailure("attention_kv_cache_import_page_group",
                             {other, std::int64_t{0}, std::int64_t{0}, pages}),
              HasSubstr("restored already"));
  callBuiltin("attention_kv_cache_finish_import", {other, std::int64_t{0}});
  const ffi::Any again = floatTensor({1, 2, 2, 1, 4, 4}, std::vector<float>(64, 7));
  callBuiltin("attention_kv_cache_export_page_group", {other, std::int64_t{0}, std::int64_t{0}, again});
  EXPECT_EQ(floatsOf(again), saved);
  EXPECT_EQ(
      callBuiltin("attention_kv_cache_get_sequence_length", {other, std::int64_t{0}}).cast<std::int64_t>(),
      6);
}

TEST_F(PagedKvCache, SavedSequencesOfOtherLayoutsAreRefused) {
  const ffi::Any cache = create();
  callBuiltin("kv_state_add_sequence", {cache, std::int64_t{0}});
  const std::string metadata =
      callBuiltin("attention_kv_cache_get_checkpoint_metadata", {cache, std::int64_t{0}}).cast<ffi::String>();
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string changed = metadata;
    changed.replace(changed.find(from), from.size(), to);
    return builtinFailure("attention_kv_cache_prepare_import",
                          {cache, std::int64_t{0}, ffi::String(changed)});
  };
  EXPECT_THAT(refusal("{", "["), HasSubstr("should be a JSON object"));
  EXPECT_THAT(refusal("\"page_size\":4", "\"page_size\":8"), HasSubstr("page_size should be 4, got 8"));
  EXPECT_THAT(refusal("\"seq_length\":0", "\"seq_length\":-1"), HasSubstr("a sequence of -1 tokens"));
  EXPECT_THAT(refusal("\"seq_length\":0", "\"seq_length\":5"), HasSubstr("logical_pages should be"));
  EXPECT_THAT(refusal("\"attn_kinds\"", "\"kinds\""), HasSubstr("attn_kinds is missing"));
  EXPECT_EQ(refusal("\"num_total_pages\"", "\"num_total_pages\""), "");
}

}  // namespace

}  // namespace opscope::vm::test
