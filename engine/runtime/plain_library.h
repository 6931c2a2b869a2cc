// SPDX-License-Identifier: Apache-2.0
// Libraries of TVM 0.21, whose kernels stand under their plain names and know tvm-ffi's objects by an older
// layout; tvm-ffi's own loader finds nothing in them. On the session's worker; kernels may look functions up
// from threads of the pool.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/runtime/library_bytes.h"
#include "engine/runtime/private_copy.h"

namespace opscope::runtime {

/// Loads the code of such a library as loadLibrary does, and fills its
/// context slots. The module (kind "library") gives its kernels by name, with tvm-ffi's prefix or without;
/// it stays loaded as long as the module or a function of it lives. Kernels get every tensor as a bare
/// DLTensor and every string as C text; other objects are refused with a TypeError, because the kernel would
/// misread them. Functions that kernels ask for by name are looked up in the library first, then among the
/// imports of the module, then in tvm-ffi's registry. Errors as loadLibrary's.
base::Result<tvm::ffi::Module> loadPlainLibrary(const std::shared_ptr<const LibraryBytes>& content,
                                                const std::string& displayName,
                                                const Replacement& replacement);

}  // namespace opscope::runtime
