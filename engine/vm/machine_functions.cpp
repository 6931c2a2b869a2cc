// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/machine_functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/module.h>

#include <algorithm>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/input_conversion.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

[[noreturn]] void raiseUnknown(std::string_view function) {
  raise("ValueError", fmt::format("the executable has no function {}", function));
}

std::string inputName(const FunctionEntry& function, std::size_t index) {
  return index < function.parameterNames.size() ? function.parameterNames[index]
                                                : fmt::format("number {}", index);
}

ffi::Any parametersOf(ffi::AnyView value) {
  const auto module = value.cast<ffi::Module>();
  const auto getParameters = module->GetFunction("get_params");
  if (!getParameters.has_value()) {
    raise("RuntimeError", fmt::format("set_input_with_param_module: the module (kind {}) has no function "
                                      "get_params",
                                      module->kind()));
  }
  return (*getParameters)();
}

const char* kindOf(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::MissingFunction:
    case base::ErrorCode::Internal:
    case base::ErrorCode::Unsupported:
    case base::ErrorCode::Format:
      return "InternalError";
    case base::ErrorCode::KernelFailed:
      return "RuntimeError";
    case base::ErrorCode::OutOfMemory:
      return "MemoryError";
    default:
      return "ValueError";
  }
}

}  // namespace

void raiseError(const base::Error& error) {
  std::string text = error.message;
  for (const std::string& more : {error.detail, error.hint}) {
    text += (more.empty() ? "" : "\n") + more;
  }
  raise(kindOf(error.code), std::move(text));
}

// ---- functions by name ----

std::uint32_t MachineFunctions::indexOf(std::string_view function) const {
  const std::int64_t index = findFunction(m_interpreter.data(), function);
  if (index < 0) {
    raiseUnknown(function);
  }
  return static_cast<std::uint32_t>(index);
}

const FunctionEntry& MachineFunctions::entryOf(std::string_view function) const {
  return m_interpreter.data().functions[indexOf(function)];
}

std::optional<Closure> MachineFunctions::find(std::string_view name) const {
  if (const auto saved = m_saved.find(name); saved != m_saved.end()) {
    return saved->second;
  }
  const std::int64_t index = findFunction(m_interpreter.data(), name);
  if (index < 0) {
    return std::nullopt;
  }
  if (m_interpreter.data().functions[static_cast<std::size_t>(index)].kind == FunctionKind::Packed) {
    raise("InternalError",
          fmt::format("{} is a function that the executable calls, not one of its own, so it cannot be run "
                      "by name",
                      name));
  }
  return m_interpreter.functionValue(static_cast<std::uint32_t>(index)).cast<Closure>();
}

Closure MachineFunctions::get(std::string_view name) const {
  std::optional<Closure> found = find(name);
  if (!found.has_value()) {
    raiseUnknown(name);
  }
  return *std::move(found);
}

void MachineFunctions::save(std::string_view function, const std::string& savedName, bool includeReturn,
                            ffi::PackedArgs lastArguments) {
  const Closure base = get(function);
  auto saved = ffi::make_object<ClosureObj>();
  saved->name = savedName;
  saved->function = base->function;
  saved->machine = base->machine;
  saved->dropsResult = base->dropsResult || !includeReturn;
  for (std::int32_t i = 0; i < lastArguments.size(); ++i) {
    saved->captured.push_back(convert(lastArguments[i], fmt::format("{} of {}", i, function)));
  }
  saved->captured.insert(saved->captured.end(), base->captured.begin(), base->captured.end());
  m_saved.insert_or_assign(savedName, Closure(std::move(saved)));
}

ffi::Any MachineFunctions::call(ffi::AnyView callee, ffi::PackedArgs arguments) {
  const auto* closure = callee.as<ClosureObj>();
  if (closure == nullptr) {
    if (callee.type_index() >= kTVMFFIStaticObjectBegin && callee.as<ffi::FunctionObj>() == nullptr) {
      raise("InternalError",
            "invoke_closure: expected a closure or a function, got " + describeValue(callee));
    }
    return m_interpreter.run(callee, arguments);  // a function gets what it was given
  }
  const FunctionEntry& function = m_interpreter.data().functions[closure->function];
  Values values;
  values.reserve(static_cast<std::size_t>(arguments.size()));
  for (std::int32_t i = 0; i < arguments.size(); ++i) {
    values.push_back(convert(arguments[i], inputName(function, static_cast<std::size_t>(i))));
  }
  const std::vector<ffi::AnyView> views(values.begin(), values.end());
  return m_interpreter.run(callee, ffi::PackedArgs(views.data(), static_cast<std::int32_t>(views.size())));
}

// ---- inputs and outputs ----

ffi::Any MachineFunctions::convert(ffi::AnyView value, const std::string& name) {
  auto converted = convertInput(m_interpreter.allocator(), m_interpreter.devices().front(), value, name);
  if (!converted) {
    raiseError(converted.error());
  }
  return *std::move(converted);
}

void MachineFunctions::setInput(std::string_view function, ffi::PackedArgs inputs, LastInput last) {
  const FunctionEntry& entry = entryOf(function);
  if (inputs.size() != entry.argumentCount) {
    raise("InternalError", fmt::format("set_input: {} takes {} inputs ({}), {} given", function,
                                       std::max<std::int64_t>(entry.argumentCount, 0),
                                       fmt::join(entry.parameterNames, ", "), inputs.size()));
  }
  Values values;
  values.reserve(static_cast<std::size_t>(inputs.size()));
  for (std::int32_t i = 0; i < inputs.size(); ++i) {
    const bool isModule = last == LastInput::ParamModule && i + 1 == inputs.size();
    values.push_back(isModule ? parametersOf(inputs[i])
                              : convert(inputs[i], inputName(entry, static_cast<std::size_t>(i))));
  }
  m_inputs.insert_or_assign(std::string(function), std::move(values));
}

void MachineFunctions::requireInputs(std::string_view function) const {
  indexOf(function);
  if (inputsOf(function) == nullptr) {
    raise("ValueError", fmt::format("no inputs are set for {}; call set_input first", function));
  }
}

void MachineFunctions::invokeStateful(std::string_view function) {
  requireInputs(function);
  const std::uint32_t index = indexOf(function);
  const Values values = *inputsOf(function);  // a hook may set others while the function runs
  const std::vector<ffi::AnyView> views(values.begin(), values.end());
  ffi::Any result = m_interpreter.run(m_interpreter.functionValue(index),
                                      ffi::PackedArgs(views.data(), static_cast<std::int32_t>(views.size())));
  m_outputs.insert_or_assign(std::string(function), std::move(result));
}

const MachineFunctions::Values* MachineFunctions::inputsOf(std::string_view function) const {
  const auto found = m_inputs.find(function);
  return found != m_inputs.end() ? &found->second : nullptr;
}

ffi::Any MachineFunctions::outputAt(std::string_view function, std::span<const std::int64_t> path) const {
  const auto found = m_outputs.find(function);
  if (found == m_outputs.end()) {
    raise("ValueError", fmt::format("no result of {} is kept; call invoke_stateful first", function));
  }
  ffi::Any value = found->second;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto tuple = value.as<ffi::Array<ffi::Any>>();
    if (!tuple.has_value()) {
      raise("ValueError", fmt::format("the result of {} is no tuple at index path [{}], so it has no item {}",
                                      function, fmt::join(path.first(i), ", "), path[i]));
    }
    if (path[i] < 0 || path[i] >= static_cast<std::int64_t>(tuple->size())) {
      raise("IndexError", fmt::format("item {} of the result of {} at index path [{}]: it has {} items",
                                      path[i], function, fmt::join(path.first(i), ", "), tuple->size()));
    }
    value = (*tuple)[path[i]];
  }
  return value;
}

std::int64_t MachineFunctions::outputArity(std::string_view function,
                                           std::span<const std::int64_t> path) const {
  const auto tuple = outputAt(function, path).as<ffi::Array<ffi::Any>>();
  return tuple.has_value() ? static_cast<std::int64_t>(tuple->size()) : -1;
}

ffi::Any MachineFunctions::output(std::string_view function, std::span<const std::int64_t> path) const {
  ffi::Any value = outputAt(function, path);
  if (value.as<ffi::ArrayObj>() != nullptr) {
    raise("ValueError",
          fmt::format("get_output: the result of {} at index path [{}] is a tuple, which remote sessions "
                      "cannot carry; give one more index",
                      function, fmt::join(path, ", ")));
  }
  return value;
}

std::int64_t MachineFunctions::functionArity(std::string_view function) const {
  return static_cast<std::int64_t>(entryOf(function).parameterNames.size());
}

std::string MachineFunctions::parameterName(std::string_view function, std::int64_t index) const {
  const std::vector<std::string>& names = entryOf(function).parameterNames;
  if (index < 0 || index >= static_cast<std::int64_t>(names.size())) {
    raise("ValueError",
          fmt::format("{} has no parameter {}, it has {} parameters", function, index, names.size()));
  }
  return names[static_cast<std::size_t>(index)];
}

}  // namespace opscope::vm
