// SPDX-License-Identifier: Apache-2.0
#include "app/cli/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/cli/standard_streams.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::uint64_t kBarCells = 24;

bool wantsColour(int fd) {
  const char* const noColour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(fd) == 1 && (noColour == nullptr || *noColour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string remainingText(double seconds) {
  if (seconds < 0) {
    return {};
  }
  if (seconds < 1) {
    return "less than 1 s left";
  }
  return seconds < 100 ? fmt::format("about {:.0f} s left", std::ceil(seconds))
                       : fmt::format("about {:.0f} min left", std::ceil(seconds / 60));
}

}  // namespace

Console::Console(bool quiet)
    : m_output(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)),
      m_quiet(quiet),
      m_colourOut(wantsColour(STDOUT_FILENO)),
      m_colourError(wantsColour(STDERR_FILENO)),
      m_showsBar(!quiet && isatty(STDERR_FILENO) == 1) {
  if (m_output >= 0) {
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
}

Console::~Console() {
  if (m_output >= 0) {
    std::fflush(stdout);
    dup2(m_output, STDOUT_FILENO);
    close(m_output);
  }
}

base::Result<> Console::write(std::string_view text) {
  hideProgress();
  while (!text.empty()) {
    const ssize_t written = ::write(m_output, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      const char* const why = errno == EBADF ? "it is closed" : std::strerror(errno);
      return base::Error{base::ErrorCode::Io, fmt::format("Cannot write to standard output: {}", why), "",
                         ""};
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return {};
}

std::string Console::heading(std::string_view text) const {
  return m_colourOut ? fmt::format("{}{}{}", kBold, text, kPlain) : std::string(text);
}

void Console::line(std::string_view kind, std::string_view colour, std::string_view rest) {
  hideProgress();
  writeStandardError(m_colourError ? fmt::format("opscope: {}{}{}{}", colour, kind, kPlain, rest)
                                   : fmt::format("opscope: {}{}", kind, rest));
}

void Console::error(const base::Error& error) {
  const std::string text = base::formatError(error);
  constexpr std::string_view kBegin = "opscope: error:";
  line("error:", kRed, std::string_view(text).substr(kBegin.size()));
}

void Console::warning(std::string_view message, std::string_view hint) {
  if (m_quiet) {
    return;
  }
  line("warning:", kYellow, fmt::format(" {}\n", message));
  if (!hint.empty()) {
    writeStandardError(fmt::format("  hint: {}\n", hint));
  }
}

void Console::note(std::string_view message) {
  if (!m_quiet) {
    line("", "", fmt::format("{}\n", message));
  }
}

void Console::showProgress(const session::Progress& progress) {
  if (!m_showsBar) {
    return;
  }
  const bool warmingUp = progress.stage == session::State::WarmingUp;
  const std::uint64_t cells =
      progress.total == 0 ? 0 : std::min(kBarCells, kBarCells * progress.done / progress.total);
  writeStandardError(fmt::format("\r\x1b[K{} [{:#>{}}{:.>{}}] {} of {}  {}",
                                 warmingUp ? "warm-up  " : "measuring", "", cells, "", kBarCells - cells,
                                 progress.done, progress.total, remainingText(progress.remainingSeconds)));
  m_barVisible = true;
}

void Console::hideProgress() {
  if (m_barVisible) {
    writeStandardError("\r\x1b[K");
    m_barVisible = false;
  }
}

}  // namespace opscope::cli
