// SPDX-License-Identifier: Apache-2.0
#include "engine/base/printable.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace opscope::base {
namespace {

using namespace std::string_view_literals;

TEST(Printable, LeavesWhatATerminalOnlyShows) {
  for (const auto text :
       {"", "model.so", "größe µs 型 \xF0\x9F\x98\x80", "C:\\models\\a.so", "a\xFF\xC3 b"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ShowsControlsAsInC) {
  EXPECT_EQ(printable("a\nb\tc\r\x1b[31m\x7F"), "a\\nb\\tc\\r\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\0"sv), "\\x00");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31m"),
            "a\\u009b31m")
      << "C1's control sequence introducer";
  EXPECT_EQ(printable("gpj.\xE2\x80\xAE"
                      "cod"),
            "gpj.\\u202ecod");
  EXPECT_EQ(printable("a\xE2\x80\xA8"
                      "b"),
            "a\\u2028b");
  EXPECT_EQ(printable("\xE2\x80"), "\xE2\x80") << "cut short";
}

TEST(Printable, ErrorsKeepTheirLines) {
  const Error error{ErrorCode::Io, "Cannot read a\nb", "one\ntwo\x1b", "do\nthis"};
  EXPECT_EQ(formatError(error), "opscope: error: Cannot read a\\nb\n  one\n  two\\x1b\n  hint: do\n  this\n");
}

}  // namespace
}  // namespace opscope::base
