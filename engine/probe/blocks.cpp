// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "engine/probe/capture.h"

namespace opscope::probe {

bool Blocks::reserve(std::uint64_t bytes, std::uint64_t beyond) {
  const std::uint64_t limit = m_limit + beyond;
  if (bytes > limit || m_size > limit - bytes) {
    return false;
  }
  const std::uint64_t needed = (m_size + bytes + base::kCaptureBlockBytes - 1) / base::kCaptureBlockBytes;
  if (needed > kMost) {
    return false;
  }
  while (m_taken < needed) {
    m_blocks[m_taken] = static_cast<char*>(malloc(base::kCaptureBlockBytes));
    if (m_blocks[m_taken] == nullptr) {
      return false;  // what was taken serves what is smaller
    }
    ++m_taken;
  }
  return true;
}

void Blocks::write(const void* from, std::size_t bytes) {
  const auto* next = static_cast<const char*>(from);
  while (bytes > 0) {
    const std::uint64_t at = m_size % base::kCaptureBlockBytes;
    const std::uint64_t room = base::kCaptureBlockBytes - at;
    const std::size_t part = bytes < room ? bytes : room;
    memcpy(m_blocks[m_size / base::kCaptureBlockBytes] + at, next, part);
    m_size += part;
    next += part;
    bytes -= part;
  }
}

std::uint32_t Blocks::count() const {
  return static_cast<std::uint32_t>((m_size + base::kCaptureBlockBytes - 1) / base::kCaptureBlockBytes);
}

Text Blocks::block(std::uint32_t index) const {
  if (index >= count()) {
    return {};
  }
  const std::uint64_t begin = std::uint64_t{index} * base::kCaptureBlockBytes;
  const std::uint64_t left = m_size - begin;
  return {m_blocks[index], left < base::kCaptureBlockBytes ? left : base::kCaptureBlockBytes};
}

void Blocks::clear() {
  for (; m_taken > 0; --m_taken) {
    free(m_blocks[m_taken - 1]);
    m_blocks[m_taken - 1] = nullptr;
  }
  m_size = 0;
}

}  // namespace opscope::probe
