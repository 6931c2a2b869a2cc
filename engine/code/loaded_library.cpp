// SPDX-License-Identifier: Apache-2.0
#include "engine/code/loaded_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

namespace opscope::code {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

// By machine, so that the same source serves boards; the other machine's numbers are never met.
#if defined(__aarch64__)
constexpr std::uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t kGlobalData = R_X86_64_GLOB_DAT;
#endif

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
    readDynamic();
    if (m_symbols == nullptr || m_strings == nullptr) {
      return unknownLayout("it has no table of symbols");
    }
    readSlots(m_relocations, m_relocationBytes);
    readSlots(m_jumpSlots, m_jumpSlotBytes);
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

  /// glibc adds the base to the addresses in the dynamic section, others leave it away.
  template <class T>
  const T* pointer(ElfW(Addr) value) const {
    const std::uintptr_t address = value < m_base ? m_base + value : value;
    return m_library.m_image.contains(address) ? reinterpret_cast<const T*>(address) : nullptr;
  }

  void readDynamic() {
    for (const ElfW(Dyn)* entry = m_headers.map->l_ld; entry->d_tag != DT_NULL; ++entry) {
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
          m_relocations = pointer<ElfW(Rela)>(entry->d_un.d_ptr);
          break;
        case DT_RELASZ:
          m_relocationBytes = entry->d_un.d_val;
          break;
        case DT_JMPREL:
          m_jumpSlots = pointer<ElfW(Rela)>(entry->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          m_jumpSlotBytes = entry->d_un.d_val;
          break;
        default:
          break;
      }
    }
  }

  std::string_view nameOf(const ElfW(Sym) & symbol) const {
    if (symbol.st_name >= m_stringBytes) {
      return {};
    }
    const std::string_view rest(m_strings + symbol.st_name, m_stringBytes - symbol.st_name);
    return rest.substr(0, rest.find('\0'));
  }

  std::uintptr_t definitionOf(const ElfW(Sym) & symbol) const {
    return symbol.st_shndx == SHN_UNDEF ? 0 : m_base + symbol.st_value;
  }

  void readSlots(const ElfW(Rela) * first, std::size_t bytes) {
    if (first == nullptr) {
      return;
    }
    for (const ElfW(Rela)* at = first; at < first + bytes / sizeof(*at); ++at) {
      const std::uint32_t type = ELF64_R_TYPE(at->r_info);
      const std::uintptr_t address = m_base + at->r_offset;
      if ((type != kJumpSlot && type != kGlobalData) || address % alignof(std::uintptr_t) != 0 ||
          !m_library.m_image.contains(address)) {
        continue;
      }
      const ElfW(Sym)& symbol = m_symbols[ELF64_R_SYM(at->r_info)];
      m_library.m_slots.push_back(
          {nameOf(symbol), reinterpret_cast<std::uintptr_t*>(address), definitionOf(symbol)});
    }
  }

  std::size_t symbolCount() const {
    if (m_hash != nullptr) {
      return m_hash[1];  // as many chains as symbols
    }
    if (m_gnuHash == nullptr) {
      return 0;
    }
    const std::uint32_t buckets = m_gnuHash[0];
    const std::uint32_t firstHashed = m_gnuHash[1];
    const auto* bucket = reinterpret_cast<const ElfW(Word)*>(
        reinterpret_cast<const ElfW(Addr)*>(m_gnuHash + 4) + m_gnuHash[2]);
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < buckets; ++i) {
      last = std::max(last, bucket[i]);
    }
    if (last < firstHashed) {
      return firstHashed;
    }
    const ElfW(Word)* chain = bucket + buckets;
    while ((chain[last - firstHashed] & 1) == 0) {
      ++last;
    }
    return last + 1;
  }

  void readSymbols() {
    for (std::size_t i = 0; i < symbolCount(); ++i) {
      const ElfW(Sym)& symbol = m_symbols[i];
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) {
        continue;
      }
      const ExportedFunction exported{nameOf(symbol), m_base + symbol.st_value, symbol.st_size};
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
  const ElfW(Sym) * m_symbols = nullptr;
  const char* m_strings = nullptr;
  std::size_t m_stringBytes = 0;
  const ElfW(Word) * m_hash = nullptr;
  const ElfW(Word) * m_gnuHash = nullptr;
  const ElfW(Rela) * m_relocations = nullptr;
  std::size_t m_relocationBytes = 0;
  const ElfW(Rela) * m_jumpSlots = nullptr;
  std::size_t m_jumpSlotBytes = 0;
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
