// SPDX-License-Identifier: Apache-2.0
// Reads what a call returned. Inside of Client; pure functions.
#pragma once

#include <string_view>

#include "engine/base/page_buffer.h"
#include "engine/base/result.h"
#include "engine/rpc/client.h"
#include "engine/rpc/encoding.h"

namespace opscope::rpc {

/// From a Return's payload: type tag and value; a tensor has its owner behind it, a mere view has none.
/// Values with a handle become what their tag says. `memory` is what the payload lies in when it is large.
/// Errors: Format.
base::Result<CallResult> readCallResult(Encoding encoding, std::string_view payload, base::PageBuffer memory);

/// The one value of a system call's Return.
base::Result<Value> readOneValue(Encoding encoding, std::string_view payload);

}  // namespace opscope::rpc
