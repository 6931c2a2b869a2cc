// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text_encoding.h"

#include <string>

namespace opscope::base {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

struct Encoding {
  std::string_view mark;
  std::string_view name;
};
// The mark of UTF-32 begins with that of UTF-16, so it stands first.
constexpr Encoding kOthers[] = {{"\xFF\xFE\0\0"sv, "UTF-32"},
                                {"\0\0\xFE\xFF"sv, "UTF-32"},
                                {"\xFF\xFE"sv, "UTF-16"},
                                {"\xFE\xFF"sv, "UTF-16"}};

}  // namespace

Result<std::string_view> utf8Text(std::string_view content, std::string_view file) {
  for (const Encoding& other : kOthers) {
    if (content.starts_with(other.mark)) {
      return Error{ErrorCode::Format, std::string(file) + " is " + std::string(other.name) + " text",
                   "Its byte order mark says so; UTF-8 is needed.",
                   "Save it as UTF-8 (in Windows PowerShell: Out-File -Encoding utf8)."};
    }
  }
  if (content.starts_with(kUtf8Mark)) {
    content.remove_prefix(kUtf8Mark.size());
  }
  return content;
}

}  // namespace opscope::base
