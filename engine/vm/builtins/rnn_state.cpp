// SPDX-License-Identifier: Apache-2.0
// The state of recurrent models; kv_state.cpp has what hosts call on it.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/kv_arguments.h"
#include "engine/vm/builtins/tensor_checks.h"
#include "engine/vm/host_tensor.h"
#include "engine/vm/kv_cache/rnn_state.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

RnnStateObj& rnnState(const Arguments& arguments) {
  return stateObject<RnnStateObj>(arguments, 0, "an RNN state");
}

std::int64_t positive(const Arguments& arguments, std::int32_t index, const char* what) {
  const std::int64_t value = arguments.integer(index);
  if (value <= 0 || value > std::numeric_limits<std::int32_t>::max()) {
    arguments.failValue(fmt::format("{} should be positive, got {}", what, value));
  }
  return value;
}

/// Item `item` of tuple argument `index` as a host tensor.
ffi::Tensor initialValue(const Arguments& arguments, std::int32_t index, std::size_t item) {
  const auto tensor = objectIn<ffi::Tensor>(arguments.tuple(index)[static_cast<std::int64_t>(item)]);
  if (!tensor.has_value()) {
    arguments.failType(index, "a tuple of tensors");
  }
  return copyHostTensor(arguments.name(), *tensor->GetDLTensorPtr());
}

ffi::Function kernelOf(const Arguments& arguments, std::int32_t index, std::size_t item) {
  const auto function = objectIn<ffi::Function>(arguments.tuple(index)[static_cast<std::int64_t>(item)]);
  if (!function.has_value()) {
    arguments.failType(index, "a tuple of kernels");
  }
  return *function;
}

// (layers, sequences, history, kernels that get, kernels that set, first values) -> state
void create(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.rnn_state_create", packed);
  arguments.requireCount(6, 6);
  const std::int64_t layers = positive(arguments, 0, "the number of layers");
  const std::int64_t sequences = positive(arguments, 1, "the number of sequences");
  const std::int64_t history = positive(arguments, 2, "the length of the history");
  const std::size_t count = arguments.tuple(5).size();
  if (count == 0 || arguments.tuple(3).size() != count || arguments.tuple(4).size() != count) {
    arguments.failValue(
        fmt::format("each state of a layer needs a kernel that gets it, one that sets it and a first "
                    "value, got {}, {} and {}",
                    arguments.tuple(3).size(), arguments.tuple(4).size(), count));
  }
  std::vector<RnnStateObj::State> states;
  for (std::size_t item = 0; item < count; ++item) {
    states.push_back(
        {kernelOf(arguments, 3, item), kernelOf(arguments, 4, item), initialValue(arguments, 5, item)});
  }
  *result = ffi::ObjectRef(ffi::make_object<RnnStateObj>(layers, sequences, history, std::move(states)));
}

// (state, layer, which, out [sequences, ...])
void get(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.rnn_state_get", packed);
  arguments.requireCount(4, 4);
  static_cast<void>(hostTensor(arguments, 3));
  rnnState(arguments).get(arguments.integer(1), arguments.integer(2), arguments.at(3));
}

// (state, layer, which, data [sequences, ...]) -> state
void set(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.rnn_state_set", packed);
  arguments.requireCount(4, 4);
  static_cast<void>(hostTensor(arguments, 3));
  rnnState(arguments).set(arguments.integer(1), arguments.integer(2), arguments.at(3));
  *result = arguments.at(0);
}

// (state, layer, which, sequence) -> copy of its current value
void debugGet(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.rnn_state_debug_get", packed);
  arguments.requireCount(4, 4);
  *result = rnnState(arguments).debugGet(arguments.integer(1), arguments.integer(2), arguments.integer(3));
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.rnn_state_create", create},
    Builtin{"vm.builtin.rnn_state_get", get},
    Builtin{"vm.builtin.rnn_state_set", set},
    Builtin{"vm.builtin.rnn_state_debug_get", debugGet},
};

}  // namespace

std::span<const Builtin> rnnStateBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
