// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text_encoding.h"

#include <gtest/gtest.h>

namespace opscope::base {
namespace {

using namespace std::string_view_literals;

TEST(TextEncoding, TakesUtf8AndTellsOthers) {
  EXPECT_EQ(*utf8Text("{}", "a.json"), "{}");
  EXPECT_EQ(*utf8Text("\xEF\xBB\xBF{}", "a.json"), "{}");
  EXPECT_EQ(*utf8Text("", "a.json"), "");
  for (const auto content : {"\xFF\xFE{\0}\0"sv, "\xFE\xFF\0{\0}"sv}) {
    const auto text = utf8Text(content, "a.json");
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::Format);
    EXPECT_EQ(text.error().message, "a.json is UTF-16 text");
    EXPECT_NE(text.error().hint.find("Save it as UTF-8"), std::string::npos);
  }
  EXPECT_EQ(utf8Text("\xFF\xFE\0\0{\0\0\0"sv, "a.json").error().message, "a.json is UTF-32 text");
}

}  // namespace
}  // namespace opscope::base
