// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/compiled_call_tracker.h"

#include "engine/profile/raising.h"

namespace opscope::profile {

CompiledCallTracker::CompiledCallTracker(vm::VirtualMachine& machine, vm::CallObserver& observer,
                                         CompiledCallHook* hook)
    : m_machine(machine),
      m_observer(observer),
      m_hook(hook),
      m_firstInstruction(static_cast<std::uint32_t>(machine.executable().instructions.size())),
      m_firstFunction(static_cast<std::uint32_t>(machine.executable().functions.size())) {
  m_openFrames.reserve(64);
}

std::uint32_t CompiledCallTracker::numberOf(void* function) {
  const auto known = m_numbers.find(function);
  if (known != m_numbers.end()) {
    return known->second;
  }
  const auto name = m_namesOfFunctions.find(function);
  m_names.push_back(name != m_namesOfFunctions.end() ? name->second : "(function without a name)");
  const auto number = static_cast<std::uint32_t>(m_names.size() - 1);
  m_numbers.emplace(function, number);
  return number;
}

CompiledCallTracker::Site& CompiledCallTracker::kernelSite(const void* returnAddress, std::uint32_t kernel) {
  Site& site = m_sites.at(returnAddress);
  site.function = kernel;
  return site;
}

CompiledCallTracker::Site& CompiledCallTracker::functionSite(const void* returnAddress, void* function) {
  Site& site = m_sites.at(returnAddress);
  if (site.callee != function) {
    site.function = numberOf(function);
    site.callee = function;
  }
  return site;
}

vm::CallSite CompiledCallTracker::callSite(const Site& site) const {
  return {m_firstInstruction + site.number, m_firstFunction + site.function, m_openFrames.back() - 1};
}

CompiledCallTracker::Answer CompiledCallTracker::begin(const Site& site, const TVMFFIAny* args,
                                                       std::int32_t count) {
  const std::uint32_t frames = m_machine.frameCount();
  if (frames == 0 || (!m_openFrames.empty() && m_openFrames.back() == frames)) {
    return Answer::Ignore;
  }
  if (m_machine.stopRequested()) {
    TVMFFIErrorSetRaisedFromCStr("Cancelled", "stopped");
    return Answer::Refuse;
  }
  if (m_hook != nullptr && !raising([&] { m_hook->beforeCall(m_names[site.function], args, count); })) {
    return Answer::Refuse;
  }
  m_openFrames.push_back(frames);
  try {
    m_observer.beginCall(callSite(site), args, count);
  } catch (...) {
    m_openFrames.pop_back();
    throw;
  }
  return Answer::Watch;
}

bool CompiledCallTracker::end(const Site& site, const TVMFFIAny* args, std::int32_t count,
                              const TVMFFIAny* result) {
  if (result != nullptr) {
    m_observer.endCall(callSite(site), *result);
  }
  m_openFrames.pop_back();
  return result == nullptr || m_hook == nullptr ||
         raising([&] { m_hook->afterCall(m_names[site.function], *result, args, count); });
}

}  // namespace opscope::profile
