// SPDX-License-Identifier: Apache-2.0
// A library as the board's loader has it in memory: the words through which it calls functions by name. Read
// without the C++ library and without dlsym, which older systems keep in another library. One thread.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "engine/base/dynamic_tables.h"
#include "engine/probe/recording.h"

namespace opscope::probe {

struct Slot {
  std::uintptr_t* address;
  const char* name;       ///< of the function that it leads to
  std::uintptr_t target;  ///< where this library defines it
};

class LoadedLibrary {
 public:
  /// Finds the library whose file has this name, the one that was loaded last; false when there is none or
  /// its tables are not of a kind that is known.
  bool find(Text fileName);
  /// False when it was unloaded, or another one came to lie there.
  bool isStillThere() const;

  bool contains(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= m_begin && at < m_end;
  }
  /// Slots are counted from 0. False from the end on; `slot` is without a name where it is none of a function
  /// that the library defines.
  bool slotAt(std::size_t index, Slot& slot) const;
  /// The library's own variable of this name, null when it has none.
  std::uintptr_t* variable(const char* name) const;
  /// How many functions it exports whose names `isWanted`.
  std::uint32_t countFunctions(bool (*isWanted)(const char* name)) const;
  /// Stores a word of the library with one write; pages that are read-only are so again afterwards. False
  /// when the system does not let it be written.
  bool write(std::uintptr_t* word, std::uintptr_t value) const;

 private:
  struct Search;
  static int look(dl_phdr_info* info, std::size_t size, void* search);
  void readHeaders(const dl_phdr_info& info);

  std::uintptr_t m_base = 0;
  std::uintptr_t m_begin = 0;
  std::uintptr_t m_end = 0;
  std::uintptr_t m_sealedBegin = 0;  // read-only since the loader filled it
  std::uintptr_t m_sealedEnd = 0;
  const ElfW(Dyn) * m_dynamic = nullptr;
  base::DynamicTables m_tables;
};

}  // namespace opscope::probe
