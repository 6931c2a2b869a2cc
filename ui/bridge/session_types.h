// SPDX-License-Identifier: GPL-3.0-or-later
// The session's plain values, for the layers above the bridge. Nothing here shows tvm-ffi.
#pragma once

#include "engine/session/counters.h"
#include "engine/session/events.h"
#include "engine/session/executable_info.h"
#include "engine/session/input_spec.h"
#include "engine/session/requests.h"
#include "engine/session/scenario_info.h"
#include "engine/session/this_computer.h"
