// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/words.h"
#include "engine/base/text_width.h"

namespace opscope::cli {

namespace {

constexpr std::size_t kMostCells = 30;
constexpr std::size_t kFewestCells = 5;

std::string remainingText(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (!(seconds >= 0)) {
    return {};
  }
  return seconds < 1           ? "less than 1 s left"
         : seconds < 100       ? fmt::format("about {:.0f} s left", std::ceil(seconds))
         : seconds < 2 * kHour ? fmt::format("about {:.0f} min left", std::ceil(seconds / kMinute))
                               : fmt::format("about {:.0f} h left", std::ceil(seconds / kHour));
}

std::string bar(std::uint64_t done, std::uint64_t total, std::size_t cells) {
  const double part = total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(cells));
  return fmt::format("[{}{}] ", std::string(filled, '#'), std::string(cells - filled, '.'));
}

}  // namespace

std::string progressLine(const session::Progress& progress, std::size_t width) {
  const bool uploads = progress.stage == session::State::Preparing;
  const std::string stage = uploads                                       ? "uploading  "
                            : progress.stage == session::State::WarmingUp ? "warm-up    "
                                                                          : "measuring  ";
  const std::string count = uploads
                                ? fmt::format("{} of {}", bytesText(progress.done), bytesText(progress.total))
                            : progress.total == 0 ? fmt::format("{}", progress.done)
                                                  : fmt::format("{} of {}", progress.done, progress.total);
  const std::string remaining = remainingText(progress.remainingSeconds);
  std::string words = count + (remaining.empty() ? "" : "  " + remaining);
  constexpr std::size_t kFrame = 3;  // brackets and a blank
  // The last column stays free: a terminal may wrap there.
  const std::size_t room = width > 0 ? width - 1 : 0;
  const std::size_t used = stage.size() + words.size() + kFrame;
  if (progress.total > 0 && used + kFewestCells <= room) {
    words = bar(progress.done, progress.total, std::min(kMostCells, room - used)) + words;
  }
  return base::elideEnd(stage + words, room);
}

}  // namespace opscope::cli
