// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace opscope::cli {

base::Result<std::unique_ptr<OutputPipe>> OutputPipe::open(Console& console) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return base::Error{base::ErrorCode::Io,
                       fmt::format("Cannot make a pipe to standard output: {}", std::strerror(errno)),
                       {},
                       {}};
  }
  std::unique_ptr<OutputPipe> made(new OutputPipe(console));
  made->m_read = ends[0];
  made->m_write = ends[1];
  made->m_thread = std::thread([pipe = made.get()] { pipe->copy(); });
  return made;
}

OutputPipe::~OutputPipe() {
  if (m_thread.joinable()) {
    [[maybe_unused]] const auto ignored = finish();
  }
}

std::string OutputPipe::path() const {
  return fmt::format("/dev/fd/{}", m_write);
}

void OutputPipe::copy() {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t count = ::read(m_read, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return;
    }
    if (m_failure) {
      continue;  // the rest is taken all the same, so that the writer ends
    }
    if (auto written = m_console.write({bytes.data(), static_cast<std::size_t>(count)}); !written) {
      m_failure = std::move(written).error();
    }
  }
}

base::Result<> OutputPipe::finish() {
  ::close(std::exchange(m_write, -1));
  m_thread.join();
  ::close(std::exchange(m_read, -1));
  return m_failure ? base::Result<>(*m_failure) : base::Result<>();
}

}  // namespace opscope::cli
