// SPDX-License-Identifier: Apache-2.0
#include "engine/session/listed_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/session/input_resolver.h"

namespace opscope::session {

void InputResolver::putListed(InputSlot& slot, const ListedArgument& argument) {
  if (const auto* members = std::get_if<std::vector<ListedArgument>>(&argument.value)) {
    if (!slot.members.empty() && members->size() == slot.members.size()) {
      for (std::size_t i = 0; i < members->size(); ++i) {
        putListed(slot.members[i], (*members)[i]);
      }
      return;
    }
    if (slot.parameter->kind != vm::ParameterKind::Opaque) {
      misfit(slot, fmt::format("is a tuple of {}", members->size()));
    }
    return;
  }
  slot.members.clear();
  slot.given = true;
  if (const auto* array = std::get_if<ListedArray>(&argument.value)) {
    slot.listed = *array;
    slot.source = argument.source.empty() ? fmt::format("the array \"{}\"", array->key) : argument.source;
  } else {
    slot.value = std::get<InputValue>(argument.value);
  }
}

void InputResolver::assign(const std::vector<ListedArgument>& arguments) {
  if (arguments.size() != m_slots.size()) {
    problem({}, fmt::format("{} takes {} inputs.", m_signature.function, m_slots.size()),
            fmt::format("Needs {}. Given are {}.", m_slots.size(), arguments.size()));
    return;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    putListed(m_slots[i], arguments[i]);
  }
}

ListedArgument listedResult(const StepResult& result, const vm::Signature* signature) {
  const ListedArgument unknown{InputValue{result}};
  if (signature == nullptr || !signature->resultKnown) {
    return unknown;
  }
  const vm::Parameter* told = &signature->result;
  for (const std::int64_t member : result.index) {
    if (told->kind != vm::ParameterKind::Tuple || member < 0 ||
        static_cast<std::size_t>(member) >= told->members.size()) {
      return unknown;
    }
    told = &told->members[static_cast<std::size_t>(member)];
  }
  const bool known = told->kind == vm::ParameterKind::Tensor && told->typeKnown && told->rankKnown &&
                     std::ranges::none_of(told->dimensions, &vm::Dimension::isFree);
  if (!known) {
    return unknown;
  }
  ListedArray array{{}, vm::dataTypeName(told->type), result.shape, std::nullopt};
  if (!result.reshaped) {
    std::ranges::transform(told->dimensions, std::back_inserter(array.shape), &vm::Dimension::value);
  }
  return {array, fmt::format("the result of steps[{}]", result.step)};
}

base::Result<> checkListedArguments(const vm::Signature& signature,
                                    const std::vector<ListedArgument>& arguments) {
  InputResolver resolver(signature);
  resolver.assign(arguments);
  if (resolver.problems().empty()) {
    resolver.check();
  }
  if (!resolver.problems().empty()) {
    return resolver.allProblems();
  }
  return {};
}

}  // namespace opscope::session
