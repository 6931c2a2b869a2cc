// SPDX-License-Identifier: Apache-2.0
#include "engine/code/kernel_patch.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/code/function_bounds.h"

namespace opscope::code {

KernelPatch::KernelPatch(const LoadedLibrary& library, std::vector<ExportedFunction> kernels, KernelTap& tap,
                         PageAccess& pages)
    : KernelPatch(library, std::move(kernels), tap, pages, Limits()) {}

KernelPatch::KernelPatch(const LoadedLibrary& library, std::vector<ExportedFunction> kernels, KernelTap& tap,
                         PageAccess& pages, const Limits& limits)
    : m_library(library),
      m_pages(pages),
      m_kernels(std::move(kernels)),
      m_ways(m_kernels.size(), Way::NotCalled),
      m_thunks(m_kernels.size(), nullptr),
      m_words(library, pages),
      m_callSites(pages) {
  patchSlots(tap, limits);
  patchCallSites(tap, limits);
}

std::uint32_t KernelPatch::count(Way way) const {
  return static_cast<std::uint32_t>(std::ranges::count(m_ways, way));
}

KernelFunction KernelPatch::thunkFor(KernelTap& tap, std::uint32_t kernel, KernelFunction real,
                                     const Limits& limits) {
  if (m_thunks[kernel] == nullptr && m_thunkCount < limits.thunks) {
    m_thunks[kernel] = m_thunkSet.add(tap, kernel, real);
    m_thunkCount += m_thunks[kernel] != nullptr ? 1 : 0;
  }
  return m_thunks[kernel];
}

void KernelPatch::patchSlots(KernelTap& tap, const Limits& limits) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < m_kernels.size(); ++i) {
    numbers.emplace(m_kernels[i].name, i);
  }
  for (const Slot& slot : m_library.slots()) {
    const auto kernel = numbers.find(slot.symbol);
    if (kernel == numbers.end()) {
      continue;
    }
    Way& way = m_ways[kernel->second];
    // The definition, not what stands in the slot: a slot that was not bound yet leads to the loader.
    const auto real = reinterpret_cast<KernelFunction>(slot.definition);
    const KernelFunction thunk =
        limits.slots && real != nullptr ? thunkFor(tap, kernel->second, real, limits) : nullptr;
    if (thunk == nullptr || !m_words.set(slot.address, reinterpret_cast<std::uintptr_t>(thunk))) {
      way = Way::Unpatched;
    } else if (way == Way::NotCalled) {
      way = Way::Slot;
    }
  }
}

/// The kernels, and the stubs through slots that could not be written.
void KernelPatch::findTargets() {
  CallTargets slots;
  for (std::uint32_t i = 0; i < m_kernels.size(); ++i) {
    m_targets.emplace(m_kernels[i].address, i);
    for (const Slot& slot : m_library.slots()) {
      if (m_ways[i] == Way::Unpatched && slot.symbol == m_kernels[i].name) {
        slots.emplace(reinterpret_cast<std::uintptr_t>(slot.address), i);
      }
    }
  }
  if (!slots.empty()) {
    m_targets.merge(findStubs(m_library, slots));
  }
}

void KernelPatch::patchCallSites(KernelTap& tap, const Limits& limits) {
  findTargets();
  const std::vector<AddressRange> functions = functionBounds(m_library);
  for (const std::uint32_t kernel : calledOutside(m_library, functions, m_targets)) {
    m_ways[kernel] = Way::Unpatched;
  }
  std::vector<CallSite> sites = findCallSites(m_library, functions, m_targets);
  std::vector<std::uintptr_t> destinations(m_kernels.size(), 0);
  for (const CallSite& site : sites) {
    m_ways[site.target] = Way::Unpatched;
    if (limits.callSites) {
      const auto real = reinterpret_cast<KernelFunction>(m_kernels[site.target].address);
      destinations[site.target] = reinterpret_cast<std::uintptr_t>(thunkFor(tap, site.target, real, limits));
    }
  }
  std::erase_if(sites, [&](const CallSite& site) { return destinations[site.target] == 0; });
  if (!m_callSites.apply(m_library, sites, destinations)) {
    return;
  }
  for (const CallSite& site : sites) {
    m_ways[site.target] = Way::CallSite;
  }
}

CallTargets KernelPatch::unpatchedTargets() const {
  CallTargets targets;
  for (const auto& [address, kernel] : m_targets) {
    if (m_ways[kernel] == Way::Unpatched) {
      targets.emplace(address, kernel);
    }
  }
  return targets;
}

}  // namespace opscope::code
