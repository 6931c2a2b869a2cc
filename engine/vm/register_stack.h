// SPDX-License-Identifier: Apache-2.0
// Memory for the registers of nested calls. Grows in blocks that never move, so a pointer into a frame stays
// good while deeper frames come and go. One thread.
#pragma once

#include <tvm/ffi/any.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace opscope::vm {

class RegisterStack {
 public:
  /// `values` registers that own what they hold, followed by `views` slots for borrowed arguments; all None.
  /// Throws RecursionError when the machine's registers would exceed kMostSlots, std::bad_alloc when memory
  /// is out.
  TVMFFIAny* push(std::size_t values, std::size_t views);

  /// Releases the latest push, which must have been of the same size.
  void pop(TVMFFIAny* base, std::size_t values, std::size_t views);

  /// 1 GiB of registers: far beyond what a program uses, and well before the system kills the process.
  static constexpr std::size_t kMostSlots = std::size_t{1} << 26;

 private:
  struct Block {
    std::unique_ptr<TVMFFIAny[]> slots;
    std::size_t size = 0;
    std::size_t used = 0;
  };
  void addBlock(std::size_t least);

  std::vector<Block> m_blocks;
  std::size_t m_current = 0;  ///< block of the latest push; later ones are empty
  std::size_t m_total = 0;
};

}  // namespace opscope::vm
