// SPDX-License-Identifier: Apache-2.0
// The tables of a loaded ELF library that its dynamic section points to: symbols, names, relocations. Header
// only and without the C++ library, since the probe reads them in others' processes. Plain data that points
// into the library, which must stay loaded. Any thread. x86-64 and aarch64, 64-bit.
#pragma once

#include <elf.h>
#include <link.h>
#include <string.h>

#include <cstddef>
#include <cstdint>

namespace opscope::base {

/// Relocations of words that the loader fills with an address, by machine: the same source serves boards.
#if defined(__aarch64__)
inline constexpr std::uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
inline constexpr std::uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
#else
inline constexpr std::uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
inline constexpr std::uint32_t kGlobalData = R_X86_64_GLOB_DAT;
#endif

/// One table of relocations; empty when the library has none.
struct RelocationTable {
  const ElfW(Rela) * first = nullptr;
  std::size_t bytes = 0;
  std::size_t count() const { return first == nullptr ? 0 : bytes / sizeof(*first); }
};

class DynamicTables {
 public:
  DynamicTables() = default;
  /// Of the library that lies in [begin, end), loaded at `base`, with its dynamic section at `section`.
  DynamicTables(const ElfW(Dyn) * section, std::uintptr_t base, std::uintptr_t begin, std::uintptr_t end)
      : m_base(base), m_begin(begin), m_end(end) {
    for (const ElfW(Dyn)* entry = section; entry->d_tag != DT_NULL; ++entry) {
      keep(*entry);
    }
  }

  /// False: the library has no symbols, or tables of a kind that is not known.
  bool isWhole() const { return m_symbols != nullptr && m_strings != nullptr; }
  const ElfW(Sym) & symbol(std::size_t index) const { return m_symbols[index]; }
  /// Of data and of jumps, in this order.
  const RelocationTable (&relocations() const)[2] { return m_relocations; }

  /// "" for a name that does not lie within the table of names.
  const char* nameOf(const ElfW(Sym) & symbol) const {
    const bool isWithin = symbol.st_name < m_stringBytes &&
                          memchr(m_strings + symbol.st_name, 0, m_stringBytes - symbol.st_name) != nullptr;
    return isWithin ? m_strings + symbol.st_name : "";
  }

  /// The word that a relocation fills with the address of a symbol; null for one of another kind.
  std::uintptr_t* slotOf(const ElfW(Rela) & relocation) const {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
    const std::uintptr_t address = m_base + relocation.r_offset;
    const bool isSlot = (type == kJumpSlot || type == kGlobalData) &&
                        address % alignof(std::uintptr_t) == 0 && address >= m_begin && address < m_end;
    return isSlot ? reinterpret_cast<std::uintptr_t*>(address) : nullptr;
  }

  /// The section does not tell the number of symbols: either table for looking them up by name does.
  std::uint32_t symbolCount() const {
    if (m_hash != nullptr) {
      return m_hash[1];  // as many chains as symbols
    }
    return m_gnuHash == nullptr ? 0 : hashedCount();
  }

 private:
  /// glibc adds the base to the addresses in the dynamic section, others leave it away.
  template <class T>
  const T* pointer(ElfW(Addr) value) const {
    const std::uintptr_t address = value < m_base ? m_base + value : value;
    return address >= m_begin && address < m_end ? reinterpret_cast<const T*>(address) : nullptr;
  }

  void keep(const ElfW(Dyn) & entry) {
    switch (entry.d_tag) {
      case DT_SYMTAB:
        m_symbols = pointer<ElfW(Sym)>(entry.d_un.d_ptr);
        break;
      case DT_STRTAB:
        m_strings = pointer<char>(entry.d_un.d_ptr);
        break;
      case DT_STRSZ:
        m_stringBytes = entry.d_un.d_val;
        break;
      case DT_HASH:
        m_hash = pointer<ElfW(Word)>(entry.d_un.d_ptr);
        break;
      case DT_GNU_HASH:
        m_gnuHash = pointer<ElfW(Word)>(entry.d_un.d_ptr);
        break;
      case DT_RELA:
        m_relocations[0].first = pointer<ElfW(Rela)>(entry.d_un.d_ptr);
        break;
      case DT_RELASZ:
        m_relocations[0].bytes = entry.d_un.d_val;
        break;
      case DT_JMPREL:
        m_relocations[1].first = pointer<ElfW(Rela)>(entry.d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        m_relocations[1].bytes = entry.d_un.d_val;
        break;
      default:
        break;
    }
  }

  /// GNU's table: the symbols before the first hashed one, then chains whose last one has its lowest bit set.
  std::uint32_t hashedCount() const {
    const std::uint32_t buckets = m_gnuHash[0];
    const std::uint32_t firstHashed = m_gnuHash[1];
    const auto* const bucket = reinterpret_cast<const ElfW(Word)*>(
        reinterpret_cast<const ElfW(Addr)*>(m_gnuHash + 4) + m_gnuHash[2]);
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < buckets; ++i) {
      last = bucket[i] > last ? bucket[i] : last;
    }
    if (last < firstHashed) {
      return firstHashed;
    }
    const ElfW(Word)* const chain = bucket + buckets;
    while ((chain[last - firstHashed] & 1) == 0) {
      ++last;
    }
    return last + 1;
  }

  std::uintptr_t m_base = 0;
  std::uintptr_t m_begin = 0;
  std::uintptr_t m_end = 0;
  const ElfW(Sym) * m_symbols = nullptr;
  const char* m_strings = nullptr;
  std::size_t m_stringBytes = 0;
  const ElfW(Word) * m_hash = nullptr;
  const ElfW(Word) * m_gnuHash = nullptr;
  RelocationTable m_relocations[2];
};

}  // namespace opscope::base
