// SPDX-License-Identifier: Apache-2.0
// The objects that a client holds, by numbers that mean nothing outside of the session: a wrong number, or
// one that was freed, is found out instead of being followed as an address. The session's thread; owns a
// reference to each object.
#pragma once

#include <tvm/ffi/object.h>

#include <cstdint>
#include <vector>

namespace opscope::rpc::server {

class HandleTable {
 public:
  using Handle = std::uint64_t;  ///< never 0, which stands for none

  /// What the first add() of a table gives.
  static constexpr Handle kFirst = Handle{1} << 32;

  Handle add(tvm::ffi::ObjectRef object);
  /// The object behind a handle, or nullptr. Valid until remove.
  tvm::ffi::Object* find(Handle handle) const;
  /// Gives the object back and forgets the handle; nullptr when there is no such handle.
  tvm::ffi::ObjectRef remove(Handle handle);
  /// The handle of a tensor whose data begins at `address`; 0 when there is none. Looks at all handles.
  Handle findTensor(std::uint64_t address) const;
  std::size_t size() const { return m_slots.size() - m_free.size(); }

 private:
  struct Slot {
    tvm::ffi::ObjectRef object;
    std::uint32_t generation = 1;  ///< upper half of the handle; another one each time the slot is used
  };
  const Slot* slotOf(Handle handle) const;

  std::vector<Slot> m_slots;
  std::vector<std::uint32_t> m_free;
};

}  // namespace opscope::rpc::server
