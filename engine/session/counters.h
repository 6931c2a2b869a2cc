// SPDX-License-Identifier: Apache-2.0
// Events that profiles can count on this machine, for those who see the engine through sessions only.
#pragma once

#include "engine/profile/counter_list.h"

namespace opscope::session {

using profile::CounterInfo;
using profile::CounterList;

/// As profile::listCounters. Not while a session counts.
CounterList listCounters();

/// The text for ProfileRequest::collectors that counts `events` ("cycles,instructions").
std::string counterCollector(const std::string& events);

}  // namespace opscope::session
