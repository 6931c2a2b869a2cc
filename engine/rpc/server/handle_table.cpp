// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/handle_table.h"

#include <tvm/ffi/container/tensor.h>

#include <utility>

namespace opscope::rpc::server {

namespace ffi = tvm::ffi;

HandleTable::Handle HandleTable::add(ffi::ObjectRef object) {
  if (m_free.empty()) {
    m_free.push_back(static_cast<std::uint32_t>(m_slots.size()));
    m_slots.emplace_back();
  }
  const std::uint32_t index = m_free.back();
  m_free.pop_back();
  Slot& slot = m_slots[index];
  slot.object = std::move(object);
  return static_cast<Handle>(slot.generation) << 32 | index;
}

const HandleTable::Slot* HandleTable::slotOf(Handle handle) const {
  const auto index = static_cast<std::uint32_t>(handle);
  if (index >= m_slots.size() || m_slots[index].generation != handle >> 32) {
    return nullptr;
  }
  return m_slots[index].object.defined() ? &m_slots[index] : nullptr;
}

ffi::Object* HandleTable::find(Handle handle) const {
  const Slot* slot = slotOf(handle);
  return slot == nullptr ? nullptr : const_cast<ffi::Object*>(slot->object.get());
}

ffi::ObjectRef HandleTable::remove(Handle handle) {
  if (slotOf(handle) == nullptr) {
    return ffi::ObjectRef(nullptr);
  }
  const auto index = static_cast<std::uint32_t>(handle);
  Slot& slot = m_slots[index];
  ffi::ObjectRef object = std::exchange(slot.object, ffi::ObjectRef(nullptr));
  slot.generation = slot.generation == UINT32_MAX ? 1 : slot.generation + 1;
  m_free.push_back(index);
  return object;
}

HandleTable::Handle HandleTable::findTensor(std::uint64_t address) const {
  for (std::size_t index = 0; index < m_slots.size(); ++index) {
    const auto* tensor = m_slots[index].object.as<ffi::TensorObj>();
    if (tensor != nullptr && reinterpret_cast<std::uintptr_t>(tensor->data) == address) {
      return static_cast<Handle>(m_slots[index].generation) << 32 | index;
    }
  }
  return 0;
}

}  // namespace opscope::rpc::server
