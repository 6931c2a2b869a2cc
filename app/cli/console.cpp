// SPDX-License-Identifier: Apache-2.0
#include "app/cli/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/cli/progress_line.h"
#include "app/cli/standard_streams.h"
#include "engine/base/printable.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kMostWidth = 10'000;

bool isTerminal(int fd) {
  return isatty(fd) == 1;
}

/// Whether the terminal moves its cursor and changes colours as told.
bool obeysSequences() {
  const char* const terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

bool wantsColour(int fd) {
  const char* const noColour = std::getenv("NO_COLOR");
  return isTerminal(fd) && (noColour == nullptr || *noColour == '\0') && obeysSequences();
}

std::size_t widthOf(int fd) {
  std::size_t width = 0;
  if (const char* const columns = std::getenv("COLUMNS")) {
    const char* const end = columns + std::strlen(columns);
    const auto [stop, problem] = std::from_chars(columns, end, width);
    if (problem == std::errc() && stop == end && width > 0 && width <= kMostWidth) {
      return width;
    }
  }
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

}  // namespace

Console::Console(bool quiet)
    : m_output(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)),
      m_quiet(quiet),
      m_colourOut(wantsColour(STDOUT_FILENO)),
      m_colourError(wantsColour(STDERR_FILENO)),
      m_showsBar(!quiet && isTerminal(STDERR_FILENO) && obeysSequences()) {
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

std::optional<std::size_t> Console::width() const {
  return m_output >= 0 && isTerminal(m_output) ? std::optional(widthOf(m_output)) : std::nullopt;
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

std::string Console::headed(std::string_view table) const {
  const std::size_t end = std::min(table.find('\n'), table.size());
  return heading(table.substr(0, end)).append(table.substr(end));
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
  line("warning:", kYellow, fmt::format(" {}\n", base::printable(message)));
  if (!hint.empty()) {
    writeStandardError(fmt::format("  hint: {}\n", base::printable(hint)));
  }
}

void Console::note(std::string_view message) {
  if (!m_quiet) {
    line("", "", fmt::format("{}\n", base::printable(message)));
  }
}

void Console::showProgress(const session::Progress& progress) {
  if (!m_showsBar) {
    return;
  }
  writeStandardError(fmt::format("\r\x1b[K{}", progressLine(progress, widthOf(STDERR_FILENO))));
  m_barVisible = true;
}

void Console::hideProgress() {
  if (m_barVisible) {
    writeStandardError("\r\x1b[K");
    m_barVisible = false;
  }
}

}  // namespace opscope::cli
