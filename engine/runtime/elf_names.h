// SPDX-License-Identifier: Apache-2.0
// Names of places in a library that its dynamic symbols do not tell: its own functions, variables, and what
// its slots are filled with. From the section headers, which stripped files lack; then what is exported is
// all there is. Any thread; views into the library's bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/runtime/elf_image.h"

namespace opscope::runtime {

struct NamedPlace {
  std::string_view name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< in bytes, 0 when unknown
  bool function = false;
};

/// Addresses [begin, end) of a section that holds code.
struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct ElfNames {
  std::vector<NamedPlace> places;  ///< by address; local and exported ones, each address once
  std::vector<CodeRange> code;     ///< in the order of the file; none when it has no section headers
  /// What the loader puts into a word: the word's address to the symbol's name.
  std::unordered_map<std::uint64_t, std::string_view> slots;
  bool hasLocalNames = false;  ///< false: stripped

  /// The place that begins at `address`, or nullptr.
  const NamedPlace* at(std::uint64_t address) const;
  const NamedPlace* find(std::string_view name) const;
  /// The last place that begins at or before `address`, or nullptr.
  const NamedPlace* before(std::uint64_t address) const;
  /// The first place after `address`, or nullptr.
  const NamedPlace* after(std::uint64_t address) const;
  /// The section that `address` lies in, or nullptr.
  const CodeRange* codeAt(std::uint64_t address) const;
};

/// Tables that are damaged are left out: they are for reading only, and nothing depends on them.
ElfNames namesOf(const ElfImage& image);

}  // namespace opscope::runtime
