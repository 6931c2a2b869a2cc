// SPDX-License-Identifier: Apache-2.0
// TVM's own runtime as a bench target, driven from C++. The library is named by OPSCOPE_TVM_RUNTIME and
// loaded at run time, so nothing of ours links it.
#include <dlfcn.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <cstdlib>
#include <map>
#include <stdexcept>

#include "tests/bench/bench_target.h"

namespace opscope::bench {

namespace {

namespace ffi = tvm::ffi;

/// TVM's number for its pooled allocator (memory_manager.h, AllocatorType).
constexpr int kPooledAllocator = 2;

class TvmTarget : public Target {
 public:
  void load(const std::string& path, int threads) override {
    setenv("TVM_NUM_THREADS", std::to_string(threads).c_str(), 1);
    openRuntime();
    const ffi::Module library = ffi::Module::LoadFromFile(path);
    const auto loader = library->GetFunction("vm_load_executable");
    if (!loader.has_value()) {
      throw std::runtime_error("TVM finds no vm_load_executable in " + path);
    }
    m_machine = (*loader)().cast<ffi::Module>();
    const auto initialise = m_machine->GetFunction("vm_initialization");
    (*initialise)(static_cast<int>(kDLCPU), 0, kPooledAllocator);
  }

  ffi::Any call(const std::string& function, const std::vector<ffi::Any>& arguments) override {
    auto found = m_functions.find(function);
    if (found == m_functions.end()) {
      const auto looked = m_machine->GetFunction(function);
      if (!looked.has_value()) {
        throw std::runtime_error("TVM finds no function " + function);
      }
      found = m_functions.emplace(function, *looked).first;
    }
    m_views.assign(arguments.begin(), arguments.end());
    ffi::Any result;
    found->second.CallPacked(m_views.data(), static_cast<std::int32_t>(m_views.size()), &result);
    return result;
  }

  bool record(bool) override { return false; }
  std::size_t recordedCalls() const override { return 0; }
  void clearRecords() override {}

 private:
  void openRuntime() {
    const char* runtime = std::getenv("OPSCOPE_TVM_RUNTIME");
    if (runtime == nullptr || dlopen(runtime, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      throw std::runtime_error(std::string("cannot load TVM's runtime: ") +
                               (runtime == nullptr ? "OPSCOPE_TVM_RUNTIME is not set" : dlerror()));
    }
    // Sort and random stand in a second library, which is loaded where the wheel has it.
    std::string extra = runtime;
    const auto position = extra.rfind("libtvm_runtime.so");
    if (position != std::string::npos) {
      dlopen(extra.replace(position, std::string::npos, "libtvm_runtime_extra.so").c_str(),
             RTLD_NOW | RTLD_GLOBAL);
    }
  }

  ffi::Module m_machine{ffi::UnsafeInit{}};
  std::map<std::string, ffi::Function> m_functions;
  std::vector<ffi::AnyView> m_views;
};

}  // namespace

std::unique_ptr<Target> makeTarget() {
  return std::make_unique<TvmTarget>();
}

}  // namespace opscope::bench
