// SPDX-License-Identifier: Apache-2.0
// RNN states, the older KV cache, sampling, and parameters from folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/extra/module.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/vm/case_runner.h"
#include "tests/vm/kv_builtin_calls.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

namespace {

using Int = std::int64_t;

/// Kernels of an RNN state of 2 floats, in C++: state[slot][step] to a batch, and a batch to the next step.
void getState(const ffi::Tensor& state, const ffi::Tensor& slots, const ffi::Tensor& steps,
              const ffi::Tensor& out) {
  const Int history = state.size(1);
  for (Int i = 0; i < slots.size(0); ++i) {
    const Int row = static_cast<std::int32_t*>(slots.data_ptr())[i] * history +
                    static_cast<std::int32_t*>(steps.data_ptr())[i];
    std::memcpy(static_cast<float*>(out.data_ptr()) + i * 2, static_cast<float*>(state.data_ptr()) + row * 2,
                8);
  }
}
void setState(const ffi::Tensor& state, const ffi::Tensor& slots, const ffi::Tensor& steps,
              const ffi::Tensor& data) {
  const Int history = state.size(1);
  for (Int i = 0; i < slots.size(0); ++i) {
    const Int step = (static_cast<std::int32_t*>(steps.data_ptr())[i] + 1) % history;
    const Int row = static_cast<std::int32_t*>(slots.data_ptr())[i] * history + step;
    std::memcpy(static_cast<float*>(state.data_ptr()) + row * 2, static_cast<float*>(data.data_ptr()) + i * 2,
                8);
  }
}

class RnnState : public testing::Test {
 protected:
  void SetUp() override {
    m_state =
        callBuiltin("rnn_state_create",
                    {Int{1}, Int{3}, Int{3}, tupleOf({ffi::Function::FromTyped(getState)}),
                     tupleOf({ffi::Function::FromTyped(setState)}), tupleOf({floatTensor({2}, {7, 8})})});
  }
  void add(Int id) { callBuiltin("kv_state_add_sequence", {m_state, id}); }
  void step(std::initializer_list<Int> ids, std::vector<float> values, Int tokens = 1) {
    const std::vector<Int> lengths(ids.size(), tokens);
    callBuiltin("kv_state_begin_forward", {m_state, shapeOf(ids), ffi::Shape(lengths)});
    callBuiltin("rnn_state_set",
                {m_state, Int{0}, Int{0}, floatTensor({static_cast<Int>(ids.size()), 2}, values)});
    callBuiltin("kv_state_end_forward", {m_state});
  }
  std::vector<float> values(Int id) {
    return floatsOf(callBuiltin("rnn_state_debug_get", {m_state, Int{0}, Int{0}, id}));
  }
  ffi::Any m_state;
};

TEST_F(RnnState, StepsCanBeTakenBackAsFarAsTheHistoryGoes) {
  add(4);
  EXPECT_THAT(values(4), ElementsAre(7, 8));
  for (int i = 1; i <= 4; ++i) {
    step({4}, {static_cast<float>(i), 0});
  }
  EXPECT_THAT(values(4), ElementsAre(4, 0));
  EXPECT_THAT(builtinFailure("kv_state_popn", {m_state, Int{4}, Int{3}}),
              HasSubstr("3 tokens cannot be taken back"));
  callBuiltin("kv_state_popn", {m_state, Int{4}, Int{2}});
  EXPECT_THAT(values(4), ElementsAre(2, 0));
  step({4}, {9, 9}, 5);
  EXPECT_THAT(builtinFailure("kv_state_popn", {m_state, Int{4}, Int{1}}), HasSubstr("0 of the last steps"));
}

TEST_F(RnnState, BatchesAndForks) {
  add(0);
  add(1);
  step({1, 0}, {1, 2, 3, 4});
  EXPECT_THAT(values(0), ElementsAre(3, 4));
  callBuiltin("kv_state_fork_sequence", {m_state, Int{0}, Int{2}, Int{-1}});
  step({2}, {5, 6});
  EXPECT_THAT(values(0), ElementsAre(3, 4));
  EXPECT_THAT(values(2), ElementsAre(5, 6));
  callBuiltin("kv_state_begin_forward", {m_state, shapeOf({2, 0}), shapeOf({1, 1})});
  const ffi::Any out = floatTensor({2, 2}, {0, 0, 0, 0});
  callBuiltin("rnn_state_get", {m_state, Int{0}, Int{0}, out});
  EXPECT_THAT(floatsOf(out), ElementsAre(5, 6, 3, 4));
  EXPECT_THAT(builtinFailure("kv_state_add_sequence", {m_state, Int{3}}),
              HasSubstr("all 3 sequences are in use"));
  callBuiltin("kv_state_remove_sequence", {m_state, Int{1}});
  callBuiltin("kv_state_fork_sequence", {m_state, Int{2}, Int{5}, Int{1}});  // one step before its end
  EXPECT_THAT(values(5), ElementsAre(3, 4));
}

TEST_F(RnnState, WrongArgumentsAreNamed) {
  EXPECT_THAT(
      builtinFailure("rnn_state_create", {Int{0}, Int{1}, Int{1}, tupleOf({}), tupleOf({}), tupleOf({})}),
      HasSubstr("the number of layers should be positive, got 0"));
  EXPECT_THAT(
      builtinFailure("rnn_state_create", {Int{1}, Int{1}, Int{1}, tupleOf({}), tupleOf({}), tupleOf({})}),
      HasSubstr("each state of a layer needs"));
  const ffi::Any none = tupleOf({ffi::Any()});
  const ffi::Any get = tupleOf({ffi::Function::FromTyped(getState)});
  EXPECT_THAT(builtinFailure("rnn_state_create", {Int{1}, Int{1}, Int{1}, none, get, none}),
              HasSubstr("a tuple of kernels"));
  EXPECT_THAT(builtinFailure("rnn_state_create", {Int{1}, Int{1}, Int{1}, get, get, none}),
              HasSubstr("a tuple of tensors"));
  add(0);
  const ffi::Any data = floatTensor({1, 2}, {0, 0});
  EXPECT_THAT(builtinFailure("rnn_state_set", {m_state, Int{0}, Int{0}, data}),
              HasSubstr("there is no forward pass"));
  callBuiltin("kv_state_begin_forward", {m_state, shapeOf({0}), shapeOf({1})});
  EXPECT_THAT(builtinFailure("rnn_state_set", {m_state, Int{0}, Int{1}, data}),
              HasSubstr("state 1 of layer 0"));
  EXPECT_THAT(builtinFailure("rnn_state_get", {m_state, Int{-1}, Int{0}, data}), HasSubstr("layer -1"));
  EXPECT_THAT(builtinFailure("rnn_state_debug_get", {m_state, Int{0}, Int{0}, Int{9}}),
              HasSubstr("no sequence 9"));
  EXPECT_THAT(
      builtinFailure("kv_state_begin_forward", {m_state, shapeOf({0}), shapeOf({2}), shapeOf({-1, -1})}),
      HasSubstr("should be chains"));
  EXPECT_THAT(
      builtinFailure("kv_state_begin_forward", {m_state, shapeOf({0}), shapeOf({INT64_MAX}), shapeOf({-1})}),
      "");
}

ffi::Any growingCache(Int filled = -1) {
  return callBuiltin("attention_kv_cache_create", {floatTensor({1, 2}, {1, 2}), shapeOf({2, 2}), filled});
}
std::vector<float> rowsOf(const ffi::Any& cache) {
  return floatsOf(callBuiltin("attention_kv_cache_view", {cache}));
}

TEST(GrowingKvCache, RowsAreAppendedUpdatedAndPopped) {
  const ffi::Any cache = growingCache();
  callBuiltin("attention_kv_cache_append", {cache, floatTensor({2, 2}, {3, 4, 5, 6})});
  EXPECT_THAT(rowsOf(cache), ElementsAre(1, 2, 3, 4, 5, 6));
  callBuiltin("attention_kv_cache_update", {cache, floatTensor({3, 2}, {6, 5, 4, 3, 2, 1})});
  EXPECT_THAT(rowsOf(cache), ElementsAre(6, 5, 4, 3, 2, 1));
  callBuiltin("attention_kv_cache_array_popn", {tupleOf({cache}), Int{2}});
  EXPECT_THAT(floatsOf(callBuiltin("attention_kv_cache_view", {cache, shapeOf({1, 2})})), ElementsAre(6, 5));
  callBuiltin("attention_kv_cache_array_clear", {tupleOf({cache})});
  EXPECT_TRUE(rowsOf(cache).empty());
  EXPECT_TRUE(rowsOf(growingCache(0)).empty());
}

TEST(GrowingKvCache, RingOverwritesTheOldestRowsBehindItsSinks) {
  const ffi::Any cache = growingCache(0);
  for (int row = 0; row < 7; ++row) {
    callBuiltin("attention_kv_cache_window_override_with_sinks",
                {cache, floatTensor({1, 2}, {static_cast<float>(row), 0}), Int{4}, Int{1}});
  }
  EXPECT_THAT(rowsOf(cache), ElementsAre(0, 0, 4, 0, 5, 0, 6, 0));
  callBuiltin("attention_kv_cache_window_override_with_sinks",
              {cache, floatTensor({2, 2}, {7, 0, 8, 0}), Int{4}, Int{1}});
  EXPECT_THAT(rowsOf(cache), ElementsAre(0, 0, 7, 0, 8, 0, 6, 0));
}

TEST(GrowingKvCache, WrongArgumentsAreNamed) {
  const ffi::Any cache = growingCache();
  EXPECT_THAT(builtinFailure("attention_kv_cache_append", {cache, floatTensor({1, 3}, {1, 2, 3})}),
              HasSubstr("rows as in shape [2, 2], got [1, 3]"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_append", {cache, intTensor({1, 2}, {1, 2})}),
              HasSubstr("elements of type float32, got int32"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_append", {Int{1}, floatTensor({1, 2}, {1, 2})}),
              HasSubstr("a KV cache made by attention_kv_cache_create"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_update", {cache, floatTensor({2, 2}, {1, 2, 3, 4})}),
              HasSubstr("all 1 filled rows"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_view", {cache, shapeOf({2, 2})}),
              HasSubstr("have shape [1, 2]"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_array_popn", {tupleOf({cache}), Int{2}}),
              HasSubstr("got 2"));
  EXPECT_THAT(builtinFailure("attention_kv_cache_window_override",
                             {cache, floatTensor({2, 2}, {1, 2, 3, 4}), Int{1}}),
              HasSubstr("2 rows do not fit into a ring of 1"));
  EXPECT_THAT(
      builtinFailure("attention_kv_cache_create", {floatTensor({1, 2}, {1, 2}), shapeOf({2, 2}), Int{5}}),
      HasSubstr("5 rows cannot count as filled"));
}

TEST(Sampling, SoftmaxAndPenaltiesWorkInPlace) {
  const ffi::Any logits = floatTensor({2, 3}, {1, 2, 3, -1000, -1000, -1000});
  callBuiltin("apply_softmax_with_temperature", {logits, 0.5});
  const double total = std::exp(-4.0) + std::exp(-2.0) + 1.0;
  EXPECT_THAT(
      floatsOf(logits),
      testing::Pointwise(FloatNear(1e-6F),
                         std::vector<float>{static_cast<float>(std::exp(-4.0) / total),
                                            static_cast<float>(std::exp(-2.0) / total),
                                            static_cast<float>(1.0 / total), 1.0F / 3, 1.0F / 3, 1.0F / 3}));
  const ffi::Any row = floatTensor({1, 3}, {2, -2, 5});
  callBuiltin("apply_repetition_penalty", {row, intTensor({2}, {0, 1}), 2.0});
  EXPECT_THAT(floatsOf(row), ElementsAre(1, -4, 5));
  callBuiltin("apply_presence_and_frequency_penalty",
              {row, intTensor({1}, {2}), intTensor({1}, {3}), 0.5, 1.0});
  EXPECT_THAT(floatsOf(row), ElementsAre(1, -4, 1.5));
}

TEST(Sampling, TokensAreChosenByTheGivenNumber) {
  const ffi::Any logits = floatTensor({1, 3}, {std::log(0.2F), std::log(0.7F), std::log(0.1F)});
  const auto fromLogits = [&](double temperature, double topP, double random) {
    return callBuiltin("sample_top_p_from_logits", {logits, temperature, topP, random}).cast<Int>();
  };
  EXPECT_EQ(fromLogits(0.0, 1.0, 0.99), 1);
  EXPECT_EQ(fromLogits(1.0, 1.0, 0.5), 1);
  EXPECT_EQ(fromLogits(1.0, 1.0, 0.8), 0);
  EXPECT_EQ(fromLogits(1.0, 1.0, 0.95), 2);
  EXPECT_EQ(fromLogits(1.0, 0.8, 0.95), 0);
  const ffi::Any probabilities = floatTensor({1, 3}, {0.2F, 0.7F, 0.1F});
  const auto fromProb = [&](double topP, double random) {
    return callBuiltin("sample_top_p_from_prob", {probabilities, topP, random}).cast<Int>();
  };
  EXPECT_EQ(fromProb(0.8, 0.5), 1);
  EXPECT_EQ(fromProb(0.8, 0.9), 0);
  EXPECT_EQ(fromProb(1.0, 0.95), 2);
  const auto drawn =
      callBuiltin("multinomial_from_uniform",
                  {floatTensor({2, 3}, {0.2F, 0.7F, 0.1F, 1, 0, 0}), floatTensor({2, 1}, {0.5F, 0.99F})})
          .cast<ffi::Tensor>();
  EXPECT_EQ(static_cast<Int*>(drawn.data_ptr())[0], 1);
  EXPECT_EQ(static_cast<Int*>(drawn.data_ptr())[1], 0);
}

TEST(Sampling, WrongArgumentsAreNamed) {
  const ffi::Any logits = floatTensor({1, 2}, {1, 2});
  const ffi::Any broken = floatTensor({1, 2}, {1, NAN});
  EXPECT_THAT(builtinFailure("sample_top_p_from_logits", {broken, 1.0, 1.0, 0.5}),
              HasSubstr("there are NaNs"));
  EXPECT_THAT(builtinFailure("sample_top_p_from_prob", {broken, 1.0, 0.5}), HasSubstr("there are NaNs"));
  EXPECT_THAT(builtinFailure("sample_top_p_from_prob", {floatTensor({1, 2}, {-1, -1}), 1.0, 0.5}),
              HasSubstr("all probabilities are negative"));
  EXPECT_THAT(builtinFailure("sample_top_p_from_prob", {intTensor({1, 2}, {1, 2}), 1.0, 0.5}),
              HasSubstr("a tensor of float32"));
  EXPECT_THAT(builtinFailure("sample_top_p_from_prob", {floatTensor({2, 2}, {1, 1, 1, 1}), 1.0, 0.5}),
              HasSubstr("should describe one token"));
  EXPECT_THAT(builtinFailure("sample_top_p_from_prob", {floatTensor({1, 0}, {}), 1.0, 0.5}),
              HasSubstr("is empty"));
  EXPECT_THAT(builtinFailure("apply_softmax_with_temperature", {logits, 0.0}),
              HasSubstr("should be positive, got 0"));
  EXPECT_THAT(builtinFailure("apply_repetition_penalty", {logits, intTensor({1}, {2}), 1.5}),
              HasSubstr("token 2 is not one of the 2"));
  EXPECT_THAT(builtinFailure("apply_presence_and_frequency_penalty",
                             {logits, intTensor({1}, {-1}), intTensor({1}, {1}), 1.0, 1.0}),
              HasSubstr("token -1 is not one of"));
  EXPECT_THAT(builtinFailure("multinomial_from_uniform", {logits, floatTensor({0, 1}, {})}),
              HasSubstr("is empty"));
}

/// A folder of parameters that is removed at the end.
class TensorCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "tensor_cache_XXXXXX";
    m_folder = mkdtemp(pattern.data());
    const std::vector<float> plain = {1, 2, 3, 4};
    const std::vector<std::uint16_t> halves = {0x3F80, 0xC000};
    std::ofstream shard(m_folder / "shard.bin", std::ios::binary);
    shard.write(reinterpret_cast<const char*>(plain.data()), 16);
    shard.write(reinterpret_cast<const char*>(halves.data()), 4);
  }
  void TearDown() override {
    callBuiltin("tensor_cache.clear", {});
    std::filesystem::remove_all(m_folder);
  }
  std::string load(const std::string& json, const char* name = "tensor-cache.json") {
    std::ofstream(m_folder / name) << json;
    return builtinFailure("tensor_cache.load", {ffi::String(m_folder.string()), Int{kDLCPU}, Int{0}});
  }
  std::string loadChanged(const std::string& from, const std::string& to) {
    std::string json = kGood;
    return load(json.replace(json.find(from), from.size(), to));
  }
  static constexpr const char* kGood = R"({"metadata": {}, "records": [{"dataPath": "shard.bin",
    "format": "raw-shard", "nbytes": 20, "records": [
      {"name": "param_0", "shape": [2, 2], "dtype": "float32", "format": "raw", "nbytes": 16, "byteOffset": 0},
      {"name": "param_1", "shape": [2], "dtype": "float32", "format": "f32-to-bf16", "nbytes": 4,
       "byteOffset": 16}]}]})";
  std::filesystem::path m_folder;
};

TEST_F(TensorCache, ParametersAreLoadedAndFoundByName) {
  ASSERT_EQ(load(kGood), "");
  EXPECT_THAT(floatsOf(callBuiltin("tensor_cache.get", {ffi::String("param_0")})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(floatsOf(callBuiltin("tensor_cache.get", {ffi::String("param_1")})), ElementsAre(1, -2));
  EXPECT_EQ(callBuiltin("param_array_from_cache", {ffi::String("param"), Int{-1}})
                .cast<ffi::Array<ffi::Any>>()
                .size(),
            2U);
  const auto module =
      callBuiltin("param_module_from_cache_by_name", {tupleOf({ffi::String("param_1")})}).cast<ffi::Module>();
  const auto parameters = (*module->GetFunction("get_params"))().cast<ffi::Array<ffi::Tensor>>();
  EXPECT_THAT(floatsOf(parameters[0]), ElementsAre(1, -2));
  EXPECT_THAT(builtinFailure("param_array_from_cache", {ffi::String("param"), Int{3}}),
              HasSubstr("there is no parameter \"param_2\""));
  EXPECT_THAT(builtinFailure("param_array_from_cache_by_name_unpacked", {ffi::String("param_0"), Int{3}}),
              HasSubstr("argument 1 should be a string"));
  callBuiltin("tensor_cache.update", {ffi::String("mine"), floatTensor({1}, {5})});
  EXPECT_THAT(builtinFailure("tensor_cache.update", {ffi::String("mine"), floatTensor({1}, {6})}),
              HasSubstr("there is a tensor \"mine\" already"));
  callBuiltin("tensor_cache.update", {ffi::String("mine"), floatTensor({1}, {6}), true});
  EXPECT_THAT(floatsOf(callBuiltin("ndarray_cache.get", {ffi::String("mine")})), ElementsAre(6));
  callBuiltin("tensor_cache.remove", {ffi::String("mine")});
  EXPECT_EQ(callBuiltin("tensor_cache.get", {ffi::String("mine")}).type_index(), kTVMFFINone);
}

TEST_F(TensorCache, TheOlderNameOfTheListIsReadToo) {
  EXPECT_EQ(load(kGood, "ndarray-cache.json"), "");
}

TEST_F(TensorCache, EveryFieldIsChecked) {
  EXPECT_THAT(builtinFailure("tensor_cache.load", {ffi::String(m_folder.string()), Int{kDLCPU}, Int{0}}),
              HasSubstr("holds no parameters"));
  EXPECT_THAT(load("{"), HasSubstr("tensor-cache.json is not JSON"));
  EXPECT_THAT(load("[]"),
              HasSubstr("$.records is not valid: expected a list, found a value that is no object"));
  EXPECT_THAT(load("{}"), HasSubstr("$.records is not valid: expected a list, found nothing"));
  EXPECT_THAT(load(R"({"records": [3]})"), HasSubstr("$.records[0].dataPath is not valid"));
  EXPECT_THAT(loadChanged("\"shard.bin\"", "\"../shard.bin\""),
              HasSubstr("expected a file within the folder"));
  EXPECT_THAT(loadChanged("\"shard.bin\"", "\"/etc/passwd\""),
              HasSubstr("expected a file within the folder"));
  EXPECT_THAT(loadChanged("\"shard.bin\"", "\"gone.bin\""), HasSubstr("gone.bin"));
  EXPECT_THAT(loadChanged("raw-shard", "zip"),
              HasSubstr("$.records[0].format is not valid: expected \"raw-shard\""));
  EXPECT_THAT(loadChanged("\"nbytes\": 20", "\"nbytes\": 24"), HasSubstr("expected 24 bytes, found 20"));
  EXPECT_THAT(loadChanged("\"nbytes\": 20", "\"nbytes\": -1"),
              HasSubstr("expected a number of bytes, found -1"));
  EXPECT_THAT(loadChanged("[2, 2]", "[2, -2]"),
              HasSubstr("records[0].shape is not valid: expected dimensions"));
  EXPECT_THAT(loadChanged("[2, 2]", "[2147483647, 2147483647, 2147483647]"),
              HasSubstr("records[0].nbytes is not valid"));
  EXPECT_THAT(loadChanged("\"float32\"", "\"floaty\""), HasSubstr("expected an element type"));
  EXPECT_THAT(loadChanged("\"raw\"", "\"gzip\""),
              HasSubstr("expected \"raw\" or \"f32-to-bf16\", found \"gzip\""));
  EXPECT_THAT(loadChanged("\"nbytes\": 16", "\"nbytes\": 12"), HasSubstr("expected 16 bytes, as shape"));
  EXPECT_THAT(loadChanged("\"byteOffset\": 16", "\"byteOffset\": 17"), HasSubstr("within the shard's 20"));
  EXPECT_THAT(builtinFailure("tensor_cache.load", {ffi::String("x"), Int{kDLCUDA}, Int{0}}),
              HasSubstr("device type 2 is not available"));
}

}  // namespace

}  // namespace opscope::vm::test
