// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kv_cache/rnn_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/vm/builtins/arguments.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

RnnStateObj::RnnStateObj(std::int64_t layers, std::int64_t sequences, std::int64_t history,
                         std::vector<State> states)
    : m_capacity(sequences), m_history(history), m_states(std::move(states)), m_layers(layers) {
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (const State& state : m_states) {
      std::vector<std::int64_t> shape = {sequences, history};
      shape.insert(shape.end(), state.initial.shape().begin(), state.initial.shape().end());
      m_storages.push_back(runtime::emptyTensor(m_allocator, {shape.data(), shape.size()},
                                                state.initial.dtype(), DLDevice{kDLCPU, 0}));
    }
  }
  clear();
}

void RnnStateObj::clear() {
  m_sequences.clear();
  m_pass.clear();
  m_freeSlots.resize(static_cast<std::size_t>(m_capacity));
  std::iota(m_freeSlots.rbegin(), m_freeSlots.rend(), 0);
}

RnnStateObj::Sequence& RnnStateObj::at(std::int64_t id) {
  return const_cast<Sequence&>(std::as_const(*this).at(id));
}

const RnnStateObj::Sequence& RnnStateObj::at(std::int64_t id) const {
  const auto found = m_sequences.find(id);
  if (found == m_sequences.end()) {
    raise("ValueError", fmt::format("RNN state: there is no sequence {}", id));
  }
  return found->second;
}

std::int64_t RnnStateObj::takeSlot() {
  if (m_freeSlots.empty()) {
    raise("RuntimeError", fmt::format("RNN state: it is full, all {} sequences are in use", m_capacity));
  }
  const std::int64_t slot = m_freeSlots.back();
  m_freeSlots.pop_back();
  return slot;
}

std::size_t RnnStateObj::placeOf(std::int64_t layer, std::int64_t state) const {
  const auto states = static_cast<std::int64_t>(m_states.size());
  if (layer < 0 || layer >= m_layers || state < 0 || state >= states) {
    raise("ValueError",
          fmt::format("RNN state: there are {} layers with {} states each, asked for was state {} "
                      "of layer {}",
                      m_layers, states, state, layer));
  }
  return static_cast<std::size_t>(layer * states + state);
}

std::size_t RnnStateObj::stepBytes(std::size_t place) const {
  return ffi::GetDataSize(*m_states[place % m_states.size()].initial.GetDLTensorPtr());
}

char* RnnStateObj::stepData(std::size_t place, const Sequence& sequence) const {
  const auto index = static_cast<std::size_t>(sequence.slot * m_history + sequence.step);
  return static_cast<char*>(m_storages[place].data_ptr()) + index * stepBytes(place);
}

void RnnStateObj::addSequence(std::int64_t id) {
  if (m_sequences.contains(id)) {
    raise("ValueError", fmt::format("RNN state: sequence {} exists already", id));
  }
  Sequence sequence;
  sequence.slot = takeSlot();
  for (std::size_t place = 0; place < m_storages.size(); ++place) {
    const ffi::Tensor& initial = m_states[place % m_states.size()].initial;
    std::memcpy(stepData(place, sequence), static_cast<char*>(initial.data_ptr()) + initial.byte_offset(),
                stepBytes(place));
  }
  m_sequences.emplace(id, sequence);
}

void RnnStateObj::removeSequence(std::int64_t id) {
  m_freeSlots.push_back(at(id).slot);
  m_sequences.erase(id);
  m_pass.clear();
}

void RnnStateObj::requireSteps(const Sequence& sequence, std::int64_t id, std::int64_t count) const {
  if (count < 0 || count > sequence.available) {
    raise("ValueError",
          fmt::format("RNN state: {} of the last steps of sequence {} are kept (its history holds "
                      "{}), so {} tokens cannot be taken back",
                      sequence.available, id, m_history, count));
  }
}

void RnnStateObj::rollBack(Sequence& sequence, std::int64_t count) {
  sequence.length -= count;
  sequence.available -= count;
  sequence.step = (sequence.step - count + m_history) % m_history;
}

void RnnStateObj::forkSequence(std::int64_t parentId, std::int64_t childId, std::int64_t position) {
  const Sequence parent = at(parentId);
  if (m_sequences.contains(childId)) {
    raise("ValueError", fmt::format("RNN state: sequence {} exists already", childId));
  }
  const std::int64_t back = position == -1 ? 0 : parent.length - position;
  requireSteps(parent, parentId, back);
  Sequence child = parent;
  child.slot = takeSlot();
  for (std::size_t place = 0; place < m_storages.size(); ++place) {
    const std::size_t bytes = stepBytes(place) * static_cast<std::size_t>(m_history);
    char* data = static_cast<char*>(m_storages[place].data_ptr());
    std::memcpy(data + static_cast<std::size_t>(child.slot) * bytes,
                data + static_cast<std::size_t>(parent.slot) * bytes, bytes);
  }
  rollBack(child, back);
  m_sequences.emplace(childId, child);
}

void RnnStateObj::pop(std::int64_t id, std::int64_t count) {
  Sequence& sequence = at(id);
  requireSteps(sequence, id, count);
  rollBack(sequence, count);
  m_pass.clear();
}

void RnnStateObj::beginForward(ffi::ShapeView ids, ffi::ShapeView lengths,
                               const std::optional<std::span<const std::int64_t>>& treeParents) {
  if (ids.size() != lengths.size() || ids.empty()) {
    raise("ValueError",
          fmt::format("RNN state: a pass takes at least one sequence and as many lengths, got {} and "
                      "{}",
                      ids.size(), lengths.size()));
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> pass;
  std::vector<std::int64_t> chain;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    static_cast<void>(at(ids[i]));
    if (lengths[i] <= 0) {
      raise("ValueError",
            fmt::format("RNN state: sequence {} should get at least one token, got {}", ids[i], lengths[i]));
    }
    const auto same = [&](const auto& member) { return member.first == ids[i]; };
    if (std::any_of(pass.begin(), pass.end(), same)) {
      raise("ValueError", fmt::format("RNN state: sequence {} is named twice in a pass", ids[i]));
    }
    pass.emplace_back(ids[i], lengths[i]);
    for (std::int64_t node = 0;
         treeParents.has_value() && node < lengths[i] && chain.size() < treeParents->size(); ++node) {
      chain.push_back(node - 1);
    }
  }
  if (treeParents.has_value() &&
      !std::equal(chain.begin(), chain.end(), treeParents->begin(), treeParents->end())) {
    raise("ValueError", "RNN state: token trees should be chains, each node following the one before it");
  }
  m_slots.clear();
  m_steps.clear();
  for (const auto& [id, length] : pass) {
    m_slots.push(static_cast<std::int32_t>(at(id).slot));
    m_steps.push(static_cast<std::int32_t>(at(id).step));
  }
  m_pass = std::move(pass);
}

void RnnStateObj::requirePass() const {
  if (m_pass.empty()) {
    raise("RuntimeError",
          "RNN state: there is no forward pass; begin one with kv_state_begin_forward (removing or "
          "popping sequences ends it)");
  }
}

void RnnStateObj::endForward() {
  requirePass();
  for (const auto& [id, length] : m_pass) {
    Sequence& sequence = at(id);
    sequence.length += length;
    // What came before a prefill cannot be told apart by tokens.
    sequence.available = length > 1 ? 0 : std::min(sequence.available + 1, m_history - 1);
    sequence.step = (sequence.step + 1) % m_history;
  }
  m_pass.clear();
}

void RnnStateObj::get(std::int64_t layer, std::int64_t state, const ffi::AnyView& out) {
  requirePass();
  const std::size_t place = placeOf(layer, state);
  m_states[static_cast<std::size_t>(state)].get(m_storages[place], m_slots.vector(), m_steps.vector(), out);
}

void RnnStateObj::set(std::int64_t layer, std::int64_t state, const ffi::AnyView& data) {
  requirePass();
  const std::size_t place = placeOf(layer, state);
  m_states[static_cast<std::size_t>(state)].set(m_storages[place], m_slots.vector(), m_steps.vector(), data);
}

ffi::Tensor RnnStateObj::debugGet(std::int64_t layer, std::int64_t state, std::int64_t id) const {
  const std::size_t place = placeOf(layer, state);
  const Sequence& sequence = at(id);
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  const ffi::Tensor& initial = m_states[static_cast<std::size_t>(state)].initial;
  ffi::Tensor copy = runtime::emptyTensor(allocator, initial.shape(), initial.dtype(), DLDevice{kDLCPU, 0});
  std::memcpy(copy.data_ptr(), stepData(place, sequence), stepBytes(place));
  return copy;
}

}  // namespace opscope::vm
