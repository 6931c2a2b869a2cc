// SPDX-License-Identifier: Apache-2.0
// The computer that this program runs on. Any thread; reads /proc.
#pragma once

#include <string>

namespace opscope::session {

/// "Intel(R) Xeon(R) Processor", as runs that are measured here tell it; "" where the system does not say.
std::string processorName();

}  // namespace opscope::session
