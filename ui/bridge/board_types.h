// SPDX-License-Identifier: GPL-3.0-or-later
// The plain values about boards, for the layers above the bridge.
#pragma once

#include "engine/session/board_check.h"
#include "engine/session/fleet.h"
#include "engine/session/targets.h"
#include "engine/session/tracker_overview.h"
