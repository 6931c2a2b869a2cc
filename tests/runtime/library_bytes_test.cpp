// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/library_bytes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "tests/runtime/test_files.h"

namespace opscope::runtime {

TEST(LibraryBytes, AreThoseOfTheFileWhateverHappensToIt) {
  const std::filesystem::path path = testing::TempDir() + "opscope-library-bytes";
  std::ofstream(path) << "first";
  const auto bytes = LibraryBytes::read(path);
  ASSERT_TRUE(bytes);
  std::ofstream(path) << "other";
  EXPECT_EQ((*bytes)->view(), "first");
  std::filesystem::remove(path);
  EXPECT_EQ((*bytes)->view(), "first");
  EXPECT_EQ(LibraryBytes::read(path).error().code, base::ErrorCode::NotFound);
}

TEST(LibraryBytes, ReadsEverySizeAroundAPage) {
  const std::filesystem::path path = testing::TempDir() + "opscope-library-bytes";
  for (const std::size_t size : {0U, 1U, 4095U, 4096U, 4097U, 70'000U, 3'000'000U}) {
    std::string content(size, '\0');
    std::iota(content.begin(), content.end(), static_cast<char>(size));
    std::ofstream(path, std::ios::binary) << content;
    const auto bytes = LibraryBytes::read(path);
    ASSERT_TRUE(bytes);
    EXPECT_TRUE((*bytes)->view() == content) << size;
  }
  std::filesystem::remove(path);
}

TEST(LibraryBytes, PiecesMoveToAlignedPlaces) {
  for (std::size_t header : {0U, 8U, 44U, 60U, 200U}) {
    std::string content(50, 'h');
    std::vector<LibraryBytes::Piece> pieces;
    for (const std::size_t size : {100U, 1U, 64U, 0U, 130U, 7U, 5000U}) {
      content.append(header, 'h');
      pieces.push_back({content.size(), size});
      content.append(size, static_cast<char>('a' + pieces.size()));
    }
    content.append(30, 't');
    const auto bytes = LibraryBytes::of(content);
    std::vector<bool> lost(pieces.size());
    const auto places = bytes->movePieces(pieces, 0, content.size(), 64, [&](std::size_t i) {
      lost[i] = true;
      EXPECT_EQ(bytes->view().substr(pieces[i].offset, pieces[i].size),
                std::string(pieces[i].size, static_cast<char>('a' + i + 1)));
    });
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      ASSERT_EQ(places[i] == nullptr, lost[i]);
      if (places[i] != nullptr) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(places[i]) % 64, 0U);
        EXPECT_EQ(std::string(places[i], pieces[i].size),
                  std::string(pieces[i].size, static_cast<char>('a' + i + 1)))
            << "header " << header << ", piece " << i;
      }
    }
    EXPECT_TRUE(header != 200 || std::find(lost.begin(), lost.end(), true) == lost.end());
  }
}

}  // namespace opscope::runtime
