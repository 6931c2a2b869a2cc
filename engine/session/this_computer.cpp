// SPDX-License-Identifier: Apache-2.0
#include "engine/session/this_computer.h"

#include "engine/profile/environment.h"

namespace opscope::session {

std::string processorName() {
  return profile::readEnvironment().cpuModel;
}

}  // namespace opscope::session
