// SPDX-License-Identifier: Apache-2.0
#include "engine/probe/loaded_library.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace opscope::probe {

namespace {

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
  m_tables = {m_dynamic, m_base, m_begin, m_end};
  return m_tables.isWhole();
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

bool LoadedLibrary::slotAt(std::size_t index, Slot& slot) const {
  slot = {nullptr, "", 0};
  const auto& [data, jumps] = m_tables.relocations();
  const bool isJump = index >= data.count();
  index -= isJump ? data.count() : 0;
  if (index >= (isJump ? jumps : data).count()) {
    return false;
  }
  const ElfW(Rela)& relocation = (isJump ? jumps : data).first[index];
  const ElfW(Sym)& symbol = m_tables.symbol(ELF64_R_SYM(relocation.r_info));
  std::uintptr_t* const address = m_tables.slotOf(relocation);
  if (address != nullptr && symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
    slot = {address, m_tables.nameOf(symbol), m_base + symbol.st_value};
  }
  return true;
}

std::uintptr_t* LoadedLibrary::variable(const char* name) const {
  const std::uint32_t count = m_tables.symbolCount();
  for (std::uint32_t i = 0; i < count; ++i) {
    const ElfW(Sym)& symbol = m_tables.symbol(i);
    const std::uintptr_t address = m_base + symbol.st_value;
    if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
        address % alignof(std::uintptr_t) == 0 && address >= m_begin && address < m_end &&
        strcmp(m_tables.nameOf(symbol), name) == 0) {
      return reinterpret_cast<std::uintptr_t*>(address);
    }
  }
  return nullptr;
}

std::uint32_t LoadedLibrary::countFunctions(bool (*isWanted)(const char* name)) const {
  const std::uint32_t count = m_tables.symbolCount();
  std::uint32_t wanted = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ElfW(Sym)& symbol = m_tables.symbol(i);
    const bool isFunction = symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
    wanted += isFunction && isWanted(m_tables.nameOf(symbol)) ? 1 : 0;
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
