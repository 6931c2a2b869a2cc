// SPDX-License-Identifier: Apache-2.0
// Parameters of models, loaded from a folder and shared by name among all machines of the process.
#include <fmt/format.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/string.h>

#include <array>
#include <string>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/host_tensor.h"
#include "engine/vm/tensor_cache/tensor_cache_file.h"
#include "engine/vm/tensor_cache/tensor_pool.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr const char* kPoolName = "opscope.tensor_pool";

/// The process's pool; the first caller puts it into the registry.
TensorPool pool() {
  auto found = ffi::Function::GetGlobal(kPoolName);
  if (!found.has_value()) {
    const TensorPool made(ffi::make_object<TensorPoolObj>());
    try {
      ffi::Function::SetGlobal(kPoolName, ffi::Function::FromTyped([made] { return made; }));
    } catch (const ffi::Error&) {
      // another thread was first
    }
    found = ffi::Function::GetGlobal(kPoolName);
  }
  return (*found)().cast<TensorPool>();
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// A module whose get_params() returns parameters; remote clients reach them through it.
class ParameterModuleObj final : public ffi::ModuleObj {
 public:
  explicit ParameterModuleObj(ffi::Array<ffi::Tensor> parameters) : m_parameters(std::move(parameters)) {}
  const char* kind() const final { return "param_module"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    if (name != "get_params") {
      return std::nullopt;
    }
    return ffi::Function::FromTyped([parameters = m_parameters] { return parameters; });
  }

 private:
  ffi::Array<ffi::Tensor> m_parameters;
};

#pragma GCC diagnostic pop

ffi::Module moduleOf(ffi::Array<ffi::Tensor> parameters) {
  return ffi::Module(ffi::make_object<ParameterModuleObj>(std::move(parameters)));
}

// (folder, device type, device)
void load(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.tensor_cache.load", packed);
  arguments.requireCount(3, 3);
  if (arguments.integer(1) != kDLCPU) {
    arguments.failValue(
        fmt::format("device type {} is not available, only the CPU (1) is", arguments.integer(1)));
  }
  const auto fail = [&](const base::Error& error) {
    arguments.failValue(error.message + (error.detail.empty() ? "" : ": " + error.detail));
  };
  const std::string folder = arguments.text(0);
  const auto shards = readTensorCache(folder);
  if (!shards) {
    fail(shards.error());
  }
  const TensorPool tensors = pool();
  for (const CacheShard& shard : *shards) {
    const auto loaded = loadShard(folder, shard);
    if (!loaded) {
      fail(loaded.error());
    }
    for (const NamedTensor& parameter : *loaded) {
      tensors->set(parameter.name, parameter.tensor);
    }
  }
}

// (name) -> tensor or none
void get(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.tensor_cache.get", packed);
  arguments.requireCount(1, 1);
  if (auto found = pool()->find(arguments.text(0))) {
    *result = *found;
  }
}

// (name, tensor, [whether to replace one of that name])
void update(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.tensor_cache.update", packed);
  arguments.requireCount(2, 3);
  const std::string name = arguments.text(0);
  const bool isBorrowed = arguments.at(1).type_index() == kTVMFFIDLTensorPtr;
  const ffi::Tensor tensor =
      isBorrowed ? copyHostTensor(arguments.name(), arguments.tensor(1)) : arguments.ownedTensor(1);
  if (arguments.size() == 3 && arguments.integer(2) != 0) {
    pool()->set(name, tensor);
  } else if (!pool()->add(name, tensor)) {
    arguments.failValue(fmt::format("there is a tensor \"{}\" already", name));
  }
}

// (name)
void remove(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.tensor_cache.remove", packed);
  arguments.requireCount(1, 1);
  pool()->remove(arguments.text(0));
}

// ()
void clear(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.tensor_cache.clear", packed);
  arguments.requireCount(0, 0);
  pool()->clear();
}

ffi::Tensor parameter(const Arguments& arguments, const std::string& name) {
  auto found = pool()->find(name);
  if (!found.has_value()) {
    arguments.failValue(
        fmt::format("there is no parameter \"{}\"; vm.builtin.tensor_cache.load loads them", name));
  }
  return *found;
}

/// Parameters prefix_0, prefix_1, ...: `count` of them, or for -1 as many as there are.
ffi::Array<ffi::Tensor> numbered(const Arguments& arguments) {
  arguments.requireCount(2, 2);
  const std::string prefix = arguments.text(0);
  const std::int64_t count = arguments.integer(1);
  if (count < -1) {
    arguments.failValue(fmt::format("the number of parameters should be -1 (all) or more, got {}", count));
  }
  ffi::Array<ffi::Tensor> parameters;
  for (std::int64_t i = 0; count == -1 || i < count; ++i) {
    const std::string name = fmt::format("{}_{}", prefix, i);
    if (count == -1 && !pool()->find(name).has_value()) {
      break;
    }
    parameters.push_back(parameter(arguments, name));
  }
  return parameters;
}

ffi::Array<ffi::Tensor> named(const Arguments& arguments) {
  arguments.requireCount(1, 1);
  ffi::Array<ffi::Tensor> parameters;
  for (const ffi::Any& name : arguments.tuple(0)) {
    const auto text = name.try_cast<ffi::String>();
    if (!text.has_value()) {
      arguments.failType(0, "a tuple of names");
    }
    parameters.push_back(parameter(arguments, *text));
  }
  return parameters;
}

// (prefix, count or -1) -> tuple
void arrayFromCache(ffi::PackedArgs packed, ffi::Any* result) {
  *result = numbered(Arguments("vm.builtin.param_array_from_cache", packed));
}

// (names) -> tuple
void arrayFromCacheByName(ffi::PackedArgs packed, ffi::Any* result) {
  *result = named(Arguments("vm.builtin.param_array_from_cache_by_name", packed));
}

// (name, name, ...) -> tuple
void arrayFromCacheByNameUnpacked(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.param_array_from_cache_by_name_unpacked", packed);
  ffi::Array<ffi::Tensor> parameters;
  for (std::int32_t i = 0; i < arguments.size(); ++i) {
    parameters.push_back(parameter(arguments, arguments.text(i)));
  }
  *result = parameters;
}

// (prefix, count or -1) -> module with get_params
void moduleFromCache(ffi::PackedArgs packed, ffi::Any* result) {
  *result = moduleOf(numbered(Arguments("vm.builtin.param_module_from_cache", packed)));
}

// (names) -> module with get_params
void moduleFromCacheByName(ffi::PackedArgs packed, ffi::Any* result) {
  *result = moduleOf(named(Arguments("vm.builtin.param_module_from_cache_by_name", packed)));
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.tensor_cache.load", load},
    Builtin{"vm.builtin.tensor_cache.get", get},
    Builtin{"vm.builtin.tensor_cache.update", update},
    Builtin{"vm.builtin.tensor_cache.remove", remove},
    Builtin{"vm.builtin.tensor_cache.clear", clear},
    // names that these had before TVM 0.21
    Builtin{"vm.builtin.ndarray_cache.load", load},
    Builtin{"vm.builtin.ndarray_cache.get", get},
    Builtin{"vm.builtin.ndarray_cache.update", update},
    Builtin{"vm.builtin.ndarray_cache.remove", remove},
    Builtin{"vm.builtin.ndarray_cache.clear", clear},
    Builtin{"vm.builtin.param_array_from_cache", arrayFromCache},
    Builtin{"vm.builtin.param_array_from_cache_by_name", arrayFromCacheByName},
    Builtin{"vm.builtin.param_array_from_cache_by_name_unpacked", arrayFromCacheByNameUnpacked},
    Builtin{"vm.builtin.param_module_from_cache", moduleFromCache},
    Builtin{"vm.builtin.param_module_from_cache_by_name", moduleFromCacheByName},
};

}  // namespace

std::span<const Builtin> tensorCacheBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
