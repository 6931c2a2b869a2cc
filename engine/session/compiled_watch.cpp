// SPDX-License-Identifier: Apache-2.0
#include "engine/session/compiled_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/session/probe_records.h"

namespace opscope::session {

base::Result<> CompiledWatch::prepare(const ProbeLibrary& probe) {
  if (!m_isNeeded) {
    return {};
  }
  OPSCOPE_TRY_ASSIGN(m_patch, probe.function("patch"));
  OPSCOPE_TRY_ASSIGN(m_restore, probe.function("restore"));
  return {};
}

base::Result<> CompiledWatch::listen(bool on) {
  if (!m_isNeeded || m_patch.empty()) {
    return {};
  }
  if (!on) {
    OPSCOPE_TRY(m_restore({}));
    return {};
  }
  const auto told = m_patch({m_program.fileName()});
  if (!told) {
    if (m_program.board().client().failure()) {
      return told.error();
    }
    m_problem = told.error().message;
    return {};
  }
  OPSCOPE_TRY_ASSIGN(m_slots, readProbeSlots(told->bytes().value_or(std::string_view())));
  return {};
}

std::string CompiledWatch::unmet() const {
  if (!m_problem.empty()) {
    return m_problem;
  }
  if (m_slots.slots == 0 && m_slots.kernels > 0) {
    return "the library calls its kernels directly, not through slots, so that only builtins are met";
  }
  if (m_slots.patched < m_slots.slots) {
    return fmt::format("{} of {} slots for kernels cannot be changed on the board",
                       m_slots.slots - m_slots.patched, m_slots.slots);
  }
  return m_slots.builtins == 0 ? "builtins, because the library's way to call them cannot be changed" : "";
}

void CompiledWatch::addFacts(double callCostNs, report::Run& run) const {
  if (!m_isNeeded) {
    return;
  }
  run.configuration.set("Compiled functions",
                        fmt::format("kernels met by {}", m_slots.patched > 0 ? "slots" : "not"));
  profile::RunFindings findings;
  findings.callCostNs = callCostNs;
  findings.unmetCalls = unmet();
  findings.unmetHint = "opscope-server on the board sees them; so does a build with exec_mode=\"bytecode\".";
  std::ranges::move(profile::compiledWarnings(run, findings), std::back_inserter(run.warnings));
}

}  // namespace opscope::session
