// SPDX-License-Identifier: Apache-2.0
// From an executable file to what people are shown of it. Any thread; nothing is loaded or run.
#pragma once

#include "engine/session/executable_info.h"
#include "engine/vm/executable_file.h"

namespace opscope::session {

ExecutableInfo buildExecutableInfo(const vm::ExecutableFile& file);

}  // namespace opscope::session
