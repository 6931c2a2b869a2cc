// SPDX-License-Identifier: Apache-2.0
#include "engine/code/call_site_patch.h"

#include <sys/mman.h>

#include <array>
#include <cstring>

namespace opscope::code {

namespace {

constexpr std::size_t kTrampolineBytes = 16;

/// jmp *(%rip), then the address: changes no register.
void writeTrampoline(std::byte* at, std::uintptr_t destination) {
  constexpr std::array<std::uint8_t, 6> kJump = {0xFF, 0x25, 0, 0, 0, 0};
  std::memcpy(at, kJump.data(), kJump.size());
  std::memcpy(at + kJump.size(), &destination, sizeof destination);
}

}  // namespace

bool CallSitePatch::makeTrampolines(const LoadedLibrary& library,
                                    const std::vector<std::uintptr_t>& destinations) {
  const AddressRange image = library.image();
  m_trampolineBytes = destinations.size() * kTrampolineBytes;
  m_trampolines = m_pages.mapNear(image.begin, image.end - image.begin, m_trampolineBytes);
  if (m_trampolines == nullptr) {
    return false;
  }
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    writeTrampoline(static_cast<std::byte*>(m_trampolines) + i * kTrampolineBytes, destinations[i]);
  }
  return m_pages.set(reinterpret_cast<std::uintptr_t>(m_trampolines), m_trampolineBytes,
                     PROT_READ | PROT_EXEC);
}

bool CallSitePatch::apply(const LoadedLibrary& library, const std::vector<CallSite>& sites,
                          const std::vector<std::uintptr_t>& destinations) {
#if defined(__x86_64__)
  if (sites.empty() || !makeTrampolines(library, destinations)) {
    restore();
    return sites.empty();
  }
  const auto first = reinterpret_cast<std::uintptr_t>(m_trampolines);
  for (const CallSite& site : sites) {
    Patch patch;
    patch.address = site.address + 1;
    std::memcpy(&patch.before, reinterpret_cast<const void*>(patch.address), sizeof patch.before);
    const std::uintptr_t destination = first + site.target * kTrampolineBytes;
    patch.after = static_cast<std::int32_t>(static_cast<std::int64_t>(destination - site.address - 5));
    m_patches.push_back(patch);
  }
  m_isApplied = write(true);
  if (!m_isApplied) {
    restore();
  }
  return m_isApplied;
#else
  static_cast<void>(library);
  static_cast<void>(destinations);
  return sites.empty();
#endif
}

/// Pages are never writable and runnable at once; nothing of the library runs meanwhile.
bool CallSitePatch::write(bool patched) {
  const std::uintptr_t begin = m_patches.front().address;
  const std::size_t bytes = m_patches.back().address + sizeof(std::int32_t) - begin;
  if (!m_pages.set(begin, bytes, PROT_READ | PROT_WRITE)) {
    return false;
  }
  for (const Patch& patch : m_patches) {
    std::memcpy(reinterpret_cast<void*>(patch.address), patched ? &patch.after : &patch.before,
                sizeof patch.after);
  }
  if (m_pages.set(begin, bytes, PROT_READ | PROT_EXEC)) {
    return true;
  }
  // The code must run again in any case: as it was, and where that is refused too, writable.
  for (const Patch& patch : m_patches) {
    std::memcpy(reinterpret_cast<void*>(patch.address), &patch.before, sizeof patch.before);
  }
  m_pages.set(begin, bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
  return false;
}

void CallSitePatch::restore() {
  if (m_isApplied) {
    write(false);
    m_isApplied = false;
  }
  m_patches.clear();
  if (m_trampolines != nullptr) {
    m_pages.unmap(m_trampolines, m_trampolineBytes);
    m_trampolines = nullptr;
  }
}

}  // namespace opscope::code
