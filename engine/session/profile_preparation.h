// SPDX-License-Identifier: Apache-2.0
// What the profiler is told of a request. On the worker.
#pragma once

#include <tvm/ffi/c_api.h>

#include "engine/profile/profiler.h"
#include "engine/session/call_sequence.h"
#include "engine/session/requests.h"

namespace opscope::session {

/// All but the collectors, which are objects of whoever measures. `context` outlives the settings.
profile::ProfileSettings profileSettings(const ProfileRequest& request, const CallSequence& sequence,
                                         DLDevice device, runtime::RunContext& context);

}  // namespace opscope::session
