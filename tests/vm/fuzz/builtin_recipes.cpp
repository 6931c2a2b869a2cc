// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fuzz/builtin_recipes.h"

#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace opscope::vm::test {

namespace {

// Builtins that make the values which others need stand twice.
constexpr std::array kRecipes = {
    Recipe{"vm.builtin.check_tensor_info", "tmS", 'x'},
    Recipe{"vm.builtin.check_tensor_info", "tidS", 'x'},
    Recipe{"vm.builtin.check_shape_info", "smS", 'x'},
    Recipe{"vm.builtin.check_prim_value_info", "idS", 'x'},
    Recipe{"vm.builtin.check_string_info", "SS", 'x'},
    Recipe{"vm.builtin.check_tuple_info", "TiS", 'x'},
    Recipe{"vm.builtin.check_func_info", "cS", 'x'},
    Recipe{"vm.builtin.read_if_cond", "t", 'b'},
    Recipe{"vm.builtin.make_closure", "cx*", 'c'},
    Recipe{"vm.builtin.invoke_closure", "vcx*", 'x'},
    Recipe{"vm.builtin.call_tir_dyn", "fx*s", 'x'},
    Recipe{"vm.builtin.invoke_debug_func", "xSix*", 'x'},
    Recipe{"vm.builtin.call_py_func", "xSx*", 'x'},
    Recipe{"vm.builtin.alloc_storage", "vszdG", 'g'},
    Recipe{"vm.builtin.alloc_tensor", "gzsdG", 't'},
    Recipe{"vm.builtin.null_value", "", 'x'},
    Recipe{"tvm.contrib.random.uniform", "iit", 'x'},
    Recipe{"tvm.contrib.random.normal", "iiiit", 'x'},
    Recipe{"tvm.contrib.random.randint", "iit", 'x'},
    Recipe{"tvm.contrib.random.random_fill", "t", 'x'},
    Recipe{"tvm.contrib.random.random_fill_for_measure", "t", 'x'},
    Recipe{"tvm.contrib.random.seed", "i", 'x'},
    Recipe{"relax.run.print", "Sx*", 'x'},
    Recipe{"relax.run.assert_op", "bSx*", 'x'},
    Recipe{"relax.run.shape_to_tensor", "s", 't'},
    Recipe{"relax.run.nonzero", "t", 't'},
    Recipe{"relax.run.unique", "tbbbbn", 'x'},
    Recipe{"vm.builtin.alloc_shape_heap", "v8", 'h'},
    Recipe{"vm.builtin.match_shape", "thpS", 'x'},
    Recipe{"vm.builtin.match_shape", "shpS", 'x'},
    Recipe{"vm.builtin.match_prim_value", "ih1iS", 'x'},
    Recipe{"vm.builtin.make_prim_value", "h1i", 'i'},
    Recipe{"vm.builtin.make_shape", "hq", 's'},
    Recipe{"vm.builtin.shape_of", "t", 's'},
    Recipe{"vm.builtin.tensor_to_shape", "t", 's'},
    Recipe{"tvm.contrib.sort.argsort", "t=mi", 'x'},
    Recipe{"tvm.contrib.sort.argsort", "ttii", 'x'},
    Recipe{"tvm.contrib.sort.sort", "t=mi", 'x'},
    Recipe{"tvm.contrib.sort.sort", "ttii", 'x'},
    Recipe{"tvm.contrib.sort.topk", "t==zmSi", 'x'},
    Recipe{"tvm.contrib.sort.topk", "tttiiSi", 'x'},
    Recipe{"tvm.contrib.sort.argsort_nms", "t==mi", 'x'},
    Recipe{"vm.builtin.reshape", "ts", 't'},
    Recipe{"vm.builtin.copy", "x", 'x'},
    Recipe{"vm.builtin.to_device", "t1zG", 't'},
    Recipe{"vm.builtin.ensure_zero_offset", "t", 't'},
    Recipe{"vm.builtin.make_tuple", "x*", 'T'},
    Recipe{"vm.builtin.tuple_getitem", "Tz", 'x'},
    Recipe{"vm.builtin.tuple_reset_item", "Ti", 'x'},
    // The paged KV cache: K is one that exists, made by a call of its own (ProgramMaker::addCache).
    Recipe{"vm.builtin.kv_state_clear", "K", 'x'},
    Recipe{"vm.builtin.kv_state_add_sequence", "Ki", 'x'},
    Recipe{"vm.builtin.kv_state_remove_sequence", "Ki", 'x'},
    Recipe{"vm.builtin.kv_state_fork_sequence", "Kiii", 'x'},
    Recipe{"vm.builtin.kv_state_popn", "Kii", 'x'},
    Recipe{"vm.builtin.kv_state_begin_forward", "Kss", 'x'},
    Recipe{"vm.builtin.kv_state_begin_forward", "Ksss", 'x'},
    Recipe{"vm.builtin.kv_state_end_forward", "K", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_attention_with_fused_qkv", "Kiitt", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_self_attention", "Kiittttt", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_cross_attention", "Kiittt", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_attention_with_shared_kv", "Kiitttt", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_append_mla_kv", "Kit", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_merge_attn_output_inplace", "Ktttt", 'T'},
    Recipe{"vm.builtin.attention_kv_cache_get_query_positions", "K", 't'},
    Recipe{"vm.builtin.attention_kv_cache_enable_sliding_window_for_seq", "Kiii", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_commit_accepted_token_tree_nodes", "Kss", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_empty", "K", 'b'},
    Recipe{"vm.builtin.attention_kv_cache_get_num_available_pages", "K", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_get_total_sequence_length", "K", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_get_sequence_length", "Ki", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_debug_get_kv", "Kiiitt", 'x'},
    Recipe{"vm.builtin.attention_kv_cache_debug_get_kv_mla", "Kiiit", 'x'},
    Recipe{"vm.builtin.kv_cache_disagg_prepare_recv", "Kis", 'x'},
    Recipe{"vm.builtin.kv_cache_disagg_mark_send", "Kix*", 'x'},
    Recipe{kCacheMaker, "sxxxxxxxxxxxxxxxxxxxxxxxxxxx", 'K'},
};

/// Builtins that came later: called with anything.
std::vector<std::string> withoutRecipe() {
  std::vector<std::string> names;
  for (const tvm::ffi::String& name : tvm::ffi::Function::ListGlobalNames()) {
    const std::string text = name;
    if (text.starts_with("vm.builtin.") &&
        std::ranges::find(kRecipes, text, &Recipe::name) == kRecipes.end()) {
      names.push_back(text);
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::span<const Recipe> builtinRecipes() {
  static const std::vector<std::string> kOthers = withoutRecipe();
  static const std::vector<Recipe> kAll = [] {
    std::vector<Recipe> all(kRecipes.begin(), kRecipes.end());
    for (const std::string& name : kOthers) {
      all.push_back({name, "x*x*", 'x'});
      all.push_back({name, "Kx*", 'x'});
    }
    return all;
  }();
  return kAll;
}

}  // namespace opscope::vm::test
