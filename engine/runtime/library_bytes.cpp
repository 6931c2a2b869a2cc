// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/library_bytes.h"

#include <cstring>

#include "engine/base/atomic_file.h"

namespace opscope::runtime {

base::Result<std::shared_ptr<const LibraryBytes>> LibraryBytes::read(const std::filesystem::path& path) {
  OPSCOPE_TRY_ASSIGN(base::PageBuffer bytes, base::readFilePages(path));
  return std::make_shared<const LibraryBytes>(Access{}, std::move(bytes));
}

std::shared_ptr<const LibraryBytes> LibraryBytes::of(std::string bytes) {
  return std::make_shared<const LibraryBytes>(Access{}, std::move(bytes));
}

std::string_view LibraryBytes::view() const {
  return std::visit([](const auto& bytes) { return std::string_view(bytes.data(), bytes.size()); }, m_bytes);
}

char* LibraryBytes::data() const {
  return std::visit([](auto& bytes) { return bytes.data(); }, m_bytes);
}

std::vector<char*> LibraryBytes::movePieces(std::span<const Piece> pieces, std::uint64_t begin,
                                            std::uint64_t end, std::size_t alignment,
                                            const std::function<void(std::size_t)>& beforeLoss) const {
  std::vector<char*> places(pieces.size(), nullptr);
  // Offsets from an aligned address at or before the first byte.
  const std::uint64_t shift = reinterpret_cast<std::uintptr_t>(data()) % alignment;
  std::uint64_t free = begin + shift;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::uint64_t from = pieces[i].offset + shift;
    const std::uint64_t below = from / alignment * alignment;
    const std::uint64_t to = below >= free ? below : (free + alignment - 1) / alignment * alignment;
    const std::uint64_t limit = (i + 1 < pieces.size() ? pieces[i + 1].offset : end) + shift;
    if (to > limit || pieces[i].size > limit - to) {
      beforeLoss(i);
      continue;
    }
    places[i] = data() + (to - shift);
    std::memmove(places[i], data() + pieces[i].offset, pieces[i].size);
    free = to + pieces[i].size;
  }
  return places;
}

}  // namespace opscope::runtime
