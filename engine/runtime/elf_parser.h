// SPDX-License-Identifier: Apache-2.0
// Fills an ElfImage from its bytes. Inside of runtime; used by ElfImage::parse alone.
#pragma once

#include <elf.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/runtime/elf_image.h"

namespace opscope::runtime {

class ElfParser {
 public:
  explicit ElfParser(ElfImage& image) : m_image(image), m_bytes(image.bytes()) {}
  base::Result<> parse();

 private:
  /// Addresses and sizes that the dynamic section names; 0 when absent.
  struct DynamicTable {
    std::uint64_t symbols = 0;
    std::uint64_t strings = 0;
    std::uint64_t stringBytes = 0;
    std::uint64_t hash = 0;
    std::uint64_t gnuHash = 0;
    std::vector<std::uint64_t> needed;
  };

  base::Result<> checkIdentity() const;
  base::Result<> readHeader();
  base::Result<> readSegments();
  base::Result<> readDynamic();
  base::Result<> readStrings();
  base::Result<> readNeeded();
  base::Result<std::uint64_t> countSymbols() const;
  base::Result<std::uint64_t> countByGnuHash(std::uint64_t offset) const;
  std::optional<std::uint64_t> countBySections() const;
  base::Result<> readSymbols();
  base::Result<std::string_view> nameAt(std::uint64_t offset, const std::string& place) const;

  /// Offset in the file of an address, when the file has `size` bytes from there within one segment.
  std::optional<std::uint64_t> fileOffset(std::uint64_t address, std::uint64_t size) const;
  bool inFile(std::uint64_t offset, std::uint64_t size) const {
    return offset <= m_bytes.size() && size <= m_bytes.size() - offset;
  }
  /// Copies a record from a place that inFile has checked.
  template <class T>
  T read(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, m_bytes.data() + offset, sizeof(T));
    return value;
  }
  base::Error damaged(const std::string& place, const std::string& found, const std::string& expected) const;
  base::Error unsupported(const std::string& found, const std::string& hint) const;

  ElfImage& m_image;
  std::string_view m_bytes;
  Elf64_Ehdr m_header{};
  std::uint64_t m_dynamicOffset = 0;
  std::uint64_t m_dynamicSize = 0;
  bool m_hasDynamic = false;
  DynamicTable m_table;
  std::string_view m_strings;
};

}  // namespace opscope::runtime
