// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/elf_names.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace opscope::runtime {

namespace {

/// A library has one table of symbols and two or three that the loader fills slots by; in a damaged file
/// there may be thousands, each as large as the file.
constexpr int kMostSlotTables = 16;
constexpr std::size_t kMostNameBytes = 65536;

/// The sections of a library, each held against the file's size.
class Sections {
 public:
  explicit Sections(std::string_view bytes) : m_bytes(bytes) {
    Elf64_Ehdr header{};
    if (bytes.size() < sizeof header) {
      return;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.e_shentsize != sizeof(Elf64_Shdr) ||
        !holds(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr))) {
      return;
    }
    m_headers.resize(header.e_shnum);
    if (!m_headers.empty()) {
      std::memcpy(m_headers.data(), bytes.data() + header.e_shoff, m_headers.size() * sizeof(Elf64_Shdr));
    }
  }

  const std::vector<Elf64_Shdr>& headers() const { return m_headers; }

  const Elf64_Shdr* at(std::uint64_t index) const {
    return index < m_headers.size() ? &m_headers[index] : nullptr;
  }

  template <class Entry>
  std::vector<Entry> entries(const Elf64_Shdr& section) const {
    std::vector<Entry> list;
    if (section.sh_type == SHT_NOBITS || section.sh_entsize != sizeof(Entry) ||
        !holds(section.sh_offset, section.sh_size)) {
      return list;
    }
    list.resize(section.sh_size / sizeof(Entry));
    if (!list.empty()) {
      std::memcpy(list.data(), m_bytes.data() + section.sh_offset, list.size() * sizeof(Entry));
    }
    return list;
  }

  std::string_view text(const Elf64_Shdr& table, std::uint64_t offset) const {
    if (table.sh_type != SHT_STRTAB || !holds(table.sh_offset, table.sh_size) || offset >= table.sh_size) {
      return {};
    }
    const std::string_view rest =
        m_bytes.substr(table.sh_offset + offset, std::min(table.sh_size - offset, kMostNameBytes));
    const std::size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
  }

 private:
  bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= m_bytes.size() && size <= m_bytes.size() - offset;
  }

  std::string_view m_bytes;
  std::vector<Elf64_Shdr> m_headers;
};

void addSymbols(const Sections& sections, const Elf64_Shdr& table, ElfNames& names) {
  const Elf64_Shdr* texts = sections.at(table.sh_link);
  if (texts == nullptr) {
    return;
  }
  names.hasLocalNames = true;
  for (const Elf64_Sym& symbol : sections.entries<Elf64_Sym>(table)) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE || symbol.st_value == 0 ||
        (type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC)) {
      continue;
    }
    const std::string_view name = sections.text(*texts, symbol.st_name);
    if (!name.empty()) {
      names.places.push_back({name, symbol.st_value, symbol.st_size, type != STT_OBJECT});
    }
  }
}

bool fillsSlot(std::uint64_t type) {
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT ||
         type == R_AARCH64_GLOB_DAT;
}

void addSlots(const Sections& sections, const Elf64_Shdr& table, ElfNames& names) {
  const Elf64_Shdr* symbols = sections.at(table.sh_link);
  const Elf64_Shdr* texts = symbols == nullptr ? nullptr : sections.at(symbols->sh_link);
  if (texts == nullptr || symbols->sh_type != SHT_DYNSYM) {
    return;
  }
  const std::vector<Elf64_Sym> list = sections.entries<Elf64_Sym>(*symbols);
  for (const Elf64_Rela& relocation : sections.entries<Elf64_Rela>(table)) {
    const std::uint64_t symbol = ELF64_R_SYM(relocation.r_info);
    if (!fillsSlot(ELF64_R_TYPE(relocation.r_info)) || symbol >= list.size()) {
      continue;
    }
    const std::string_view name = sections.text(*texts, list[symbol].st_name);
    if (!name.empty()) {
      names.slots.emplace(relocation.r_offset, name);
    }
  }
}

}  // namespace

const NamedPlace* ElfNames::at(std::uint64_t address) const {
  const auto place = std::ranges::lower_bound(places, address, {}, &NamedPlace::address);
  return place != places.end() && place->address == address ? &*place : nullptr;
}

const NamedPlace* ElfNames::find(std::string_view name) const {
  const auto place = std::ranges::find(places, name, &NamedPlace::name);
  return place == places.end() ? nullptr : &*place;
}

const NamedPlace* ElfNames::before(std::uint64_t address) const {
  const auto place = std::ranges::upper_bound(places, address, {}, &NamedPlace::address);
  return place == places.begin() ? nullptr : &*std::prev(place);
}

const NamedPlace* ElfNames::after(std::uint64_t address) const {
  const auto place = std::ranges::upper_bound(places, address, {}, &NamedPlace::address);
  return place == places.end() ? nullptr : &*place;
}

const CodeRange* ElfNames::codeAt(std::uint64_t address) const {
  const auto range = std::ranges::find_if(
      code, [address](const CodeRange& one) { return address >= one.begin && address < one.end; });
  return range == code.end() ? nullptr : &*range;
}

ElfNames namesOf(const ElfImage& image) {
  ElfNames names;
  for (const ElfSymbol& symbol : image.definedSymbols()) {
    if (symbol.value != 0) {
      names.places.push_back({symbol.name, symbol.value, symbol.size, symbol.function});
    }
  }
  const Sections sections(image.bytes());
  int slotTables = 0;
  for (const Elf64_Shdr& section : sections.headers()) {
    const bool isLoaded = (section.sh_flags & SHF_ALLOC) != 0;
    if (section.sh_type == SHT_SYMTAB && !names.hasLocalNames) {
      addSymbols(sections, section, names);
    } else if (section.sh_type == SHT_RELA && isLoaded && ++slotTables <= kMostSlotTables) {
      addSlots(sections, section, names);
    } else if (section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0 &&
               section.sh_size <= std::numeric_limits<std::uint64_t>::max() - section.sh_addr) {
      names.code.push_back({section.sh_addr, section.sh_addr + section.sh_size});
    }
  }
  // An exported name comes before the same place's entry in the whole table.
  std::ranges::stable_sort(names.places, {}, &NamedPlace::address);
  const auto same = [](const NamedPlace& a, const NamedPlace& b) { return a.address == b.address; };
  names.places.erase(std::unique(names.places.begin(), names.places.end(), same), names.places.end());
  return names;
}

}  // namespace opscope::runtime
