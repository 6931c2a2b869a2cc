// SPDX-License-Identifier: Apache-2.0
// What it costs to see the calls of a chain of 300 small kernels, in bytecode and in each way of compiled
// mode: minima of rounds that take turns, printed. Arguments: the chain in bytecode, the chain compiled.
#include <tvm/ffi/container/tensor.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/profile/compiled_calls.h"
#include "engine/profile/recorder.h"
#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/storage.h"
#include "engine/vm/builtins.h"
#include "engine/vm/virtual_machine.h"

namespace {

using namespace opscope;

constexpr int kRounds = 300;
constexpr double kKernels = 300;

struct Way {
  const char* name;
  bool compiled;
  bool recording;
  profile::CompiledCalls::Options options;
  double leastUs = std::numeric_limits<double>::infinity();
};

std::vector<Way> ways() {
  profile::CompiledCalls::Options callSites;
  callSites.limits.slots = false;
  profile::CompiledCalls::Options gaps = callSites;
  gaps.limits.callSites = false;
  return {{"bytecode, off", false, false, {}},
          {"bytecode, recorded", false, true, {}},
          {"compiled, off", true, false, {}},
          {"compiled, slots", true, true, {}},
          {"compiled, call sites", true, true, callSites},
          {"compiled, gaps", true, true, gaps}};
}

std::unique_ptr<vm::VirtualMachine> open(const char* path, runtime::RunContext& context) {
  auto file = vm::readExecutableFile(path);
  auto machine = file ? vm::VirtualMachine::create(*file, {}, context)
                      : base::Result<std::unique_ptr<vm::VirtualMachine>>(file.error());
  if (!machine) {
    std::fprintf(stderr, "%s\n", machine.error().message.c_str());
    return nullptr;
  }
  return *std::move(machine);
}

/// The least time of a run in a few runs with everything patched that the way patches.
double leastUs(vm::VirtualMachine& machine, const Way& way, const std::vector<tvm::ffi::Any>& arguments) {
  profile::Recorder recorder(machine.executable().instructions.size(), base::tickCounterUsable());
  recorder.reserve(8192);
  std::unique_ptr<profile::CompiledCalls> calls;
  if (way.recording) {
    machine.setObserver(&recorder);
    calls = std::make_unique<profile::CompiledCalls>(machine, recorder, nullptr, way.options);
  }
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    recorder.truncate(0);
    const std::int64_t begin = base::monotonicNs();
    const auto result = machine.invoke("main", arguments);
    const std::int64_t end = base::monotonicNs();
    if (result) {
      least = std::min(least, static_cast<double>(end - begin) / 1e3);
    }
  }
  machine.setObserver(nullptr);
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_compiled_cost BYTECODE.so COMPILED.so\n");
    return 2;
  }
  runtime::registerBackendSymbols();
  vm::registerBuiltins();
  runtime::RunContext context({});
  const auto bytecode = open(argv[1], context);
  const auto compiled = open(argv[2], context);
  if (!bytecode || !compiled) {
    return 1;
  }
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  const tvm::ffi::Shape shape{16};
  const std::vector<tvm::ffi::Any> arguments = {
      runtime::emptyTensor(allocator, shape, {kDLFloat, 32, 1}, {kDLCPU, 0})};
  std::vector<Way> all = ways();
  for (int round = 0; round < kRounds; ++round) {
    for (Way& way : all) {
      way.leastUs = std::min(way.leastUs, leastUs(way.compiled ? *compiled : *bytecode, way, arguments));
    }
  }
  for (const Way& way : all) {
    const double base = all[way.compiled ? 2 : 0].leastUs;
    std::printf("%-22s %7.1f us a run", way.name, way.leastUs);
    if (way.recording) {
      std::printf(", %5.1f ns added to a kernel with its two builtins",
                  (way.leastUs - base) * 1e3 / kKernels);
    }
    std::printf("\n");
  }
  return 0;
}
