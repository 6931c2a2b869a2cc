// SPDX-License-Identifier: Apache-2.0
// The builtin that makes a paged KV cache, in a file of its own because of its arguments.
#pragma once

#include "engine/vm/builtins.h"

namespace opscope::vm {

/// vm.builtin.paged_attention_kv_cache_create, as TVM 0.25 to 0.27 call it.
void createPagedKvCache(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);

}  // namespace opscope::vm
