// SPDX-License-Identifier: Apache-2.0
// What hosts call on the state of a language model, a KV cache or an RNN state: sequences and forward passes.
#include <array>

#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/kv_arguments.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

double number(const Arguments& arguments, std::int32_t index) {
  if (auto value = arguments.at(index).try_cast<double>()) {
    return *value;
  }
  arguments.failType(index, "a number");
}

namespace {

// (state)
void clear(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.kv_state_clear", packed);
  arguments.requireCount(1, 1);
  kvState(arguments).clear();
}

// (state, sequence)
void addSequence(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.kv_state_add_sequence", packed);
  arguments.requireCount(2, 2);
  kvState(arguments).addSequence(arguments.integer(1));
}

// (state, sequence)
void removeSequence(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.kv_state_remove_sequence", packed);
  arguments.requireCount(2, 2);
  kvState(arguments).removeSequence(arguments.integer(1));
}

// (state, parent, child, position: -1 for the parent's end)
void forkSequence(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.kv_state_fork_sequence", packed);
  arguments.requireCount(3, 4);
  const std::int64_t position = arguments.size() == 4 ? arguments.integer(3) : -1;
  kvState(arguments).forkSequence(arguments.integer(1), arguments.integer(2), position);
}

// (state, sequence, tokens)
void popn(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.kv_state_popn", packed);
  arguments.requireCount(3, 3);
  kvState(arguments).pop(arguments.integer(1), arguments.integer(2));
}

// (state, sequences, tokens of each, [parents in the token trees or none])
void beginForward(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.kv_state_begin_forward", packed);
  arguments.requireCount(3, 4);
  std::optional<std::span<const std::int64_t>> parents;
  if (arguments.size() == 4 && arguments.at(3).type_index() != kTVMFFINone) {
    const ffi::ShapeView shape = arguments.shape(3);
    parents = std::span<const std::int64_t>(shape.data(), shape.size());
  }
  kvState(arguments).beginForward(arguments.shape(1), arguments.shape(2), parents);
}

// (state)
void endForward(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.kv_state_end_forward", packed);
  arguments.requireCount(1, 1);
  kvState(arguments).endForward();
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.kv_state_clear", clear},
    Builtin{"vm.builtin.kv_state_add_sequence", addSequence},
    Builtin{"vm.builtin.kv_state_remove_sequence", removeSequence},
    Builtin{"vm.builtin.kv_state_fork_sequence", forkSequence},
    Builtin{"vm.builtin.kv_state_popn", popn},
    Builtin{"vm.builtin.kv_state_begin_forward", beginForward},
    Builtin{"vm.builtin.kv_state_end_forward", endForward},
};

}  // namespace

std::span<const Builtin> kvStateBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
