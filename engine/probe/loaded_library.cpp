// SPDX-License-Identifier: Apache-2.0
#include "engine/probe/loaded_library.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace opscope::probe {

namespace {

#if defined(__aarch64__)
constexpr std::uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t kGlobalData = R_X86_64_GLOB_DAT;
#endif

std::uintptr_t pageBegin(std::uintptr_t address) {
  return address & ~(static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
}

}  // namespace

struct LoadedLibrary::Search {
  Text fileName;
  LoadedLibrary* found;         // filled by the last one of this name
  const LoadedLibrary* sought;  // or: looks for the one that lies there
  bool isThere;
};

int LoadedLibrary::look(dl_phdr_info* info, std::size_t /*size*/, void* to) {
  auto& search = *static_cast<Search*>(to);
  if (search.sought != nullptr) {
    LoadedLibrary other;
    if (info->dlpi_addr == search.sought->m_base) {
      other.readHeaders(*info);
      search.isThere = search.isThere || other.m_dynamic == search.sought->m_dynamic;
    }
    return 0;
  }
  const char* const path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  const char* const slash = strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  if (strlen(name) == search.fileName.size && memcmp(name, search.fileName.data, search.fileName.size) == 0) {
    *search.found = {};
    search.found->readHeaders(*info);
    search.isThere = true;
  }
  return 0;
}

bool LoadedLibrary::find(Text fileName) {
  Search search{fileName, this, nullptr, false};
  dl_iterate_phdr(&look, &search);
  if (!search.isThere || m_dynamic == nullptr) {
    return false;
  }
  readDynamic();
  return m_symbols != nullptr && m_strings != nullptr;
}

bool LoadedLibrary::isStillThere() const {
  Search search{{}, nullptr, this, false};
  dl_iterate_phdr(&look, &search);
  return search.isThere && m_dynamic != nullptr;
}

void LoadedLibrary::readHeaders(const dl_phdr_info& info) {
  m_base = info.dlpi_addr;
  m_begin = ~std::uintptr_t{0};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const std::uintptr_t begin = m_base + header.p_vaddr;
    const std::uintptr_t end = begin + header.p_memsz;
    if (header.p_type == PT_LOAD) {
      m_begin = begin < m_begin ? begin : m_begin;
      m_end = end > m_end ? end : m_end;
    } else if (header.p_type == PT_DYNAMIC) {
      m_dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    } else if (header.p_type == PT_GNU_RELRO) {
      m_sealedBegin = pageBegin(begin);
      m_sealedEnd = pageBegin(end);
    }
  }
}

/// glibc adds the base to the addresses in the dynamic section, others leave it away.
template <class T>
const T* LoadedLibrary::pointer(ElfW(Addr) value) const {
  const std::uintptr_t address = value < m_base ? m_base + value : value;
  return address >= m_begin && address < m_end ? reinterpret_cast<const T*>(address) : nullptr;
}

void LoadedLibrary::readDynamic() {
  for (const ElfW(Dyn)* entry = m_dynamic; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        m_symbols = pointer<ElfW(Sym)>(entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        m_strings = pointer<char>(entry->d_un.d_ptr);
        break;
      case DT_STRSZ:
        m_stringBytes = entry->d_un.d_val;
        break;
      case DT_HASH:
        m_hash = pointer<ElfW(Word)>(entry->d_un.d_ptr);
        break;
      case DT_GNU_HASH:
        m_gnuHash = pointer<ElfW(Word)>(entry->d_un.d_ptr);
        break;
      case DT_RELA:
        m_relocations[0] = pointer<ElfW(Rela)>(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        m_relocationCounts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_JMPREL:
        m_relocations[1] = pointer<ElfW(Rela)>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        m_relocationCounts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      default:
        break;
    }
  }
  for (int table = 0; table < 2; ++table) {
    m_relocationCounts[table] = m_relocations[table] == nullptr ? 0 : m_relocationCounts[table];
  }
}

const char* LoadedLibrary::nameOf(const ElfW(Sym) & symbol) const {
  const bool isWhole = symbol.st_name < m_stringBytes &&
                       memchr(m_strings + symbol.st_name, 0, m_stringBytes - symbol.st_name) != nullptr;
  return isWhole ? m_strings + symbol.st_name : "";
}

bool LoadedLibrary::slotAt(std::size_t index, Slot& slot) const {
  slot = {nullptr, "", 0};
  const bool isJump = index >= m_relocationCounts[0];
  index -= isJump ? m_relocationCounts[0] : 0;
  if (index >= m_relocationCounts[isJump ? 1 : 0]) {
    return false;
  }
  const ElfW(Rela)& relocation = m_relocations[isJump ? 1 : 0][index];
  const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
  const std::uintptr_t address = m_base + relocation.r_offset;
  const ElfW(Sym)& symbol = m_symbols[ELF64_R_SYM(relocation.r_info)];
  if ((type == kJumpSlot || type == kGlobalData) && address % alignof(std::uintptr_t) == 0 &&
      address >= m_begin && address < m_end && symbol.st_shndx != SHN_UNDEF &&
      ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
    slot = {reinterpret_cast<std::uintptr_t*>(address), nameOf(symbol), m_base + symbol.st_value};
  }
  return true;
}

std::uint32_t LoadedLibrary::symbolCount() const {
  if (m_hash != nullptr) {
    return m_hash[1];  // as many chains as symbols
  }
  if (m_gnuHash == nullptr) {
    return 0;
  }
  const std::uint32_t buckets = m_gnuHash[0];
  const std::uint32_t firstHashed = m_gnuHash[1];
  const auto* const bucket =
      reinterpret_cast<const ElfW(Word)*>(reinterpret_cast<const ElfW(Addr)*>(m_gnuHash + 4) + m_gnuHash[2]);
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

std::uintptr_t* LoadedLibrary::variable(const char* name) const {
  const std::uint32_t count = symbolCount();
  for (std::uint32_t i = 0; i < count; ++i) {
    const ElfW(Sym)& symbol = m_symbols[i];
    const std::uintptr_t address = m_base + symbol.st_value;
    if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
        address % alignof(std::uintptr_t) == 0 && address >= m_begin && address < m_end &&
        strcmp(nameOf(symbol), name) == 0) {
      return reinterpret_cast<std::uintptr_t*>(address);
    }
  }
  return nullptr;
}

std::uint32_t LoadedLibrary::countFunctions(bool (*isWanted)(const char* name)) const {
  const std::uint32_t count = symbolCount();
  std::uint32_t wanted = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ElfW(Sym)& symbol = m_symbols[i];
    const bool isFunction = symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
    wanted += isFunction && isWanted(nameOf(symbol)) ? 1 : 0;
  }
  return wanted;
}

bool LoadedLibrary::write(std::uintptr_t* word, std::uintptr_t value) const {
  const auto address = reinterpret_cast<std::uintptr_t>(word);
  const bool isSealed = address >= m_sealedBegin && address < m_sealedEnd;
  void* const page = reinterpret_cast<void*>(pageBegin(address));
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));  // a word lies in one page
  if (isSealed && mprotect(page, bytes, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  if (isSealed) {
    mprotect(page, bytes, PROT_READ);  // at worst the page stays as it is
  }
  return true;
}

}  // namespace opscope::probe
