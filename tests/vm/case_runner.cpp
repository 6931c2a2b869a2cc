// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/case_runner.h"

#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/arrays/npz.h"
#include "engine/base/atomic_file.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/storage.h"
#include "engine/vm/executable_file.h"
#include "engine/vm/host_tensor.h"
#include "engine/vm/value_text.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;

namespace {

/// Keeps an array's memory as long as the tensor lives.
struct ArrayOwner {
  std::shared_ptr<const arrays::Bytes> bytes;
  void AllocData(DLTensor* tensor) { tensor->data = const_cast<std::byte*>(bytes->data()); }
  void FreeData(DLTensor*) {}
};

/// The arrays of a case: its own file, then the weights that several cases share.
class CaseArrays {
 public:
  explicit CaseArrays(const std::string& name) {
    const std::filesystem::path path = fixturePath(name);
    addFile(std::filesystem::path(path).replace_extension(".npz"));
    addFile(path.parent_path().parent_path() / "mlp_inputs.npz");
  }
  const arrays::NpzReader* readerOf(const std::string& key) const {
    for (const arrays::NpzReader& file : m_files) {
      if (file.has(key)) {
        return &file;
      }
    }
    return nullptr;
  }
  arrays::Array read(const std::string& key) const {
    const arrays::NpzReader* reader = readerOf(key);
    if (reader == nullptr) {
      throw std::runtime_error("no array " + key);
    }
    auto array = reader->read(key);
    if (!array) {
      throw std::runtime_error(array.error().message);
    }
    return *std::move(array);
  }

 private:
  void addFile(const std::filesystem::path& path) {
    if (auto reader = arrays::NpzReader::open(path)) {
      m_files.push_back(*std::move(reader));
    }
  }
  std::vector<arrays::NpzReader> m_files;
};

nlohmann::json scenarioOf(const std::string& name) {
  const auto path = std::filesystem::path(fixturePath(name)).replace_extension(".scenario.json");
  return nlohmann::json::parse(base::readFile(path).value());
}

ffi::Any earlierResult(const nlohmann::json& spec, const std::vector<ffi::Any>& results) {
  const ffi::Any& result = results.at(spec["ret"].get<std::size_t>());
  if (!spec.contains("reshape")) {
    return result;
  }
  const auto shape = spec["reshape"].get<std::vector<std::int64_t>>();
  return viewWithShape("reshape", result.cast<ffi::Tensor>(), {shape.data(), shape.size()});
}

ffi::Any argumentOf(const nlohmann::json& spec, const CaseArrays& arrays,
                    const std::vector<ffi::Any>& results) {
  if (spec.contains("ret")) {
    return earlierResult(spec, results);
  }
  if (spec.contains("int")) {
    return spec["int"].get<std::int64_t>();
  }
  if (spec.contains("npz")) {
    return tensorOf(arrays.read(spec["npz"].get<std::string>()));
  }
  if (spec.contains("shape")) {
    return ffi::Shape(spec["shape"].get<std::vector<std::int64_t>>());
  }
  std::vector<ffi::Any> items;
  for (const std::string& key : spec.at("tuple").get<std::vector<std::string>>()) {
    items.emplace_back(tensorOf(arrays.read(key)));
  }
  return ffi::Array<ffi::Any>(items.begin(), items.end());
}

std::vector<ffi::Any> argumentsOf(const nlohmann::json& step, const CaseArrays& arrays,
                                  const std::vector<ffi::Any>& results = {}) {
  std::vector<ffi::Any> arguments;
  for (const nlohmann::json& spec : step.at("args")) {
    arguments.push_back(argumentOf(spec, arrays, results));
  }
  return arguments;
}

/// A step calls a function of the executable or a global one.
base::Result<ffi::Any> runStep(VirtualMachine& machine, const nlohmann::json& step,
                               const std::vector<ffi::Any>& arguments) {
  if (step.contains("func")) {
    return machine.invoke(step["func"].get<std::string>(), arguments);
  }
  return runtime::guarded(base::ErrorCode::KernelFailed, "a global function", [&] {
    const std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
    ffi::Any result;
    ffi::Function::GetGlobalRequired(step.at("global").get<std::string>())
        .CallPacked(views.data(), static_cast<std::int32_t>(views.size()), &result);
    return result;
  });
}

std::string compareTensor(const ffi::Tensor& found, const arrays::Array& expected, const std::string& key) {
  const arrays::ElementType type{static_cast<arrays::TypeCode>(found.dtype().code), found.dtype().bits,
                                 found.dtype().lanes};
  const std::vector<std::int64_t> shape(found.shape().begin(), found.shape().end());
  if (!(type == expected.type()) || shape != expected.shape()) {
    return key + ": " + describeValue(found) + " instead of " + arrays::describeArray(expected);
  }
  const auto* bytes = static_cast<const std::byte*>(found.data_ptr());
  for (std::size_t i = 0; i < expected.byteSize(); ++i) {
    if (bytes[i] != expected.data()[i]) {
      return key + ": differs at byte " + std::to_string(i);
    }
  }
  return {};
}

std::string compareValue(const ffi::Any& found, const CaseArrays& arrays, const std::string& key) {
  if (auto tensor = found.as<ffi::Tensor>()) {
    return compareTensor(*tensor, arrays.read(key), key);
  }
  auto tuple = found.as<ffi::Array<ffi::Any>>();
  if (!tuple.has_value()) {
    return key + ": unexpected " + describeValue(found);
  }
  for (std::size_t i = 0; i < tuple->size(); ++i) {
    const std::string difference =
        compareValue((*tuple)[static_cast<std::int64_t>(i)], arrays, key + "/" + std::to_string(i));
    if (!difference.empty()) {
      return difference;
    }
  }
  return {};
}

template <class T>
ffi::Tensor tensorWith(std::vector<std::int64_t> shape, const std::vector<T>& values, DLDataType dtype) {
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  ffi::Tensor tensor =
      runtime::emptyTensor(allocator, {shape.data(), shape.size()}, dtype, DLDevice{kDLCPU, 0});
  if (!values.empty()) {  // an empty vector may have no address to copy from
    std::memcpy(tensor.data_ptr(), values.data(), values.size() * sizeof(T));
  }
  return tensor;
}

}  // namespace

base::Result<OpenMachine> openPath(const std::filesystem::path& path,
                                   const VirtualMachine::Options& options) {
  OPSCOPE_TRY_ASSIGN(const ExecutableFile file, readExecutableFile(path));
  OpenMachine open;
  runtime::RuntimeOptions runtimeOptions;
  runtimeOptions.threads = 2;
  runtimeOptions.pin = false;
  open.context = std::make_unique<runtime::RunContext>(runtimeOptions);
  OPSCOPE_TRY_ASSIGN(open.machine, VirtualMachine::create(file, options, *open.context));
  return open;
}

base::Result<OpenMachine> openFixture(const std::string& name, const VirtualMachine::Options& options) {
  return openPath(fixturePath(name), options);
}

ffi::Tensor tensorOf(const arrays::Array& array) {
  const DLDataType dtype{static_cast<std::uint8_t>(array.type().code), array.type().bits, array.type().lanes};
  return ffi::Tensor::FromNDAlloc(ArrayOwner{array.bytes()},
                                  ffi::ShapeView(array.shape().data(), array.shape().size()), dtype,
                                  DLDevice{kDLCPU, 0});
}

ffi::Tensor floatTensor(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return tensorWith(std::move(shape), values, DLDataType{kDLFloat, 32, 1});
}

ffi::Tensor intTensor(std::vector<std::int64_t> shape, const std::vector<std::int32_t>& values) {
  return tensorWith(std::move(shape), values, DLDataType{kDLInt, 32, 1});
}

std::vector<float> floatsOf(const ffi::Any& value) {
  const auto tensor = value.cast<ffi::Tensor>();
  const auto* first = static_cast<const float*>(tensor.data_ptr());
  return {first, first + tensor.numel()};
}

std::vector<ffi::Any> scenarioArguments(const std::string& name) {
  const nlohmann::json scenario = scenarioOf(name);
  return argumentsOf(scenario.at("steps").at(0), CaseArrays(name));
}

std::string scenarioFunction(const std::string& name) {
  return scenarioOf(name).at("steps").at(0).at("func").get<std::string>();
}

void setScenarioInput(const ffi::Module& machine, const std::string& name) {
  const std::string function = scenarioFunction(name);
  const std::vector<ffi::Any> arguments = scenarioArguments(name);
  std::vector<ffi::AnyView> inputs{ffi::AnyView(function)};
  inputs.insert(inputs.end(), arguments.begin(), arguments.end());
  ffi::Any ignored;
  machine->GetFunction("set_input")
      .value()
      .CallPacked(inputs.data(), static_cast<std::int32_t>(inputs.size()), &ignored);
}

std::string runAndCompare(VirtualMachine& machine, const std::string& name) {
  const CaseArrays arrays(name);
  const nlohmann::json scenario = scenarioOf(name);
  if (scenario.at("steps").empty()) {
    return "the scenario has no steps";
  }
  std::vector<ffi::Any> results;
  for (const nlohmann::json& step : scenario.at("steps")) {
    auto result = runStep(machine, step, argumentsOf(step, arrays, results));
    if (!result) {
      return base::formatError(result.error());
    }
    ffi::Any value = *result;
    if (step.contains("only")) {
      value = value.cast<ffi::Array<ffi::Any>>()[step["only"].get<std::int64_t>()];
    }
    if (step.contains("out")) {
      const std::string difference = compareValue(value, arrays, step["out"].get<std::string>());
      if (!difference.empty()) {
        return difference;
      }
    }
    results.push_back(std::move(value));
  }
  return {};
}

}  // namespace opscope::vm::test
