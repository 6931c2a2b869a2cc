// SPDX-License-Identifier: Apache-2.0
// The calls of an executable's compiled functions on a board whose machine does not tell of them: our probe
// meets them in the slots of the loaded library. For an executable of bytecode nothing is done. On the
// worker; the program outlives it.
#pragma once

#include <string>

#include "engine/base/probe_layout.h"
#include "engine/base/result.h"
#include "engine/profile/compiled_calls.h"
#include "engine/profile/environment.h"
#include "engine/report/run.h"
#include "engine/session/probe_library.h"
#include "engine/session/remote_program.h"

namespace opscope::session {

class CompiledWatch {
 public:
  CompiledWatch(const OpenedExecutable& file, RemoteProgram& program)
      : m_program(program), m_isNeeded(profile::hasCompiledFunctions(*file.file.data)) {}

  /// Finds what is needed in the probe. Errors: those of ProbeLibrary::function.
  base::Result<> prepare(const ProbeLibrary& probe);
  /// From now on the calls of compiled functions are recorded, or not any more. What the board cannot do is
  /// told by addFacts. Errors: those of the session.
  base::Result<> listen(bool on);
  /// How kernels were met, and the warnings that a run of compiled functions has; `callCostNs` is what
  /// recording adds to a call. Once the calls of the run are there.
  void addFacts(double callCostNs, report::Run& run) const;

 private:
  std::string unmet() const;

  RemoteProgram& m_program;
  bool m_isNeeded = false;
  rpc::RemoteFunction m_patch;
  rpc::RemoteFunction m_restore;
  base::ProbeSlots m_slots;
  std::string m_problem;  ///< why nothing is met
};

}  // namespace opscope::session
