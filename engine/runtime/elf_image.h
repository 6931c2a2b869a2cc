// SPDX-License-Identifier: Apache-2.0
// A shared library read as data: nothing of it is run or mapped. Immutable after parsing; any thread. Shares
// the file's bytes; every view that it gives points into them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/library_bytes.h"

namespace opscope::runtime {

struct ElfSymbol {
  std::string_view name;
  std::uint64_t value = 0;  ///< virtual address, 0 when undefined
  std::uint64_t size = 0;   ///< in bytes, 0 when unknown
  bool weak = false;
  bool function = false;
};

/// "x86-64" or "aarch64", in ElfImage::architecture's spelling: what this program was built for.
std::string_view hostArchitecture();

/// Unsupported when a library for `architecture` is not for this program's.
base::Result<> checkRunsHere(const std::string& file, std::string_view architecture);

class ElfImage {
 public:
  /// Checks header, segments, dynamic section, symbols and names; works on stripped files. Accepts shared
  /// libraries of any 64-bit little-endian architecture, see checkRunsHere. Errors name `file`, the place,
  /// what was found and what was expected: Format (not ELF, damaged; Mach-O, Windows DLLs, static archives,
  /// tar and others are recognised by name), Unsupported (32-bit, big-endian, object files and programs).
  static base::Result<ElfImage> parse(std::shared_ptr<const LibraryBytes> bytes, std::string file);
  static base::Result<ElfImage> parse(const std::shared_ptr<const std::string>& bytes, std::string file);

  /// As runtime::checkRunsHere.
  base::Result<> checkRunsHere() const;

  const std::string& architecture() const { return m_architecture; }
  const std::string& file() const { return m_file; }
  std::string_view bytes() const { return m_bytes->view(); }
  /// Dynamic symbols, in the order of the table.
  const std::vector<ElfSymbol>& definedSymbols() const { return m_defined; }
  const std::vector<ElfSymbol>& undefinedSymbols() const { return m_undefined; }
  const std::vector<std::string_view>& neededLibraries() const { return m_needed; }

  /// The defined symbol called `name`, or nullptr.
  const ElfSymbol* findSymbol(std::string_view name) const;

  /// The file's bytes behind a defined symbol: its size, or up to the end of its segment when its size is 0.
  /// Empty when there is no such symbol or its bytes are not all in the file.
  std::optional<std::string_view> dataOfSymbol(std::string_view name) const;

  /// The file's bytes behind [address, address + size), or what of them is in the file, which may be nothing.
  std::string_view bytesAt(std::uint64_t address, std::uint64_t size) const;

 private:
  struct Segment {
    std::uint64_t address = 0;
    std::uint64_t offset = 0;
    std::uint64_t fileSize = 0;
  };
  friend class ElfParser;

  std::shared_ptr<const LibraryBytes> m_bytes;
  std::string m_file;
  std::string m_architecture;
  std::vector<Segment> m_segments;
  std::vector<ElfSymbol> m_defined;
  std::vector<ElfSymbol> m_undefined;
  std::vector<std::string_view> m_needed;
  std::unordered_map<std::string_view, std::size_t> m_byName;
};

}  // namespace opscope::runtime
