// SPDX-License-Identifier: Apache-2.0
#include "engine/session/board_holder.h"

#include <fmt/format.h>

#include <chrono>

#include "engine/base/printable.h"

namespace opscope::session {

namespace {

std::string oneHolder(const BoardHolder& told) {
  const std::string holder = base::printable(told.holder);
  const std::string peer = base::printable(told.peer);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t minutes =
      (std::chrono::duration_cast<std::chrono::seconds>(now).count() - told.sinceUnixS) / 60;
  std::string words = holder.empty() ? peer : fmt::format("{} ({})", holder, peer);
  if (minutes >= 1 && minutes < 60 * 24 * 365) {
    words += fmt::format(" since {} min", minutes);
  }
  return words;
}

}  // namespace

std::optional<std::string> holderWords(const BoardStatus& status) {
  if (status.sessions < status.mostSessions || status.holders.empty()) {
    return std::nullopt;
  }
  std::string words;
  for (const BoardHolder& holder : status.holders) {
    words += (words.empty() ? "" : ", ") + oneHolder(holder);
  }
  return status.waiting > 0
             ? fmt::format("{}; {} wait{}", words, status.waiting, status.waiting == 1 ? "s" : "")
             : words;
}

base::Error withHolder(const rpc::ConnectSettings& settings, base::Error error) {
  if (error.code != base::ErrorCode::Timeout) {
    return error;
  }
  constexpr double kSeconds = 1;
  const auto status =
      readBoardStatus(settings.host, settings.port, {kSeconds, settings.secret, settings.stop});
  const auto words = status ? holderWords(*status) : std::nullopt;
  if (words) {
    error.detail = fmt::format("It is held by {}.", *words);
    error.hint = "wait until they are done, or ask them";
  }
  return error;
}

}  // namespace opscope::session
