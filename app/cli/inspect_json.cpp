// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/inspect_output.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string_view kindName(vm::ParameterKind kind) {
  switch (kind) {
    case vm::ParameterKind::Tensor:
      return "tensor";
    case vm::ParameterKind::Shape:
      return "shape";
    case vm::ParameterKind::Scalar:
      return "scalar";
    case vm::ParameterKind::String:
      return "string";
    case vm::ParameterKind::Tuple:
      return "tuple";
    case vm::ParameterKind::Opaque:
      break;
  }
  return "opaque";
}

/// "float32", as describeParameter's text begins; the engine's own function for names is not in reach here.
std::string typeName(vm::DataType type) {
  vm::Parameter scalar;
  scalar.kind = vm::ParameterKind::Scalar;
  scalar.typeKnown = true;
  scalar.type = type;
  const std::string text = vm::describeParameter(scalar);
  return text.substr(text.rfind(' ') + 1);
}

Json parameterJson(const vm::Parameter& parameter) {
  Json object;
  object["name"] = parameter.name;
  object["kind"] = kindName(parameter.kind);
  object["text"] = vm::describeParameter(parameter);
  if (parameter.typeKnown) {
    object["dtype"] = typeName(parameter.type);
  }
  if (parameter.rankKnown) {
    Json dimensions = Json::array();
    for (const vm::Dimension& dimension : parameter.dimensions) {
      dimensions.push_back(dimension.isFree() ? Json(dimension.name) : Json(dimension.value));
    }
    object["shape"] = std::move(dimensions);
  }
  if (parameter.kind == vm::ParameterKind::Tuple) {
    Json members = Json::array();
    for (const vm::Parameter& member : parameter.members) {
      members.push_back(parameterJson(member));
    }
    object["members"] = std::move(members);
  }
  return object;
}

Json functionJson(const session::FunctionInfo& function) {
  Json object;
  object["name"] = function.name;
  object["mode"] = function.mode;
  object["private"] = function.isPrivate;
  Json parameters = Json::array();
  for (const vm::Parameter& parameter : function.signature.parameters) {
    parameters.push_back(parameterJson(parameter));
  }
  object["parameters"] = std::move(parameters);
  if (function.signature.resultKnown) {
    object["result"] = parameterJson(function.signature.result);
  }
  object["free_dimensions"] = function.signature.freeDimensions;
  object["instructions"] = function.instructions;
  object["kernel_calls"] = function.kernelCalls;
  object["builtin_calls"] = function.builtinCalls;
  return object;
}

}  // namespace

std::string inspectJson(const session::ExecutableInfo& info, bool withBytecode) {
  Json object;
  object["schema"] = "opscope.inspect/1";
  object["path"] = info.path;
  object["hash"] = info.hash;
  object["size"] = info.fileBytes;
  object["architecture"] = info.architecture;
  object["runs_here"] = info.runsHere;
  object["tvm_version"] = info.tvmVersion;
  object["format_version"] = info.formatVersion;
  object["modules"] = info.importedModules;
  object["functions"] = Json::array();
  for (const session::FunctionInfo& function : info.functions) {
    object["functions"].push_back(functionJson(function));
  }
  object["kernels"] = Json::array();
  for (const session::KernelEntry& kernel : info.kernels) {
    object["kernels"].push_back(
        {{"name", kernel.name}, {"signature", kernel.signature}, {"call_sites", kernel.callSites}});
  }
  object["builtins"] = info.builtins;
  object["constants"] = {
      {"count", info.constantCount}, {"bytes", info.constantBytes}, {"values", info.constants}};
  if (withBytecode) {
    object["bytecode"] = info.instructions;
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opscope::cli
