// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/flow_values.h"

#include "engine/vm/value_flow.h"

namespace opscope::vm {

namespace {

// Limits against executables that were made to exhaust memory: shared members of nested tuples multiply.
constexpr std::size_t kMostMembers = 1 << 14;
constexpr std::size_t kMostValues = 1 << 20;
constexpr std::size_t kMostCopies = 1 << 14;
constexpr int kDeepestTuple = 32;
constexpr std::int64_t kHighestRank = 64;

}  // namespace

FlowValues::Id FlowValues::add(Parameter facts) {
  m_values.push_back({std::move(facts), {}});
  return m_values.size() - 1;
}

FlowValues::Id FlowValues::addTuple(std::vector<Id> members) {
  Parameter facts;
  facts.kind = ParameterKind::Tuple;
  const Id id = add(std::move(facts));
  m_values[id].members = std::move(members);
  return id;
}

void FlowValues::setKind(Id id, ParameterKind kind) {
  Value& value = m_values[id];
  if (value.facts.kind != kind) {
    value.facts = Parameter{};
    value.facts.kind = kind;
    value.members.clear();
  }
}

void FlowValues::setType(Id id, DataType type) {
  m_values[id].facts.typeKnown = true;
  m_values[id].facts.type = type;
}

void FlowValues::setRank(Id id, std::int64_t rank) {
  if (rank >= 0 && rank <= kHighestRank) {
    setDimensions(id, std::vector<Dimension>(static_cast<std::size_t>(rank),
                                             Dimension{-1, std::string(kUnknownDimension), false}));
  }
}

void FlowValues::setDimensions(Id id, const std::vector<Dimension>& dimensions) {
  Parameter& facts = m_values[id].facts;
  if (!facts.rankKnown || facts.dimensions.size() != dimensions.size()) {
    facts.rankKnown = true;
    facts.dimensions = dimensions;
    return;
  }
  for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
    if (dimensions[axis].name != kUnknownDimension) {
      facts.dimensions[axis] = dimensions[axis];
    }
  }
}

void FlowValues::setMemberCount(Id id, std::int64_t count) {
  setKind(id, ParameterKind::Tuple);
  if (count < 0 || static_cast<std::size_t>(count) > kMostMembers || m_values.size() > kMostValues) {
    return;
  }
  // Adding values moves them, so the members are collected first.
  std::vector<Id> members = m_values[id].members;
  members.resize(std::min(members.size(), static_cast<std::size_t>(count)));
  while (members.size() < static_cast<std::size_t>(count)) {
    members.push_back(add());
  }
  m_values[id].members = std::move(members);
}

FlowValues::Id FlowValues::member(Id id, std::int64_t index) {
  const bool isTuple = facts(id).kind == ParameterKind::Tuple;
  if (!isTuple || index < 0 || static_cast<std::size_t>(index) >= members(id).size()) {
    return add();
  }
  return members(id)[static_cast<std::size_t>(index)];
}

bool FlowValues::sameFacts(Id left, Id right) const {
  const Parameter& a = facts(left);
  const Parameter& b = facts(right);
  return a.kind == b.kind && a.typeKnown == b.typeKnown && a.type == b.type && a.rankKnown == b.rankKnown &&
         a.dimensions == b.dimensions && members(left) == members(right);
}

Parameter FlowValues::toParameter(Id id) const {
  std::size_t budget = kMostCopies;
  return copyOut(id, budget, 0);
}

Parameter FlowValues::copyOut(Id id, std::size_t& budget, int depth) const {
  if (budget == 0 || depth > kDeepestTuple) {
    return {};
  }
  --budget;
  Parameter parameter = facts(id);
  for (const Id member : members(id)) {
    parameter.members.push_back(copyOut(member, budget, depth + 1));
  }
  return parameter;
}

}  // namespace opscope::vm
