// SPDX-License-Identifier: Apache-2.0
// Reads the arguments that builtins of KV caches and states share. They raise as Arguments does. Any thread.
#pragma once

#include <tvm/ffi/cast.h>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/kv_cache/kv_state.h"
#include "engine/vm/kv_cache/paged_kv_cache.h"

namespace opscope::vm {

template <class T>
T& stateObject(const Arguments& arguments, std::int32_t index, const char* expected) {
  const T* found = arguments.at(index).as<T>();
  if (found == nullptr) {
    arguments.failType(index, expected);
  }
  return const_cast<T&>(*found);  // ffi hands out objects as const; these are states by design
}

inline KvStateObj& kvState(const Arguments& arguments) {
  return stateObject<KvStateObj>(arguments, 0, "a KV cache or an RNN state");
}

inline PagedKvCacheObj& pagedKvCache(const Arguments& arguments) {
  return stateObject<PagedKvCacheObj>(arguments, 0, "a paged KV cache");
}

/// A floating-point argument; integers are taken too.
double number(const Arguments& arguments, std::int32_t index);

}  // namespace opscope::vm
