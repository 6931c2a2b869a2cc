// SPDX-License-Identifier: Apache-2.0
#include "app/cli/distinct_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "engine/base/text_width.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kCut = "…";
constexpr std::size_t kLeastWidth = 12;

bool isAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Where a name of these, which are not all alike, first differs from another.
std::size_t commonStart(const std::set<std::string>& names) {
  const std::string& first = *names.begin();
  const std::string& last = *names.rbegin();  // sorted: what these two share is in all of them
  const auto [a, b] = std::mismatch(first.begin(), first.end(), last.begin(), last.end());
  return static_cast<std::size_t>(a - first.begin());
}

/// The first fifth, then the part around `at`, then the last fifth.
std::string aroundPlace(const std::string& name, std::size_t at, std::size_t width) {
  const std::size_t side = width / 5;
  const std::size_t middle = width - 2 * side - 2;
  const std::size_t least = side + 1;
  const std::size_t most = name.size() - side - 1 - middle;
  const std::size_t begin = std::clamp(at - std::min(at, middle / 4), std::min(least, most), most);
  return name.substr(0, side) + std::string(kCut) + name.substr(begin, middle) + std::string(kCut) +
         name.substr(name.size() - side);
}

}  // namespace

std::vector<std::string> distinctNames(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::string> shown;
  std::map<std::string, std::set<std::string>> wholeOf;
  for (const std::string& name : names) {
    shown.push_back(base::elideMiddle(name, width));
    wholeOf[shown.back()].insert(name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::set<std::string>& alike = wholeOf[shown[i]];
    if (alike.size() > 1 && width >= kLeastWidth && isAscii(names[i])) {
      shown[i] = aroundPlace(names[i], commonStart(alike), width);
    }
  }
  return shown;
}

}  // namespace opscope::cli
