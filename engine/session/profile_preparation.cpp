// SPDX-License-Identifier: Apache-2.0
#include "engine/session/profile_preparation.h"

#include "engine/profile/shape_table.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/thread_pool.h"

namespace opscope::session {

profile::ProfileSettings profileSettings(const ProfileRequest& request, const CallSequence& sequence,
                                         DLDevice device, runtime::RunContext& context) {
  profile::ProfileSettings settings;
  settings.warmup = request.warmup;
  settings.repeats = request.repeats;
  settings.steps = sequence.stepNames();
  settings.devices = {profile::deviceText(device.device_type, device.device_id)};
  settings.threads = context.threadPool().threadCount();
  settings.runtime = request.settings.runtime;
  settings.overhead = request.overhead;
  settings.recordMemory = request.recordMemory;
  settings.recordLanes = request.recordLanes;
  settings.device = device;
  settings.context = &context;
  return settings;
}

}  // namespace opscope::session
