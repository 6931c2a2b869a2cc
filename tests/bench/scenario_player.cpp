// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/scenario_player.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace opscope::bench {

namespace {

namespace ffi = tvm::ffi;
using session::InputValue;

struct AlignedAllocator {
  void AllocData(DLTensor* tensor) {
    const std::size_t size = ffi::GetDataSize(*tensor);
    tensor->data = std::aligned_alloc(64, (size + 63) / 64 * 64 + 64);
  }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

ffi::Tensor toTensor(const arrays::Array& array) {
  const DLDataType type{static_cast<std::uint8_t>(array.type().code), array.type().bits, array.type().lanes};
  ffi::Tensor tensor =
      ffi::Tensor::FromNDAlloc(AlignedAllocator(), ffi::Shape(array.shape()), type, DLDevice{kDLCPU, 0});
  std::memcpy(tensor.data_ptr(), array.data(), array.byteSize());
  return tensor;
}

bool holdsResult(const InputValue& value) {
  if (const auto* tuple = std::get_if<session::TupleValue>(&value.value)) {
    for (const InputValue& member : tuple->members) {
      if (holdsResult(member)) {
        return true;
      }
    }
  }
  return std::holds_alternative<session::StepResult>(value.value);
}

ffi::Any resultMember(const session::StepResult& result, const std::vector<ffi::Any>& results) {
  ffi::Any value = results.at(result.step);
  for (const std::int64_t index : result.index) {
    value = value.cast<ffi::Array<ffi::Any>>()[index];
  }
  if (!result.reshaped) {
    return value;
  }
  const auto tensor = value.cast<ffi::Tensor>();
  std::vector<std::int64_t> strides(result.shape.size(), 1);
  for (std::size_t i = strides.size(); i > 1; --i) {
    strides[i - 2] = strides[i - 1] * result.shape[i - 1];
  }
  return tensor.as_strided(ffi::Shape(result.shape), ffi::Shape(strides));
}

ffi::Any toAny(const InputValue& input, const std::vector<ffi::Any>& results) {
  struct Visitor {
    const std::vector<ffi::Any>& results;
    ffi::Any operator()(const session::NoneValue&) const { return nullptr; }
    ffi::Any operator()(const arrays::Array& array) const { return toTensor(array); }
    ffi::Any operator()(const session::ShapeValue& shape) const { return ffi::Shape(shape.values); }
    ffi::Any operator()(std::int64_t value) const { return value; }
    ffi::Any operator()(double value) const { return value; }
    ffi::Any operator()(bool value) const { return value; }
    ffi::Any operator()(const std::string& value) const { return ffi::String(value); }
    ffi::Any operator()(const session::TupleValue& tuple) const {
      ffi::Array<ffi::Any> members;
      for (const InputValue& member : tuple.members) {
        members.push_back(toAny(member, results));
      }
      return members;
    }
    ffi::Any operator()(const session::StepResult& result) const { return resultMember(result, results); }
  };
  return std::visit(Visitor{results}, input.value);
}

template <class T>
T valueOf(base::Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().message + " " + result.error().detail);
  }
  return std::move(*result);
}

}  // namespace

ScenarioPlayer::ScenarioPlayer(Target& target, const std::string& scenarioFile, const std::string& arraysFile)
    : m_target(target) {
  const session::Scenario scenario = valueOf(session::readScenario(scenarioFile));
  for (session::ResolvedStep& resolved : valueOf(session::resolveScenario(scenario, arraysFile))) {
    Step step{resolved.function, std::move(resolved.arguments), {}, false, resolved.isGlobal, std::nullopt};
    if (step.isGlobal) {
      step.global = ffi::Function::GetGlobalRequired(step.function);
    }
    for (const InputValue& value : step.values) {
      step.usesResults = step.usesResults || holdsResult(value);
      step.arguments.push_back(holdsResult(value) ? ffi::Any() : toAny(value, {}));
    }
    m_steps.push_back(std::move(step));
  }
}

void ScenarioPlayer::play() {
  m_results.resize(m_first);
  playSteps(m_first, m_steps.size());
}

void ScenarioPlayer::repeatFrom(std::size_t step) {
  m_first = std::min(step, m_steps.size());
  m_results.clear();
  playSteps(0, m_first);
}

void ScenarioPlayer::playSteps(std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) {
    Step& step = m_steps[i];
    for (std::size_t k = 0; step.usesResults && k < step.values.size(); ++k) {
      if (holdsResult(step.values[k])) {
        step.arguments[k] = toAny(step.values[k], m_results);
      }
    }
    m_results.push_back(step.isGlobal ? callGlobal(step) : m_target.call(step.function, step.arguments));
  }
}

ffi::Any ScenarioPlayer::callGlobal(const Step& step) {
  m_views.assign(step.arguments.begin(), step.arguments.end());
  ffi::Any result;
  step.global->CallPacked(m_views.data(), static_cast<std::int32_t>(m_views.size()), &result);
  return result;
}

}  // namespace opscope::bench
