// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/elf_parser.h"

#include <algorithm>
#include <utility>

#include "engine/runtime/file_kind.h"

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr std::size_t kMaxNameBytes = 65536;

std::string machineName(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_RISCV:
      return "riscv64";
    case EM_PPC64:
      return "ppc64le";
    case EM_LOONGARCH:
      return "loongarch64";
    case EM_S390:
      return "s390x";
    default:
      return "ELF machine number " + std::to_string(machine);
  }
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace

Error ElfParser::damaged(const std::string& place, const std::string& found,
                         const std::string& expected) const {
  return {ErrorCode::Format, m_image.m_file + " is damaged: " + place,
          "found " + found + ", expected " + expected,
          "copy or build the library again; it may have been cut off"};
}

Error ElfParser::unsupported(const std::string& found, const std::string& hint) const {
  return {ErrorCode::Unsupported, m_image.m_file + " is " + found, "expected a 64-bit ELF shared library",
          hint};
}

Result<> ElfParser::parse() {
  OPSCOPE_TRY(checkIdentity());
  OPSCOPE_TRY(readHeader());
  OPSCOPE_TRY(readSegments());
  OPSCOPE_TRY(readDynamic());
  OPSCOPE_TRY(readStrings());
  OPSCOPE_TRY(readNeeded());
  return readSymbols();
}

Result<> ElfParser::checkIdentity() const {
  if (m_bytes.substr(0, SELFMAG) != std::string_view(ELFMAG, SELFMAG)) {
    const FileKind kind = recogniseFile(m_bytes);
    return Error{ErrorCode::Format,
                 m_image.m_file + " is not an ELF shared library: it is " + std::string(kind.description),
                 "expected a library as written by export_library of TVM, for example model.so",
                 std::string(kind.hint)};
  }
  if (m_bytes.size() < sizeof(Elf64_Ehdr)) {
    return damaged("ELF header", number(m_bytes.size()) + " bytes in all", "at least 64");
  }
  const auto elfClass = static_cast<unsigned char>(m_bytes[EI_CLASS]);
  const auto order = static_cast<unsigned char>(m_bytes[EI_DATA]);
  if (elfClass == ELFCLASS32) {
    return unsupported("a 32-bit library", "compile the model for a 64-bit target");
  }
  if (order == ELFDATA2MSB) {
    return unsupported("a big-endian library", "compile the model for a little-endian target");
  }
  if (elfClass != ELFCLASS64) {
    return damaged("ELF header, class at byte 4", number(elfClass), "2 (64-bit)");
  }
  if (order != ELFDATA2LSB) {
    return damaged("ELF header, byte order at byte 5", number(order), "1 (little-endian)");
  }
  return {};
}

Result<> ElfParser::readHeader() {
  m_header = read<Elf64_Ehdr>(0);
  m_image.m_architecture = machineName(m_header.e_machine);
  switch (m_header.e_type) {
    case ET_DYN:
      break;
    case ET_REL:
      return unsupported("an object file, not yet linked", "link it: use export_library of TVM");
    case ET_EXEC:
      return unsupported("a program", "open the library that export_library of TVM wrote");
    case ET_CORE:
      return unsupported("a core dump", "open the library that export_library of TVM wrote");
    default:
      return damaged("ELF header, type at byte 16", number(m_header.e_type), "3 (shared library)");
  }
  if (m_header.e_phnum == 0) {
    return damaged("ELF header, number of segments at byte 56", "0", "at least one");
  }
  if (m_header.e_phentsize != sizeof(Elf64_Phdr)) {
    return damaged("ELF header, size of a segment entry at byte 54", number(m_header.e_phentsize), "56");
  }
  const std::uint64_t bytes = std::uint64_t{m_header.e_phnum} * sizeof(Elf64_Phdr);
  if (!inFile(m_header.e_phoff, bytes)) {
    return damaged("program headers",
                   number(m_header.e_phnum) + " entries at byte " + number(m_header.e_phoff),
                   "a place within the file's " + number(m_bytes.size()) + " bytes");
  }
  return {};
}

Result<> ElfParser::readSegments() {
  std::uint64_t previousEnd = 0;
  for (unsigned i = 0; i < m_header.e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(m_header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) {
      continue;
    }
    const std::string place = "segment " + number(i);
    if (!inFile(segment.p_offset, segment.p_filesz)) {
      return damaged(place, number(segment.p_filesz) + " bytes at byte " + number(segment.p_offset),
                     "a place within the file's " + number(m_bytes.size()) + " bytes");
    }
    if (segment.p_filesz > segment.p_memsz || segment.p_vaddr + segment.p_memsz < segment.p_vaddr) {
      return damaged(place,
                     number(segment.p_filesz) + " bytes for " + number(segment.p_memsz) + " at address " +
                         number(segment.p_vaddr),
                     "a size in memory that holds the bytes and does not wrap");
    }
    if (segment.p_type == PT_DYNAMIC) {
      m_hasDynamic = true;
      m_dynamicOffset = segment.p_offset;
      m_dynamicSize = segment.p_filesz;
      continue;
    }
    if (segment.p_vaddr < previousEnd) {
      return damaged(place, "address " + number(segment.p_vaddr),
                     "at least " + number(previousEnd) + ", the end of the segment before");
    }
    previousEnd = segment.p_vaddr + segment.p_memsz;
    m_image.m_segments.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
  }
  if (m_image.m_segments.empty()) {
    return damaged("program headers", "no segment to load", "at least one");
  }
  return {};
}

Result<> ElfParser::readDynamic() {
  if (!m_hasDynamic) {
    return unsupported("a library without a dynamic section", "link it as a shared library");
  }
  for (std::uint64_t at = 0; m_dynamicSize - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
    const auto entry = read<Elf64_Dyn>(m_dynamicOffset + at);
    switch (entry.d_tag) {
      case DT_NULL:
        return {};
      case DT_SYMTAB:
        m_table.symbols = entry.d_un.d_ptr;
        break;
      case DT_STRTAB:
        m_table.strings = entry.d_un.d_ptr;
        break;
      case DT_STRSZ:
        m_table.stringBytes = entry.d_un.d_val;
        break;
      case DT_HASH:
        m_table.hash = entry.d_un.d_ptr;
        break;
      case DT_GNU_HASH:
        m_table.gnuHash = entry.d_un.d_ptr;
        break;
      case DT_NEEDED:
        m_table.needed.push_back(entry.d_un.d_val);
        break;
      case DT_SYMENT:
        if (entry.d_un.d_val != sizeof(Elf64_Sym)) {
          return damaged("dynamic section, size of a symbol", number(entry.d_un.d_val), "24");
        }
        break;
      default:
        break;
    }
  }
  return damaged("dynamic section", number(m_dynamicSize) + " bytes without an end mark",
                 "a last entry of zeros");
}

std::optional<std::uint64_t> ElfParser::fileOffset(std::uint64_t address, std::uint64_t size) const {
  for (const ElfImage::Segment& segment : m_image.m_segments) {
    if (address >= segment.address && address - segment.address <= segment.fileSize) {
      const std::uint64_t skip = address - segment.address;
      if (size <= segment.fileSize - skip) {
        return segment.offset + skip;
      }
    }
  }
  return std::nullopt;
}

Result<> ElfParser::readStrings() {
  const auto offset = fileOffset(m_table.strings, m_table.stringBytes);
  if (!offset || m_table.stringBytes == 0) {
    return damaged("dynamic section, table of names",
                   number(m_table.stringBytes) + " bytes at address " + number(m_table.strings),
                   "a place within a segment's bytes");
  }
  m_strings = m_bytes.substr(*offset, m_table.stringBytes);
  return {};
}

Result<std::string_view> ElfParser::nameAt(std::uint64_t offset, const std::string& place) const {
  if (offset >= m_strings.size()) {
    return damaged(place, "a name at byte " + number(offset) + " of the table of names",
                   "below " + number(m_strings.size()));
  }
  const std::string_view rest = m_strings.substr(offset, kMaxNameBytes);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) {
    return damaged(place, "a name without an end", "one of at most " + number(kMaxNameBytes) + " bytes");
  }
  return rest.substr(0, end);
}

Result<> ElfParser::readNeeded() {
  for (const std::uint64_t offset : m_table.needed) {
    OPSCOPE_TRY_ASSIGN(const std::string_view name, nameAt(offset, "dynamic section, needed library"));
    m_image.m_needed.push_back(name);
  }
  return {};
}

std::optional<std::uint64_t> ElfParser::countBySections() const {
  const std::uint64_t bytes = std::uint64_t{m_header.e_shnum} * sizeof(Elf64_Shdr);
  if (m_header.e_shentsize != sizeof(Elf64_Shdr) || !inFile(m_header.e_shoff, bytes)) {
    return std::nullopt;
  }
  for (unsigned i = 0; i < m_header.e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(m_header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type == SHT_DYNSYM && section.sh_addr == m_table.symbols) {
      return section.sh_size / sizeof(Elf64_Sym);
    }
  }
  return std::nullopt;
}

Result<std::uint64_t> ElfParser::countByGnuHash(std::uint64_t offset) const {
  // Header: buckets, index of the first hashed symbol, words of the filter, shift. The last symbol of the
  // chain that begins at the highest bucket is the last of the table.
  const auto bucketCount = read<std::uint32_t>(offset);
  const auto firstHashed = read<std::uint32_t>(offset + 4);
  const auto filterWords = read<std::uint32_t>(offset + 8);
  const std::uint64_t buckets = 16 + std::uint64_t{filterWords} * 8;
  const std::uint64_t chains = buckets + std::uint64_t{bucketCount} * 4;
  if (!fileOffset(m_table.gnuHash, chains)) {
    return damaged("hash table of symbols", number(bucketCount) + " buckets",
                   "a table within a segment's bytes");
  }
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < bucketCount; ++i) {
    last = std::max<std::uint64_t>(last, read<std::uint32_t>(offset + buckets + i * 4));
  }
  if (last < firstHashed) {
    return std::uint64_t{firstHashed};
  }
  for (;; ++last) {
    const std::uint64_t at = chains + (last - firstHashed) * 4;
    if (!fileOffset(m_table.gnuHash, at + 4)) {
      return damaged("hash table of symbols", "a chain without an end", "a table within a segment's bytes");
    }
    if ((read<std::uint32_t>(offset + at) & 1U) != 0) {
      return last + 1;
    }
  }
}

Result<std::uint64_t> ElfParser::countSymbols() const {
  if (const auto offset = fileOffset(m_table.hash, 8); offset && m_table.hash != 0) {
    return std::uint64_t{read<std::uint32_t>(*offset + 4)};
  }
  std::uint64_t hashed = 0;
  if (const auto offset = fileOffset(m_table.gnuHash, 16); offset && m_table.gnuHash != 0) {
    OPSCOPE_TRY_ASSIGN(hashed, countByGnuHash(*offset));
  }
  // The GNU table leaves the number of undefined symbols open when nothing is hashed.
  const std::uint64_t listed = countBySections().value_or(0);
  if (hashed == 0 && listed == 0) {
    return damaged("dynamic section", "no table that tells the number of symbols", "DT_HASH or DT_GNU_HASH");
  }
  return std::max(hashed, listed);
}

Result<> ElfParser::readSymbols() {
  OPSCOPE_TRY_ASSIGN(const std::uint64_t count, countSymbols());
  const auto offset = fileOffset(m_table.symbols, count * sizeof(Elf64_Sym));
  if (!offset || count > m_bytes.size() / sizeof(Elf64_Sym)) {
    return damaged("dynamic section, symbols",
                   number(count) + " symbols at address " + number(m_table.symbols),
                   "a place within a segment's bytes");
  }
  for (std::uint64_t i = 1; i < count; ++i) {
    const auto symbol = read<Elf64_Sym>(*offset + i * sizeof(Elf64_Sym));
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_SECTION || type == STT_FILE || symbol.st_name == 0) {
      continue;
    }
    OPSCOPE_TRY_ASSIGN(const std::string_view name, nameAt(symbol.st_name, "symbol " + number(i)));
    ElfSymbol entry{name, symbol.st_value, symbol.st_size, ELF64_ST_BIND(symbol.st_info) == STB_WEAK,
                    type == STT_FUNC || type == STT_GNU_IFUNC};
    if (symbol.st_shndx == SHN_UNDEF) {
      entry.value = 0;
      m_image.m_undefined.push_back(entry);
    } else if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) {
      m_image.m_byName.emplace(name, m_image.m_defined.size());
      m_image.m_defined.push_back(entry);
    }
  }
  return {};
}

}  // namespace opscope::runtime
