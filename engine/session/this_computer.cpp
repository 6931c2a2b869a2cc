// SPDX-License-Identifier: Apache-2.0
#include "engine/session/this_computer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/profile/environment.h"
#include "engine/profile/machine_state.h"
#include "engine/profile/noise_rules.h"

namespace opscope::session {

ComputerState computerState() {
  const profile::Environment environment = profile::readEnvironment();
  const std::set<std::string> governors = profile::MachineReader().read().governors;
  ComputerState state;
  state.processor = environment.cpuModel;
  state.governor = fmt::format("{}", fmt::join(governors, " and "));
  state.isSteady = profile::isSteady(governors);
  state.cores = static_cast<int>(profile::MachineReader::usableCores().size());
  if (state.cores == 0) {
    state.cores = environment.logicalCores;
  }
  if (environment.load >= 0) {
    state.load = environment.load;
  }
  return state;
}

}  // namespace opscope::session
