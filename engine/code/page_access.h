// SPDX-License-Identifier: Apache-2.0
// Changing memory that is mapped read-only. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opscope::code {

/// How pages get other permissions; tests put one in its place that refuses.
class PageAccess {
 public:
  virtual ~PageAccess() = default;
  /// mprotect over all pages that [begin, begin + bytes) touches; false when the system refuses.
  virtual bool set(std::uintptr_t begin, std::size_t bytes, int protection);
  /// Fresh memory that can be written, within 2 GiB of `near` on both sides of [near, near + span); nullptr
  /// when there is none. unmap gives it back.
  virtual void* mapNear(std::uintptr_t near, std::size_t span, std::size_t bytes);
  void unmap(void* begin, std::size_t bytes);
};

}  // namespace opscope::code
