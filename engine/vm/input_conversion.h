// SPDX-License-Identifier: Apache-2.0
// Makes arguments fit for kernels, which check neither alignment nor layout. On the machine's thread.
#pragma once

#include <tvm/ffi/any.h>

#include <string>

#include "engine/base/result.h"
#include "engine/runtime/storage.h"

namespace opscope::vm {

/// Whether convertInput would give `value` back as it is. Parameters come with every call, and mostly nothing
/// in them is to do.
bool isFitInput(DLDevice device, tvm::ffi::AnyView value);

/// `value` with every tensor in it (also inside tuples) on `device`, compact, on 64 bytes and without byte
/// offset; tensors that are so already are shared, others copied with `allocator`. A bare DLTensor is always
/// copied, since it has no owner. Errors: Unsupported for tensors outside the host, InvalidArgument, both
/// naming `name`.
base::Result<tvm::ffi::Any> convertInput(runtime::StorageAllocator& allocator, DLDevice device,
                                         tvm::ffi::AnyView value, const std::string& name);

}  // namespace opscope::vm
