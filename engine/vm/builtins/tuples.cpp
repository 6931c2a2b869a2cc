// SPDX-License-Identifier: Apache-2.0
// Tuples are ffi arrays.
#include <fmt/format.h>

#include <array>
#include <climits>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/nesting.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// The array object of argument 0, which the caller keeps alive, and a checked index from argument 1.
ffi::ArrayObj& indexedTuple(const Arguments& arguments, std::int64_t& index) {
  arguments.requireCount(2, 2);
  auto* tuple = const_cast<ffi::ArrayObj*>(arguments.at(0).as<ffi::ArrayObj>());
  if (tuple == nullptr) {
    arguments.failType(0, "a tuple");
  }
  index = arguments.integer(1);
  if (index < 0 || index >= static_cast<std::int64_t>(tuple->size())) {
    raise("IndexError",
          fmt::format("{}: a tuple of {} has no item {}", arguments.name(), tuple->size(), index));
  }
  return *tuple;
}

// (values...) -> tuple
void makeTuple(ffi::PackedArgs packed, ffi::Any* result) {
  const ffi::AnyView* first = packed.data();
  requireShallow("vm.builtin.make_tuple", {first, static_cast<std::size_t>(packed.size())});
  *result = ffi::Array<ffi::Any>(first, first + packed.size());
}

// (tuple, index) -> item
void tupleGetItem(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.tuple_getitem", packed);
  std::int64_t index = 0;
  const ffi::ArrayObj& tuple = indexedTuple(arguments, index);
  *result = tuple.at(index);
}

// (tuple, index): drops the item in place, to release its memory early
void tupleResetItem(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.tuple_reset_item", packed);
  std::int64_t index = 0;
  ffi::ArrayObj& tuple = indexedTuple(arguments, index);
  tuple.SetItem(index, ffi::Any(nullptr));
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.make_tuple", makeTuple},
    Builtin{"vm.builtin.tuple_getitem", tupleGetItem},
    Builtin{"vm.builtin.tuple_reset_item", tupleResetItem},
};

}  // namespace

std::span<const Builtin> tupleBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
