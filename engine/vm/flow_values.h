// SPDX-License-Identifier: Apache-2.0
// The values that followValues knows of: facts about each, tuples by reference to their members. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/vm/signature.h"

namespace opscope::vm {

class FlowValues {
 public:
  using Id = std::size_t;

  /// A new value of which `facts` are known (its members are not looked at).
  Id add(Parameter facts = {});
  Id addTuple(std::vector<Id> members);
  const Parameter& facts(Id id) const { return m_values[id].facts; }
  const std::vector<Id>& members(Id id) const { return m_values[id].members; }

  /// Each adds a fact that a check in the bytecode states; what was known and does not contradict stays.
  void isTensor(Id id) { setKind(id, ParameterKind::Tensor); }
  void setKind(Id id, ParameterKind kind);
  void setType(Id id, DataType type);
  void setRank(Id id, std::int64_t rank);
  void setDimensions(Id id, const std::vector<Dimension>& dimensions);
  void setMemberCount(Id id, std::int64_t count);
  /// Member `index` of a tuple; a value of which nothing is known when the tuple is too short for it.
  Id member(Id id, std::int64_t index);

  bool sameFacts(Id left, Id right) const;
  /// The facts with members copied in, cut off where it would grow beyond reason.
  Parameter toParameter(Id id) const;

 private:
  struct Value {
    Parameter facts;
    std::vector<Id> members;
  };
  Parameter copyOut(Id id, std::size_t& budget, int depth) const;

  std::vector<Value> m_values;
};

}  // namespace opscope::vm
