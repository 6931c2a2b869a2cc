// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/gap_calls.h"

#include <algorithm>
#include <utility>

#include "engine/code/function_bounds.h"
#include "engine/profile/raising.h"

namespace opscope::profile {

GapCalls::GapCalls(const code::LoadedLibrary& library, code::PageAccess& pages, code::CallTargets targets,
                   CompiledCallTracker& tracker, std::span<const Replacement> replacements)
    : m_library(library), m_tracker(tracker), m_slots(library, pages) {
  std::vector<code::AddressRange> functions = code::functionBounds(library);
  code::CallTargets slots;
  for (const code::Slot& slot : library.slots()) {
    const auto with = std::ranges::find(replacements, slot.symbol, &Replacement::symbol);
    if (with == replacements.end()) {
      continue;
    }
    if (!m_slots.set(slot.address, with->function)) {
      m_slots.restore();
      return;
    }
    slots.emplace(reinterpret_cast<std::uintptr_t>(slot.address), 0);
  }
  findCompiledFunctions(functions, slots);
  m_isReady = !m_compiledFunctions.empty();
  m_next = std::make_unique<code::NextCalls>(library, std::move(functions), std::move(targets));
}

/// Those that fetch arguments.
void GapCalls::findCompiledFunctions(const std::vector<code::AddressRange>& functions,
                                     const code::CallTargets& slots) {
  const auto calls = code::findCallSites(m_library, functions, code::findStubs(m_library, slots));
  for (const code::CallSite& call : calls) {
    const auto after = std::ranges::upper_bound(functions, call.address, {}, &code::AddressRange::begin);
    m_compiledFunctions.insert(std::prev(after)->begin);
  }
}

GapCalls::Event& GapCalls::eventAt(const void* returnAddress) {
  const std::uint32_t number = m_places.at(returnAddress).number;
  if (number >= m_events.size()) {
    const auto address = reinterpret_cast<std::uintptr_t>(returnAddress);
    m_events.resize(number + 1);
    Event& event = m_events.back();
    event.inCompiledFunction = m_compiledFunctions.contains(m_next->functionAt(address).begin);
    if (event.inCompiledFunction) {
      event.kernel = m_next->after(address);
    }
  }
  return m_events[number];
}

void GapCalls::beginEvent() {
  if (!m_kernel) {
    return;
  }
  const CompiledCallTracker::Site site = *std::exchange(m_kernel, std::nullopt);
  constexpr TVMFFIAny kNone{};
  // Of another count of frames: its function failed and is gone.
  const bool isThis = m_tracker.frames() == m_kernelFrames;
  const auto count = static_cast<std::int32_t>(m_values.size());
  m_isRefused = !m_tracker.end(site, m_values.data(), count, isThis ? &kNone : nullptr) || m_isRefused;
  m_arguments.clear();
}

void GapCalls::endEvent(const void* returnAddress) {
  const bool isSeen = raising([&] {
    if (const Event& event = eventAt(returnAddress); event.kernel) {
      beginKernel(*event.kernel);
    }
  });
  m_isRefused = !isSeen || m_isRefused;
}

void GapCalls::beginKernel(const code::CallSite& call) {
  std::ranges::stable_sort(m_arguments, {}, &Argument::place);
  m_values.clear();
  for (const Argument& argument : m_arguments) {
    m_values.push_back(argument.value);
  }
  const CompiledCallTracker::Site& site =
      m_tracker.kernelSite(reinterpret_cast<const void*>(call.returnAddress), call.target);
  m_kernelFrames = m_tracker.frames();
  switch (m_tracker.begin(site, m_values.data(), static_cast<std::int32_t>(m_values.size()))) {
    case CompiledCallTracker::Answer::Watch:
      m_kernel = site;
      break;
    case CompiledCallTracker::Answer::Refuse:
      m_isRefused = true;
      break;
    case CompiledCallTracker::Answer::Ignore:
      break;
  }
}

}  // namespace opscope::profile
