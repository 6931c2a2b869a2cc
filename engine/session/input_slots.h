// SPDX-License-Identifier: Apache-2.0
// The parameters of a signature as a tree of places for values, found by name or position. Used while inputs
// are resolved, on one thread; points into the signature, which must stay alive.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/session/array_listing.h"
#include "engine/session/input_spec.h"
#include "engine/session/input_value.h"
#include "engine/vm/signature.h"

namespace opscope::session {

struct InputSlot {
  const vm::Parameter* parameter = nullptr;
  std::string name;          ///< "x"; a member "x/0"; the position where a parameter has no name
  std::size_t position = 0;  ///< of the parameter; members have their parameter's
  std::vector<InputSlot> members;

  // Filled while resolving; only in slots without members.
  bool given = false;                 ///< by the person, not by default
  InputSpec spec;                     ///< what was given, or random
  std::optional<InputValue> value;    ///< known already: read from a file, a text, a shape
  std::optional<ListedArray> listed;  ///< of a tensor from a file, as long as the file is not read
  std::string source = "the value";   ///< what a message calls it: "the file in.npy"
};

std::vector<InputSlot> makeSlots(const vm::Signature& signature);

/// The slot called `name` (a parameter's name, its position, or either followed by /0/1 for members), or
/// nullptr.
InputSlot* findSlot(std::vector<InputSlot>& slots, std::string_view name);

/// Names of the parameters, for messages.
std::vector<std::string> slotNames(const std::vector<InputSlot>& slots);

/// Calls `f` with each slot that has no members, in order.
template <class F>
void forEachLeaf(std::vector<InputSlot>& slots, F&& f) {
  for (InputSlot& slot : slots) {
    if (slot.members.empty()) {
      f(slot);
    } else {
      forEachLeaf(slot.members, f);
    }
  }
}

/// The element type in arrays' terms; nothing for types that arrays do not hold. One-bit bool, as older TVM
/// writes it, is bool.
std::optional<arrays::ElementType> elementTypeOf(vm::DataType type);

/// "float32 [n, 3]", "shape [2]", "a tensor", with sizes in place of names where `sizes` has them.
std::string neededText(const vm::Parameter& parameter, const std::map<std::string, std::int64_t>& sizes = {});

}  // namespace opscope::session
