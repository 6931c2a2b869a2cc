// SPDX-License-Identifier: Apache-2.0
// The visible list of builtin families: one function a file of this folder; builtins.cpp walks them in this
// order.
#pragma once

#include <span>

#include "engine/vm/builtins.h"

namespace opscope::vm {

std::span<const Builtin> checkBuiltins();           ///< check_*_info, read_if_cond
std::span<const Builtin> shapeBuiltins();           ///< shape heap, match_shape, make_shape, prim values
std::span<const Builtin> memoryBuiltins();          ///< alloc_storage, alloc_tensor, null_value, clear
std::span<const Builtin> tensorBuiltins();          ///< reshape, copy, to_device and their like
std::span<const Builtin> tupleBuiltins();           ///< make_tuple, tuple_getitem, tuple_reset_item
std::span<const Builtin> closureBuiltins();         ///< closures, call_tir_dyn
std::span<const Builtin> sortBuiltins();            ///< tvm.contrib.sort.*
std::span<const Builtin> randomBuiltins();          ///< tvm.contrib.random.*
std::span<const Builtin> relaxRunBuiltins();        ///< relax.run.*
std::span<const Builtin> debugBuiltins();           ///< invoke_debug_func, call_py_func, debug_print
std::span<const Builtin> kvStateBuiltins();         ///< kv_state_*
std::span<const Builtin> kvCacheBuiltins();         ///< the paged KV cache
std::span<const Builtin> rnnStateBuiltins();        ///< rnn_state_*
std::span<const Builtin> growingKvCacheBuiltins();  ///< the older KV cache of one sequence
std::span<const Builtin> samplingBuiltins();        ///< sampling and penalties
std::span<const Builtin> tensorCacheBuiltins();     ///< parameters by name, from folders

}  // namespace opscope::vm
