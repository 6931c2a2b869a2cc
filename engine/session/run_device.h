// SPDX-License-Identifier: Apache-2.0
// The device that a request runs on. For sources of this module only: it shows tvm-ffi. Any thread.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/device_providers.h"
#include "engine/session/requests.h"
#include "engine/session/targets.h"

namespace opscope::session {

/// The device that the settings name, or the first one. Errors: those of parseDevice.
inline base::Result<DLDevice> deviceOf(const RunSettings& settings) {
  return settings.device.empty() ? DLDevice{kDLCPU, 0} : runtime::parseDevice(settings.device);
}

/// Of the target of the settings: isElsewhere.
inline bool isRemote(const RunSettings& settings) {
  return isElsewhere(settings.target);
}

/// A device of a board: its kind is known by name, whether it exists only the board knows. Errors:
/// InvalidArgument.
base::Result<DLDevice> remoteDeviceOf(const RunSettings& settings);

}  // namespace opscope::session
