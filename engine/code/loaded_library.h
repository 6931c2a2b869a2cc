// SPDX-License-Identifier: Apache-2.0
// A shared library as the system's loader has it in memory: its functions, the slots through which it calls
// functions by name, and where its code lies. Plain data that points into the library, which must stay
// loaded. Any thread. x86-64 and aarch64, 64-bit ELF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace opscope::code {

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
  bool empty() const { return begin >= end; }
};

/// A function that the library exports.
struct ExportedFunction {
  std::string_view name;
  std::uintptr_t address = 0;
  std::size_t size = 0;  ///< 0: unknown
};

/// A word that holds the address of a function, filled by the loader (relocations JUMP_SLOT and GLOB_DAT).
struct Slot {
  std::string_view symbol;
  std::uintptr_t* address = nullptr;
  std::uintptr_t definition = 0;  ///< of the symbol in this library; 0: it is defined elsewhere
};

class LoadedLibrary {
 public:
  /// `handle` is dlopen's. Errors: Unsupported when the loader does not tell where the library lies or its
  /// tables are not of a kind that is known.
  static base::Result<LoadedLibrary> of(void* handle);

  const std::vector<ExportedFunction>& functions() const { return m_functions; }
  const std::vector<Slot>& slots() const { return m_slots; }
  const std::vector<AddressRange>& code() const { return m_code; }
  /// The table of contents of .eh_frame; empty when the library has none.
  AddressRange ehFrameHeader() const { return m_ehFrameHeader; }
  AddressRange image() const { return m_image; }

  bool isCode(std::uintptr_t address) const;
  /// True when all of it lies within one segment, so that it can be read.
  bool isMapped(const AddressRange& range) const;
  /// False for what lies in pages that the loader made read-only after it filled them (RELRO) and in pages
  /// that never were writable.
  bool isWritable(std::uintptr_t address) const;
  /// The address of a variable or function that this very library exports, 0 when it has none.
  std::uintptr_t addressOf(std::string_view symbol) const;

 private:
  struct Segment {
    AddressRange range;
    bool writable = false;
  };
  friend class LibraryReader;

  AddressRange m_image;
  std::vector<Segment> m_segments;
  std::vector<AddressRange> m_code;
  AddressRange m_readOnlyAfterLoad;
  AddressRange m_ehFrameHeader;
  std::vector<ExportedFunction> m_functions;
  std::vector<ExportedFunction> m_variables;
  std::vector<Slot> m_slots;
};

}  // namespace opscope::code
