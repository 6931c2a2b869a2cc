// SPDX-License-Identifier: Apache-2.0
#include "engine/code/function_bounds.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace opscope::code {

namespace {

// DW_EH_PE_*, as linkers write them: 4-byte signed, relative to the table or to the place itself.
constexpr std::uint8_t kRelativeToTable4 = 0x3B;
constexpr std::uint8_t kRelativeToPlace4 = 0x1B;
constexpr std::uint8_t kUnsigned4 = 0x03;
constexpr std::uint8_t kVersion = 1;

/// Reads within the library's memory only.
class Reader {
 public:
  explicit Reader(const LoadedLibrary& library) : m_library(library) {}

  template <class T>
  std::optional<T> at(std::uintptr_t address) const {
    if (!m_library.isMapped({address, address + sizeof(T)})) {
      return std::nullopt;
    }
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
    return value;
  }

 private:
  const LoadedLibrary& m_library;
};

std::uintptr_t moved(std::uintptr_t base, std::int64_t by) {
  return base + static_cast<std::uintptr_t>(by);
}

/// How the addresses of functions are written in the entry at `entry`, from the augmentation of its common
/// information: 0x1B by every compiler for position-independent code.
bool hasPlainEncoding(const Reader& read, std::uintptr_t entry) {
  const auto back = read.at<std::uint32_t>(entry + 4);
  if (!back) {
    return false;
  }
  const std::uintptr_t common = entry + 4 - *back;
  // length 4, id 4, version 1, augmentation "zR" or with more letters before the R
  char augmentation[8] = {};
  for (std::size_t i = 0; i + 1 < sizeof augmentation; ++i) {
    const auto letter = read.at<char>(common + 9 + i);
    if (!letter || *letter == '\0') {
      break;
    }
    augmentation[i] = *letter;
  }
  if (std::strcmp(augmentation, "zR") != 0) {
    return false;
  }
  // then code alignment, data alignment, return register and the augmentation's length, a byte each here
  const auto encoding = read.at<std::uint8_t>(common + 9 + 3 + 4);
  return encoding && *encoding == kRelativeToPlace4;
}

std::optional<AddressRange> rangeOfEntry(const Reader& read, std::uintptr_t entry) {
  const auto length = read.at<std::uint32_t>(entry);
  const auto begin = read.at<std::int32_t>(entry + 8);
  const auto size = read.at<std::uint32_t>(entry + 12);
  if (!length || *length < 12 || !begin || !size || !hasPlainEncoding(read, entry)) {
    return std::nullopt;
  }
  const std::uintptr_t first = moved(entry + 8, *begin);
  return AddressRange{first, first + *size};
}

void addByFrames(const LoadedLibrary& library, std::vector<AddressRange>& functions) {
  const AddressRange header = library.ehFrameHeader();
  const Reader read(library);
  const auto version = read.at<std::uint8_t>(header.begin);
  const auto countEncoding = read.at<std::uint8_t>(header.begin + 2);
  const auto tableEncoding = read.at<std::uint8_t>(header.begin + 3);
  const auto count = read.at<std::uint32_t>(header.begin + 8);
  if (header.empty() || !version || *version != kVersion || !countEncoding || *countEncoding != kUnsigned4 ||
      !tableEncoding || *tableEncoding != kRelativeToTable4 || !count) {
    return;
  }
  for (std::uintptr_t row = header.begin + 12; row < header.begin + 12 + std::uintptr_t{8} * *count;
       row += 8) {
    const auto entry = read.at<std::int32_t>(row + 4);
    if (!entry) {
      return;
    }
    if (const auto range = rangeOfEntry(read, moved(header.begin, *entry))) {
      functions.push_back(*range);
    }
  }
}

}  // namespace

std::vector<AddressRange> functionBounds(const LoadedLibrary& library) {
  std::vector<AddressRange> functions;
  addByFrames(library, functions);
  for (const ExportedFunction& function : library.functions()) {
    functions.push_back({function.address, function.address + function.size});
  }
  std::erase_if(functions, [&](const AddressRange& range) {
    return range.empty() || !library.isCode(range.begin) || !library.isCode(range.end - 1);
  });
  const auto order = [](const AddressRange& a, const AddressRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  };
  std::ranges::sort(functions, order);
  // Of two with the same begin the longer one stands first and stays.
  const auto same = [](const AddressRange& a, const AddressRange& b) { return a.begin == b.begin; };
  functions.erase(std::unique(functions.begin(), functions.end(), same), functions.end());
  return functions;
}

}  // namespace opscope::code
