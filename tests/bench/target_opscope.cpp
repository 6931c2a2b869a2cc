// SPDX-License-Identifier: Apache-2.0
// Opscope's engine as a bench target.
#include <memory>
#include <stdexcept>

#include "engine/base/clock.h"
#include "engine/profile/recorder.h"
#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/run_context.h"
#include "engine/vm/builtins.h"
#include "engine/vm/virtual_machine.h"
#include "tests/bench/bench_target.h"

namespace opscope::bench {

namespace {

[[noreturn]] void fail(const base::Error& error) {
  throw std::runtime_error(error.message + " " + error.detail);
}

class OpscopeTarget : public Target {
 public:
  void load(const std::string& path, int threads) override {
    runtime::registerBackendSymbols();
    vm::registerBuiltins();
    runtime::RuntimeOptions options;
    options.threads = threads;
    m_context = std::make_unique<runtime::RunContext>(options);
    auto file = vm::readExecutableFile(path);
    if (!file) {
      fail(file.error());
    }
    auto machine = vm::VirtualMachine::create(*file, {}, *m_context);
    if (!machine) {
      fail(machine.error());
    }
    m_machine = std::move(*machine);
  }

  tvm::ffi::Any call(const std::string& function, const std::vector<tvm::ffi::Any>& arguments) override {
    auto result = m_machine->invoke(function, arguments);
    if (!result) {
      fail(result.error());
    }
    return std::move(*result);
  }

  bool record(bool on) override {
    if (m_recorder == nullptr) {
      m_recorder = std::make_unique<profile::Recorder>(m_machine->executable().instructions.size(),
                                                       base::tickCounterUsable());
      m_recorder->reserve(1 << 16);
    }
    m_machine->setObserver(on ? m_recorder.get() : nullptr);
    return true;
  }
  std::size_t recordedCalls() const override {
    return m_recorder == nullptr ? 0 : m_recorder->records().size();
  }
  void clearRecords() override {
    if (m_recorder != nullptr) {
      m_recorder->truncate(0);
    }
  }

 private:
  std::unique_ptr<runtime::RunContext> m_context;
  std::unique_ptr<vm::VirtualMachine> m_machine;
  std::unique_ptr<profile::Recorder> m_recorder;  ///< once recording was wanted
};

}  // namespace

std::unique_ptr<Target> makeTarget() {
  return std::make_unique<OpscopeTarget>();
}

}  // namespace opscope::bench
