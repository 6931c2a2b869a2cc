// SPDX-License-Identifier: Apache-2.0
#include "engine/code/call_sites.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace opscope::code {

namespace {

constexpr std::uint8_t kCall = 0xE8;
constexpr std::uint8_t kJump = 0xE9;
constexpr std::uintptr_t kCallBytes = 5;

const std::uint8_t* bytesAt(std::uintptr_t address) {
  return reinterpret_cast<const std::uint8_t*>(address);
}

/// The target of what would be a call or jump at `address`, were it one.
std::uintptr_t targetAt(std::uintptr_t address) {
  std::int32_t distance = 0;
  std::memcpy(&distance, bytesAt(address + 1), sizeof distance);
  return address + kCallBytes + static_cast<std::uintptr_t>(std::int64_t{distance});
}

/// Places in the range whose bytes are those of a wanted call: few, so that most functions need no
/// disassembly.
[[maybe_unused]] std::vector<CallSite> candidates(const AddressRange& range, const CallTargets& targets) {
  std::vector<CallSite> found;
  for (std::uintptr_t at = range.begin; at + kCallBytes <= range.end; ++at) {
    const std::uint8_t code = *bytesAt(at);
    if (code != kCall && code != kJump) {
      continue;
    }
    if (const auto target = targets.find(targetAt(at)); target != targets.end()) {
      found.push_back({at, at + kCallBytes, target->second, code == kJump});
    }
  }
  return found;
}

class Disassembler {
 public:
  Disassembler() {
    m_isOpen = cs_open(CS_ARCH_X86, CS_MODE_64, &m_handle) == CS_ERR_OK;
    if (m_isOpen) {
      m_instruction = cs_malloc(m_handle);
    }
  }
  ~Disassembler() {
    if (m_isOpen) {
      cs_free(m_instruction, 1);
      cs_close(&m_handle);
    }
  }
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  /// Keeps those of `sites` at which an instruction begins. From the first byte that is no instruction on
  /// nothing is known of the rest.
  void keepInstructions(const AddressRange& range, std::vector<CallSite>& sites) {
    std::unordered_set<std::uintptr_t> begins;
    const std::uint8_t* code = bytesAt(range.begin);
    std::size_t left = range.end - range.begin;
    std::uint64_t address = range.begin;
    while (m_instruction != nullptr && left > 0 && address <= sites.back().address) {
      begins.insert(address);
      if (!cs_disasm_iter(m_handle, &code, &left, &address, m_instruction)) {
        break;
      }
    }
    std::erase_if(sites, [&](const CallSite& site) { return !begins.contains(site.address); });
  }

 private:
  csh m_handle = 0;
  bool m_isOpen = false;
  cs_insn* m_instruction = nullptr;
};

}  // namespace

std::vector<CallSite> findCallSites(const LoadedLibrary& library, const std::vector<AddressRange>& functions,
                                    const CallTargets& targets) {
  std::vector<CallSite> found;
#if defined(__x86_64__)
  if (targets.empty()) {
    return found;
  }
  Disassembler disassembler;
  for (const AddressRange& range : functions) {
    if (!library.isMapped(range)) {
      continue;
    }
    std::vector<CallSite> sites = candidates(range, targets);
    if (sites.empty()) {
      continue;
    }
    disassembler.keepInstructions(range, sites);
    found.insert(found.end(), sites.begin(), sites.end());
  }
  std::ranges::sort(found, {}, &CallSite::address);
  const auto same = [](const CallSite& a, const CallSite& b) { return a.address == b.address; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
#else
  static_cast<void>(library);
  static_cast<void>(functions);
  static_cast<void>(targets);
#endif
  return found;
}

std::vector<std::uint32_t> calledOutside(const LoadedLibrary& library,
                                         const std::vector<AddressRange>& functions,
                                         const CallTargets& targets) {
  std::vector<std::uint32_t> called;
#if defined(__x86_64__)
  for (const AddressRange& range : library.code()) {
    for (const CallSite& site : candidates(range, targets)) {
      const auto after = std::ranges::upper_bound(functions, site.address, {}, &AddressRange::begin);
      if (after == functions.begin() || !std::prev(after)->contains(site.address)) {
        called.push_back(site.target);
      }
    }
  }
#else
  static_cast<void>(library);
  static_cast<void>(functions);
  static_cast<void>(targets);
#endif
  return called;
}

CallTargets findStubs(const LoadedLibrary& library, const CallTargets& slots) {
  CallTargets stubs;
  // jmp *distance(%rip), with or without endbr64 and a bnd prefix before it.
  constexpr std::uint8_t kJumpThrough[] = {0xFF, 0x25};
  constexpr std::uint8_t kBranchEnd[] = {0xF3, 0x0F, 0x1E, 0xFA};
  for (const AddressRange& range : library.code()) {
    for (std::uintptr_t at = range.begin; at + 6 <= range.end; ++at) {
      if (std::memcmp(bytesAt(at), kJumpThrough, sizeof kJumpThrough) != 0) {
        continue;
      }
      std::int32_t distance = 0;
      std::memcpy(&distance, bytesAt(at + 2), sizeof distance);
      const auto slot = slots.find(at + 6 + static_cast<std::uintptr_t>(std::int64_t{distance}));
      if (slot == slots.end()) {
        continue;
      }
      std::uintptr_t begin = at;
      if (begin > range.begin && *bytesAt(begin - 1) == 0xF2) {
        --begin;
        stubs.emplace(begin, slot->second);
      }
      if (begin >= range.begin + 4 && std::memcmp(bytesAt(begin - 4), kBranchEnd, sizeof kBranchEnd) == 0) {
        stubs.emplace(begin - 4, slot->second);
      }
      stubs.emplace(at, slot->second);
    }
  }
  return stubs;
}

}  // namespace opscope::code
