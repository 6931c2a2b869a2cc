// SPDX-License-Identifier: Apache-2.0
#include "engine/code/next_call.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace opscope::code {

struct NextCalls::Decoder {
  csh handle = 0;
  cs_insn* instruction = nullptr;

  Decoder() {
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) == CS_ERR_OK) {
      cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
      instruction = cs_malloc(handle);
    } else {
      handle = 0;
    }
  }
  ~Decoder() {
    if (instruction != nullptr) {
      cs_free(instruction, 1);
    }
    if (handle != 0) {
      cs_close(&handle);
    }
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// The instruction at `address`, nullptr when there is none in the range.
  const cs_insn* at(std::uintptr_t address, const AddressRange& range) {
    if (instruction == nullptr || !range.contains(address)) {
      return nullptr;
    }
    const auto* code = reinterpret_cast<const std::uint8_t*>(address);
    std::size_t left = range.end - address;
    std::uint64_t place = address;
    return cs_disasm_iter(handle, &code, &left, &place, instruction) ? instruction : nullptr;
  }
};

/// Follows the code from one place along all branches to the first calls.
class NextCalls::Walk {
 public:
  Walk(NextCalls& calls, const AddressRange& function) : m_calls(calls), m_function(function) {}

  std::optional<CallSite> from(std::uintptr_t address) {
    m_open.push_back(address);
    while (!m_open.empty()) {
      const std::uintptr_t next = m_open.back();
      m_open.pop_back();
      if (!follow(next)) {
        return std::nullopt;
      }
    }
    return m_found;
  }

 private:
  static constexpr std::size_t kMostInstructions = 2000;

  /// Goes straight on to the next call, return or known place; false when the answer is nothing.
  bool follow(std::uintptr_t address) {
    while (m_seen.insert(address).second) {
      const cs_insn* const at = m_calls.m_decoder->at(address, m_function);
      if (at == nullptr || m_seen.size() > kMostInstructions) {
        return false;
      }
      const std::uintptr_t after = address + at->size;
      const csh handle = m_calls.m_decoder->handle;
      if (cs_insn_group(handle, at, CS_GRP_RET)) {
        return true;
      }
      const bool isCall = cs_insn_group(handle, at, CS_GRP_CALL);
      if (!isCall && !cs_insn_group(handle, at, CS_GRP_JUMP)) {
        address = after;
        continue;
      }
      const cs_x86_op& operand = at->detail->x86.operands[0];
      if (operand.type != X86_OP_IMM) {
        return false;  // a call or jump through a register or memory
      }
      const auto target = static_cast<std::uintptr_t>(operand.imm);
      if (isCall || !m_function.contains(target)) {
        return meet({address, after, 0, !isCall}, target);
      }
      if (at->id != X86_INS_JMP) {
        m_open.push_back(after);
      }
      address = target;
    }
    return true;
  }

  /// False when it is another call than all that were met.
  bool meet(CallSite site, std::uintptr_t target) {
    const auto wanted = m_calls.m_targets.find(target);
    if (wanted == m_calls.m_targets.end()) {
      return false;
    }
    site.target = wanted->second;
    if (m_found && m_found->address != site.address) {
      return false;
    }
    m_found = site;
    return true;
  }

  NextCalls& m_calls;
  AddressRange m_function;
  std::unordered_set<std::uintptr_t> m_seen;
  std::vector<std::uintptr_t> m_open;  // begins of ways that are still to be followed
  std::optional<CallSite> m_found;
};

NextCalls::NextCalls(const LoadedLibrary& library, std::vector<AddressRange> functions, CallTargets targets)
    : m_library(library),
      m_functions(std::move(functions)),
      m_targets(std::move(targets)),
      m_decoder(std::make_unique<Decoder>()) {}

NextCalls::~NextCalls() = default;

AddressRange NextCalls::functionAt(std::uintptr_t address) const {
  const auto after = std::ranges::upper_bound(m_functions, address, {}, &AddressRange::begin);
  if (after == m_functions.begin() || !std::prev(after)->contains(address)) {
    return {};
  }
  return *std::prev(after);
}

std::optional<CallSite> NextCalls::after(std::uintptr_t address) {
#if defined(__x86_64__)
  const AddressRange function = functionAt(address);
  if (function.empty() || !m_library.isMapped(function)) {
    return std::nullopt;
  }
  return Walk(*this, function).from(address);
#else
  static_cast<void>(address);
  return std::nullopt;
#endif
}

}  // namespace opscope::code
