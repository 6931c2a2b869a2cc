// SPDX-License-Identifier: Apache-2.0
// The older KV cache of one sequence: rows that are appended and seen as one tensor.
#include <array>

#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/kv_arguments.h"
#include "engine/vm/builtins/tensor_checks.h"
#include "engine/vm/kv_cache/growing_kv_cache.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

GrowingKvCacheObj& cacheOf(const Arguments& arguments) {
  return stateObject<GrowingKvCacheObj>(arguments, 0, "a KV cache made by attention_kv_cache_create");
}

// (first rows, shape to reserve, rows that count as filled or -1) -> cache
void create(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_create", packed);
  arguments.requireCount(3, 3);
  *result = ffi::ObjectRef(ffi::make_object<GrowingKvCacheObj>(arguments.shape(1), hostTensor(arguments, 0),
                                                               arguments.integer(2)));
}

// (cache, rows) -> cache
void append(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_append", packed);
  arguments.requireCount(2, 2);
  cacheOf(arguments).append(hostTensor(arguments, 1));
  *result = arguments.at(0);
}

// (cache, rows) -> cache
void update(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_update", packed);
  arguments.requireCount(2, 2);
  cacheOf(arguments).update(hostTensor(arguments, 1));
  *result = arguments.at(0);
}

// (cache, rows, most rows) -> cache
void windowOverride(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_window_override", packed);
  arguments.requireCount(3, 3);
  cacheOf(arguments).appendToRing(hostTensor(arguments, 1), arguments.integer(2), 0);
  *result = arguments.at(0);
}

// (cache, rows, most rows, first rows that stay) -> cache
void windowOverrideWithSinks(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_window_override_with_sinks", packed);
  arguments.requireCount(4, 4);
  cacheOf(arguments).appendToRing(hostTensor(arguments, 1), arguments.integer(2), arguments.integer(3));
  *result = arguments.at(0);
}

// (cache, [shape]) -> its filled rows
void view(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.attention_kv_cache_view", packed);
  arguments.requireCount(1, 2);
  const GrowingKvCacheObj& cache = cacheOf(arguments);
  *result = arguments.size() == 2 ? cache.view(arguments.shape(1)) : cache.view();
}

template <class Action>
void forEachCache(const Arguments& arguments, Action action) {
  for (const ffi::Any& item : arguments.tuple(0)) {
    const auto* cache = item.as<GrowingKvCacheObj>();
    if (cache == nullptr) {
      arguments.failType(0, "a tuple of KV caches made by attention_kv_cache_create");
    }
    action(const_cast<GrowingKvCacheObj&>(*cache));
  }
}

// (caches, rows)
void arrayPopn(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_array_popn", packed);
  arguments.requireCount(2, 2);
  const std::int64_t count = arguments.integer(1);
  forEachCache(arguments, [count](GrowingKvCacheObj& cache) { cache.pop(count); });
}

// (caches)
void arrayClear(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.attention_kv_cache_array_clear", packed);
  arguments.requireCount(1, 1);
  forEachCache(arguments, [](GrowingKvCacheObj& cache) { cache.clear(); });
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.attention_kv_cache_create", create},
    Builtin{"vm.builtin.attention_kv_cache_append", append},
    Builtin{"vm.builtin.attention_kv_cache_update", update},
    Builtin{"vm.builtin.attention_kv_cache_window_override", windowOverride},
    Builtin{"vm.builtin.attention_kv_cache_window_override_with_sinks", windowOverrideWithSinks},
    Builtin{"vm.builtin.attention_kv_cache_view", view},
    Builtin{"vm.builtin.attention_kv_cache_array_popn", arrayPopn},
    Builtin{"vm.builtin.attention_kv_cache_array_clear", arrayClear},
};

}  // namespace

std::span<const Builtin> growingKvCacheBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
