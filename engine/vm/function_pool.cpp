// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/function_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "engine/vm/closure.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr std::string_view kCompiledPrefix = "__vmtir__";

std::optional<ffi::Function> findInImports(const ffi::Array<ffi::Any>& imports, const std::string& name) {
  for (const ffi::Any& import : imports) {
    if (auto function = import.cast<ffi::Module>()->GetFunction(name, /*query_imports=*/true)) {
      return *function;
    }
  }
  return std::nullopt;
}

/// Names of the bytecode functions that call or pass on function number `wanted`.
std::set<std::string> callersOf(const ExecutableData& data, std::int64_t wanted) {
  std::set<std::string> callers;
  auto uses = [&](const Instruction& instruction) {
    if (instruction.op != Instruction::Op::Call) {
      return false;
    }
    // Indices are checked when the dense program is built, which comes later.
    const std::size_t begin = std::min<std::size_t>(instruction.firstArgument, data.arguments.size());
    const std::size_t count = std::min<std::size_t>(instruction.argumentCount, data.arguments.size() - begin);
    const auto* first = data.arguments.data() + begin;
    return instruction.function == wanted || std::any_of(first, first + count, [&](const Argument& argument) {
             return argument.kind == Argument::Kind::FunctionIndex && argument.value == wanted;
           });
  };
  for (const FunctionEntry& function : data.functions) {
    const auto size = static_cast<std::int64_t>(data.instructions.size());
    for (std::int64_t i = function.startInstruction; i >= 0 && i < std::min(function.endInstruction, size);
         ++i) {
      if (uses(data.instructions[static_cast<std::size_t>(i)])) {
        callers.insert(function.name);
        break;
      }
    }
  }
  return callers;
}

base::Error missingFunctions(const ExecutableData& data, const std::vector<std::size_t>& missing,
                             const std::vector<std::string>& standIns) {
  std::vector<std::string> lines;
  for (const std::size_t index : missing) {
    const std::set<std::string> callers = callersOf(data, static_cast<std::int64_t>(index));
    const FunctionEntry& function = data.functions[index];
    if (function.kind == FunctionKind::VmTir) {
      lines.push_back(
          fmt::format("{}{} (the compiled code of {})", kCompiledPrefix, function.name, function.name));
    } else if (callers.empty()) {
      lines.push_back(function.name);
    } else {
      lines.push_back(fmt::format("{} (called by {})", function.name, fmt::join(callers, ", ")));
    }
  }
  base::Error error;
  error.code = base::ErrorCode::MissingFunction;
  error.message = fmt::format("{} missing: {}", lines.size() == 1 ? "a function is" : "functions are",
                              fmt::join(lines, "; "));
  error.detail = "Neither the executable's own kernels nor the registered functions have it.";
  error.hint = kLoadAPlugin;
  if (!standIns.empty()) {
    error.detail =
        fmt::format("The file holds modules that this build cannot run: {}.", fmt::join(standIns, ", "));
  }
  return error;
}

/// Fills entry `index` of the pool; false when nothing provides the function.
bool resolvePacked(const FunctionEntry& function, const ffi::Array<ffi::Any>& imports, std::size_t index,
                   FunctionPool& pool) {
  std::optional<ffi::Function> found = findInImports(imports, function.name);
  if (!found.has_value() && function.name.starts_with("vm.builtin.")) {
    // Before the registry: in a process that holds another runtime these names may be that runtime's.
    if (const Builtin* builtin = findBuiltin(function.name)) {
      pool.builtins[index] = builtin->call;
      found = ffi::Function::FromPacked(builtin->call);
    }
  }
  if (!found.has_value()) {
    found = ffi::Function::GetGlobal(function.name);
  }
  if (!found.has_value()) {
    return false;
  }
  pool.values[index] = *found;
  pool.code[index] = pool.values[index].as<ffi::FunctionObj>();
  return true;
}

}  // namespace

base::Result<FunctionPool> resolveFunctions(const ExecutableData& data, const ffi::Array<ffi::Any>& imports,
                                            const ffi::ObjectRef& machine,
                                            const std::vector<std::string>& standIns) {
  FunctionPool pool;
  pool.values.resize(data.functions.size());
  pool.builtins.resize(data.functions.size(), nullptr);
  pool.code.resize(data.functions.size(), nullptr);
  pool.compiled.resize(data.functions.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < data.functions.size(); ++i) {
    const FunctionEntry& function = data.functions[i];
    if (function.kind == FunctionKind::Packed) {
      if (!resolvePacked(function, imports, i, pool)) {
        missing.push_back(i);
      }
      continue;
    }
    if (function.kind == FunctionKind::VmTir) {
      auto code = findInImports(imports, std::string(kCompiledPrefix) + function.name);
      if (!code.has_value()) {
        missing.push_back(i);
        continue;
      }
      pool.compiled[i] = *code;
      pool.code[i] = pool.compiled[i].as<ffi::FunctionObj>();
    }
    auto closure = ffi::make_object<ClosureObj>();
    closure->name = function.name;
    closure->function = static_cast<std::uint32_t>(i);
    closure->machine = machine;
    pool.values[i] = Closure(std::move(closure));
  }
  if (!missing.empty()) {
    return missingFunctions(data, missing, standIns);
  }
  return pool;
}

}  // namespace opscope::vm
