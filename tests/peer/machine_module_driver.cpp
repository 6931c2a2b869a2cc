// SPDX-License-Identifier: Apache-2.0
// Calls functions of our machine's module as told by JSON lines on standard input, and answers each with a
// line. machine_module_test.py gives the same lines to TVM's module and compares; it says what they mean.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/storage.h"
#include "engine/vm/builtins.h"
#include "engine/vm/closure.h"
#include "engine/vm/executable_module.h"

namespace opscope {

namespace ffi = tvm::ffi;
using nlohmann::json;

namespace {

ffi::Any tensorOf(const json& spec) {
  static runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  const auto shape = spec.at("shape").get<std::vector<std::int64_t>>();
  const DLDataType dtype = ffi::StringToDLDataType(spec.at("dtype").get<std::string>());
  ffi::Tensor tensor =
      runtime::emptyTensor(allocator, {shape.data(), shape.size()}, dtype, DLDevice{kDLCPU, 0});
  const auto bytes = spec.at("bytes").get<std::vector<std::uint8_t>>();
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

json tensorJson(const ffi::Tensor& tensor) {
  const auto* first = static_cast<const std::uint8_t*>(tensor.data_ptr());
  const std::size_t size = runtime::tensorBytes(tensor.shape(), tensor.dtype());
  return {{"tensor",
           {{"shape", std::vector<std::int64_t>(tensor.shape().begin(), tensor.shape().end())},
            {"dtype", std::string(ffi::DLDataTypeToString(tensor.dtype()))},
            {"bytes", std::vector<std::uint8_t>(first, first + size)}}}};
}

/// A word for the kind of a value, as the hook's log tells it.
std::string wordFor(ffi::AnyView value) {
  switch (value.type_index()) {
    case kTVMFFINone:
      return "none";
    case kTVMFFIInt:
      return "int";
    case kTVMFFIBool:
      return "bool";
    case kTVMFFIFloat:
      return "float";
    case kTVMFFIRawStr:
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return "str";
    case kTVMFFIOpaquePtr:
      return "pointer";
    case kTVMFFITensor:
      return "tensor";
    case kTVMFFIShape:
      return "shape";
    case kTVMFFIArray:
      return "tuple";
    case kTVMFFIFunction:
      return "function";
    default:
      return value.as<vm::ClosureObj>() != nullptr ? "closure" : "object";
  }
}

json toJson(const ffi::Any& value) {
  switch (value.type_index()) {
    case kTVMFFINone:
      return nullptr;
    case kTVMFFIInt:
      return value.cast<std::int64_t>();
    case kTVMFFIBool:
      return value.cast<bool>();
    case kTVMFFIFloat:
      return value.cast<double>();
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return std::string(value.cast<ffi::String>());
    case kTVMFFITensor:
      return tensorJson(value.cast<ffi::Tensor>());
    case kTVMFFIArray: {
      json items = json::array();
      for (const ffi::Any& item : value.cast<ffi::Array<ffi::Any>>()) {
        items.push_back(toJson(item));
      }
      return {{"tuple", items}};
    }
    default:
      return {{"kind", wordFor(value)}};
  }
}

class Driver {
 public:
  json answer(const json& line) {
    m_events = json::array();
    json reply;
    try {
      reply["result"] = perform(line);
    } catch (const ffi::Error& error) {
      reply["error"] = error.kind();
      reply["message"] = error.message();
    }
    reply["events"] = m_events;
    return reply;
  }

 private:
  json perform(const json& line) {
    if (line.contains("names")) {
      json names = json::array();
      for (const ffi::String& name : ffi::Function::ListGlobalNames()) {
        names.push_back(std::string(name));
      }
      return names;
    }
    if (line.contains("open")) {
      const auto load = ffi::Function::GetGlobalRequired(vm::kLoadLibraryFunction);
      m_values["exec"] = load(line["open"].get<std::string>());
      m_values["vm"] = call("exec", "vm_load_executable", {});
      return nullptr;
    }
    std::vector<ffi::Any> arguments;
    for (const json& argument : line.at("args")) {
      arguments.push_back(valueOf(argument));
    }
    const ffi::Any result =
        call(line.at("on").get<std::string>(), line.at("call").get<std::string>(), arguments);
    if (line.contains("store")) {
      m_values[line["store"].get<std::string>()] = result;
    }
    return toJson(result);
  }

  ffi::Any call(const std::string& module, const std::string& name, const std::vector<ffi::Any>& arguments) {
    const auto function = m_values.at(module).cast<ffi::Module>()->GetFunction(name);
    if (!function.has_value()) {
      throw ffi::Error("AttributeError", "no function " + name, "");
    }
    const std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
    ffi::Any result;
    function->CallPacked(views.data(), static_cast<std::int32_t>(views.size()), &result);
    return result;
  }

  ffi::Any valueOf(const json& spec) {
    if (spec.is_boolean()) {
      return spec.get<bool>();
    }
    if (spec.is_number_integer()) {
      return spec.get<std::int64_t>();
    }
    if (spec.is_number()) {
      return spec.get<double>();
    }
    if (spec.is_string()) {
      return ffi::String(spec.get<std::string>());
    }
    if (spec.is_null()) {
      return nullptr;
    }
    if (spec.contains("tensor")) {
      return tensorOf(spec["tensor"]);
    }
    if (spec.contains("shape")) {
      return ffi::Shape(spec["shape"].get<std::vector<std::int64_t>>());
    }
    if (spec.contains("ref")) {
      return m_values.at(spec["ref"].get<std::string>());
    }
    if (spec.contains("function")) {
      return functionOf(spec["function"].get<std::string>());
    }
    if (spec.contains("hook")) {
      return hookOf(spec["hook"]);
    }
    ffi::Array<ffi::Any> items;
    for (const json& item : spec.at("tuple")) {
      items.push_back(valueOf(item));
    }
    return items;
  }

  /// A function of the client for invoke_closure.
  static ffi::Any functionOf(const std::string& name) {
    if (name != "sum") {
      throw std::runtime_error("unknown function " + name);
    }
    return ffi::Function::FromTyped([](std::int64_t a, std::int64_t b) { return a + b; });
  }

  ffi::Any hookOf(const json& spec) {
    return ffi::Function::FromPacked([this, spec](ffi::PackedArgs arguments, ffi::Any* result) {
      const auto name = arguments[1].cast<std::string>();
      const bool before = arguments[2].cast<bool>();
      json words = json::array();
      for (std::int32_t i = 4; i < arguments.size(); ++i) {
        words.push_back(wordFor(arguments[i]));
      }
      m_events.push_back({wordFor(arguments[0]), name, before, wordFor(arguments[3]), words});
      if (spec.value("raise", "") == name && spec.value("before", true) == before) {
        throw ffi::Error("IndexError", "the hook raises", "");
      }
      if (spec.value("skip", "") == name) {
        *result = valueOf(spec.at("give"));
      }
    });
  }

  std::map<std::string, ffi::Any> m_values;
  json m_events = json::array();
};

}  // namespace

}  // namespace opscope

int main() {
  opscope::runtime::registerBackendSymbols();
  opscope::vm::registerBuiltins();
  opscope::Driver driver;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << driver.answer(nlohmann::json::parse(line)).dump() << std::endl;
  }
  return 0;
}
