// SPDX-License-Identifier: Apache-2.0
#include "engine/code/loaded_library.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

#include "engine/base/dynamic_tables.h"

namespace opscope::code {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

Error unknownLayout(const char* what) {
  return {ErrorCode::Unsupported, std::string("the loaded library cannot be read: ") + what, {}, {}};
}

/// What dl_iterate_phdr tells of one library.
struct Headers {
  const link_map* map = nullptr;
  std::vector<ElfW(Phdr)> headers;
};

int keepHeaders(dl_phdr_info* info, std::size_t /*size*/, void* to) {
  auto& found = *static_cast<Headers*>(to);
  if (info->dlpi_addr != found.map->l_addr) {
    return 0;
  }
  const auto isThis = [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_DYNAMIC &&
           info->dlpi_addr + header.p_vaddr == reinterpret_cast<std::uintptr_t>(found.map->l_ld);
  };
  if (std::none_of(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum, isThis)) {
    return 0;
  }
  found.headers.assign(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum);
  return 1;
}

}  // namespace

class LibraryReader {
 public:
  LibraryReader(LoadedLibrary& library, const Headers& headers)
      : m_library(library), m_headers(headers), m_base(headers.map->l_addr) {}

  Result<> read() {
    readSegments();
    m_tables = {m_headers.map->l_ld, m_base, m_library.m_image.begin, m_library.m_image.end};
    if (!m_tables.isWhole()) {
      return unknownLayout("it has no table of symbols");
    }
    for (const base::RelocationTable& table : m_tables.relocations()) {
      readSlots(table);
    }
    readSymbols();
    return {};
  }

 private:
  void readSegments() {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    m_library.m_image = {~std::uintptr_t{0}, 0};
    for (const ElfW(Phdr) & header : m_headers.headers) {
      const AddressRange range{m_base + header.p_vaddr, m_base + header.p_vaddr + header.p_memsz};
      if (header.p_type == PT_LOAD) {
        m_library.m_segments.push_back({range, (header.p_flags & PF_W) != 0});
        m_library.m_image.begin = std::min(m_library.m_image.begin, range.begin);
        m_library.m_image.end = std::max(m_library.m_image.end, range.end);
        if ((header.p_flags & PF_X) != 0) {
          m_library.m_code.push_back(range);
        }
      } else if (header.p_type == PT_GNU_RELRO) {
        m_library.m_readOnlyAfterLoad = {range.begin & ~(page - 1), range.end & ~(page - 1)};
      } else if (header.p_type == PT_GNU_EH_FRAME) {
        m_library.m_ehFrameHeader = range;
      }
    }
  }

  std::uintptr_t definitionOf(const ElfW(Sym) & symbol) const {
    return symbol.st_shndx == SHN_UNDEF ? 0 : m_base + symbol.st_value;
  }

  void readSlots(const base::RelocationTable& table) {
    for (const ElfW(Rela)* at = table.first; at < table.first + table.count(); ++at) {
      if (std::uintptr_t* const address = m_tables.slotOf(*at)) {
        const ElfW(Sym)& symbol = m_tables.symbol(ELF64_R_SYM(at->r_info));
        m_library.m_slots.push_back({m_tables.nameOf(symbol), address, definitionOf(symbol)});
      }
    }
  }

  void readSymbols() {
    const std::uint32_t count = m_tables.symbolCount();
    for (std::uint32_t i = 0; i < count; ++i) {
      const ElfW(Sym)& symbol = m_tables.symbol(i);
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) {
        continue;
      }
      const ExportedFunction exported{m_tables.nameOf(symbol), m_base + symbol.st_value, symbol.st_size};
      if (type == STT_FUNC && m_library.isCode(exported.address)) {
        m_library.m_functions.push_back(exported);
      } else if (type == STT_OBJECT) {
        m_library.m_variables.push_back(exported);
      }
    }
  }

  LoadedLibrary& m_library;
  const Headers& m_headers;
  std::uintptr_t m_base;
  base::DynamicTables m_tables;
};

Result<LoadedLibrary> LoadedLibrary::of(void* handle) {
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) {
    return unknownLayout("the loader does not tell where it lies");
  }
  Headers headers{map, {}};
  dl_iterate_phdr(&keepHeaders, &headers);
  if (headers.headers.empty()) {
    return unknownLayout("the loader does not list its segments");
  }
  LoadedLibrary library;
  OPSCOPE_TRY(LibraryReader(library, headers).read());
  return library;
}

bool LoadedLibrary::isCode(std::uintptr_t address) const {
  return std::ranges::any_of(m_code, [&](const AddressRange& range) { return range.contains(address); });
}

bool LoadedLibrary::isMapped(const AddressRange& range) const {
  return std::ranges::any_of(m_segments, [&](const Segment& segment) {
    return segment.range.contains(range.begin) && range.end <= segment.range.end && !range.empty();
  });
}

bool LoadedLibrary::isWritable(std::uintptr_t address) const {
  if (m_readOnlyAfterLoad.contains(address)) {
    return false;
  }
  return std::ranges::any_of(m_segments, [&](const Segment& segment) {
    return segment.writable && segment.range.contains(address);
  });
}

std::uintptr_t LoadedLibrary::addressOf(std::string_view symbol) const {
  for (const auto* list : {&m_functions, &m_variables}) {
    const auto found = std::ranges::find(*list, symbol, &ExportedFunction::name);
    if (found != list->end()) {
      return found->address;
    }
  }
  return 0;
}

}  // namespace opscope::code
