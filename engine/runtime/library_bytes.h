// SPDX-License-Identifier: Apache-2.0
// The bytes of a library as they were when it was read; what happens to the file later does not matter.
// Shared by all that look into them. Any thread; see movePieces for the one change.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/page_buffer.h"
#include "engine/base/result.h"

namespace opscope::runtime {

class LibraryBytes {
 public:
  /// Errors: as base::readFile.
  static base::Result<std::shared_ptr<const LibraryBytes>> read(const std::filesystem::path& path);
  static std::shared_ptr<const LibraryBytes> of(std::string bytes);

  std::string_view view() const;

  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  /// True for the first caller, who may call movePieces.
  bool claim() const { return !m_claimed.exchange(true); }

  /// Moves each piece to the nearest place whose address is a multiple of `alignment`, so that constants can
  /// be used where they are instead of being copied: in the file they hardly ever are aligned. `pieces` are
  /// in order, do not overlap and lie in [begin, end); bytes there that belong to no piece are spent. Gives
  /// the address of each piece, nullptr where there was no room: then `beforeLoss` was called with its number
  /// while it was still in its old place. Once, by who has the claim, while nobody else looks at these bytes.
  std::vector<char*> movePieces(std::span<const Piece> pieces, std::uint64_t begin, std::uint64_t end,
                                std::size_t alignment,
                                const std::function<void(std::size_t)>& beforeLoss) const;

 private:
  struct Access {};

 public:
  LibraryBytes(Access, std::variant<std::string, base::PageBuffer> bytes) : m_bytes(std::move(bytes)) {}

 private:
  char* data() const;

  mutable std::variant<std::string, base::PageBuffer> m_bytes;
  mutable std::atomic<bool> m_claimed{false};
};

}  // namespace opscope::runtime
