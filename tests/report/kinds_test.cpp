// SPDX-License-Identifier: Apache-2.0
#include "engine/report/kinds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace opscope::report {
namespace {

TEST(Kinds, OfNamesThatModelsHave) {
  const std::pair<std::string_view, std::string_view> kExpected[] = {
      {"vm.builtin.alloc_storage", "Memory"},
      {"vm.builtin.alloc_tensor", "Memory"},
      {"vm.builtin.null_value", "Memory"},
      {"vm.builtin.reshape", "VM"},
      {"vm.builtin.match_shape", "VM"},
      {"vm.builtin.attention_kv_cache_append", "VM"},
      {"conv2d18", "Convolution"},
      {"fused_conv2d18_add11_relu", "Convolution"},
      {"fused_conv1d5_add8_tir_sigmoid1", "Convolution"},
      {"NT_matmul", "Matrix product"},
      {"fused_matmul_add5_add6", "Matrix product"},
      {"batch_matmul", "Matrix product"},
      {"fused_dense_softmax", "Matrix product"},
      {"attention_bias", "Attention"},
      {"batch_norm3", "Normalisation"},
      {"rms_norm", "Normalisation"},
      {"layer_norm2", "Normalisation"},
      {"avg_pool2d3", "Pooling"},
      {"max_pool2d", "Pooling"},
      {"adaptive_avg_pool1d", "Pooling"},
      {"max", "Reduction"},
      {"softmax12", "Reduction"},
      {"fused_multiply_multiply1_sum", "Reduction"},
      {"concatenate10", "Data movement"},
      {"fused_expand_dims19_reshape49", "Data movement"},
      {"split", "Data movement"},
      {"take1", "Data movement"},
      {"fused_transpose_relu", "Data movement"},
      {"relu4", "Elementwise"},
      {"fused_tir_sigmoid_tir_tanh_multiply", "Elementwise"},
      {"fused_strided_slice_strided_slice1_power_power_add_tir_sqrt", "Data movement"},
      {"maxpoolish", "Other"},
      {"convolutional", "Other"},
      {"main", "Other"},
      {"", "Other"},
      {"___", "Other"},
      {"123_45", "Other"},
  };
  for (const auto& [name, kind] : kExpected) EXPECT_EQ(kindName(kindOf(name)), kind) << name;
}

TEST(Kinds, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const OpKind kind : kOpKinds) names.insert(kindName(kind));
  EXPECT_EQ(names.size(), kOpKinds.size());
}

}  // namespace
}  // namespace opscope::report
