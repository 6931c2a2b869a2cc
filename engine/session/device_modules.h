// SPDX-License-Identifier: Apache-2.0
// Kernels of other devices, which an executable holds as imported modules. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/executable_info.h"

namespace opscope::session {

/// "cuda", "opencl": kinds of devices whose kernels the executable holds and nothing here loads.
std::vector<std::string> devicesNotHere(const ExecutableInfo& info);

/// Errors: Unsupported, with the devices that are missing.
base::Result<> checkDevicesOf(const std::string& path, const ExecutableInfo& info);

}  // namespace opscope::session
