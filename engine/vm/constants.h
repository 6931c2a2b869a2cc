// SPDX-License-Identifier: Apache-2.0
// The constant pool of a machine. On the machine's thread.
#pragma once

#include <tvm/ffi/any.h>

#include <vector>

#include "engine/base/result.h"
#include "engine/vm/executable.h"

namespace opscope::vm {

/// Every constant as a value; tensors are copied once to aligned memory, because in the file they hardly ever
/// are. Errors: Format, naming the constant, for a tensor whose bytes do not fit its shape; Unsupported for
/// memory scopes that the CPU does not have.
base::Result<std::vector<tvm::ffi::Any>> makeConstants(const ExecutableData& data);

}  // namespace opscope::vm
