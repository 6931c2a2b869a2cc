// SPDX-License-Identifier: Apache-2.0
// The state of recurrent models: for each sequence, layer and state a tensor of fixed shape, with the last
// few steps kept so that tokens can be taken back. One thread at a time. All functions raise tvm::ffi::Error.
// Behaviour: RNNStateImpObj of TVM's rnn_state.cc.
#pragma once

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/runtime/run_context.h"
#include "engine/runtime/storage.h"
#include "engine/vm/kv_cache/index_array.h"
#include "engine/vm/kv_cache/kv_state.h"

namespace opscope::vm {

class RnnStateObj : public KvStateObj {
 public:
  /// The kernels and the first value of one of a layer's states.
  struct State {
    tvm::ffi::Function get;
    tvm::ffi::Function set;
    tvm::ffi::Tensor initial;
  };

  /// Room for `sequences` sequences with `history` steps each, at least 1.
  RnnStateObj(std::int64_t layers, std::int64_t sequences, std::int64_t history, std::vector<State> states);

  void clear() override;
  void addSequence(std::int64_t id) override;
  void removeSequence(std::int64_t id) override;
  /// Before the parent's end: as far back as its history goes.
  void forkSequence(std::int64_t parent, std::int64_t child, std::int64_t position) override;
  void pop(std::int64_t id, std::int64_t count) override;
  /// Token trees must be chains.
  void beginForward(tvm::ffi::ShapeView ids, tvm::ffi::ShapeView lengths,
                    const std::optional<std::span<const std::int64_t>>& treeParents) override;
  void endForward() override;

  /// Copies a state of the pass's sequences, [sequences, ...], to `out`.
  void get(std::int64_t layer, std::int64_t state, const tvm::ffi::AnyView& out);
  /// Makes `data` their next state.
  void set(std::int64_t layer, std::int64_t state, const tvm::ffi::AnyView& data);
  /// A copy of the current state of one sequence.
  tvm::ffi::Tensor debugGet(std::int64_t layer, std::int64_t state, std::int64_t id) const;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.RnnState", RnnStateObj, KvStateObj);

 private:
  struct Sequence {
    std::int64_t slot = 0;
    std::int64_t length = 0;
    std::int64_t step = 0;       // place of the current state among its history
    std::int64_t available = 0;  // steps that can be taken back
  };

  Sequence& at(std::int64_t id);
  const Sequence& at(std::int64_t id) const;
  std::int64_t takeSlot();
  std::size_t placeOf(std::int64_t layer, std::int64_t state) const;
  std::size_t stepBytes(std::size_t place) const;
  char* stepData(std::size_t place, const Sequence& sequence) const;
  void requirePass() const;
  void requireSteps(const Sequence& sequence, std::int64_t id, std::int64_t count) const;
  void rollBack(Sequence& sequence, std::int64_t count);

  std::int64_t m_capacity;
  std::int64_t m_history;
  std::vector<State> m_states;
  runtime::StorageAllocator m_allocator{runtime::AllocatorKind::Naive, runtime::runLogSlot()};
  std::vector<tvm::ffi::Tensor> m_storages;  // layer by layer: [sequences, history, ...]
  std::int64_t m_layers;
  std::vector<std::int64_t> m_freeSlots;
  std::unordered_map<std::int64_t, Sequence> m_sequences;
  std::vector<std::pair<std::int64_t, std::int64_t>> m_pass;  // sequences with their new tokens
  IndexArray m_slots{m_allocator};
  IndexArray m_steps{m_allocator};
};

}  // namespace opscope::vm
