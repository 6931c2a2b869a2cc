// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text_width.h"

#include <gtest/gtest.h>

#include <random>

namespace opscope::base {
namespace {

TEST(TextWidth, CountsColumnsOfATerminal) {
  EXPECT_EQ(displayWidth(""), 0u);
  EXPECT_EQ(displayWidth("conv2d"), 6u);
  EXPECT_EQ(displayWidth("größe"), 5u);
  EXPECT_EQ(displayWidth("日本"), 4u);
  EXPECT_EQ(displayWidth("e\xCC\x81"), 1u) << "a combining accent";
  EXPECT_EQ(displayWidth("\xff\xc3"), 2u) << "bytes that are not UTF-8";
}

TEST(TextWidth, TheEndIsCut) {
  EXPECT_EQ(elideEnd("float32[1, 3]", 13), "float32[1, 3]");
  EXPECT_EQ(elideEnd("float32[1, 3]", 8), "float32…");
  EXPECT_EQ(elideEnd("float32", 1), "…");
  EXPECT_EQ(elideEnd("float32", 0), "");
}

TEST(TextWidth, TheMiddleIsCutAndTheTailTellsNamesApart) {
  EXPECT_EQ(elideMiddle("fused_concatenate3", 18), "fused_concatenate3");
  EXPECT_EQ(elideMiddle("fused_transpose_concatenate3", 11), "fused_…ate3");
  EXPECT_EQ(elideMiddle("fused_transpose_concatenate1", 11), "fused_…ate1");
  EXPECT_EQ(elideMiddle("abc", 2), "a…");
}

TEST(TextWidth, CharactersStayWhole) {
  EXPECT_EQ(elideEnd("größe", 4), "grö…");
  EXPECT_EQ(elideMiddle("日本日本", 6), "日…本") << "a wide character that would stick out is left out";
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned length = random() % 40; length > 0; --length) {
      text += static_cast<char>(random());
    }
    const std::size_t width = random() % 30;
    EXPECT_LE(displayWidth(elideEnd(text, width)), std::max(width, std::size_t{0}));
    EXPECT_LE(displayWidth(elideMiddle(text, width)), width);
  }
}

}  // namespace
}  // namespace opscope::base
