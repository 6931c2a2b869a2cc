// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/remote_recorder.h"

#include <fmt/format.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <limits>
#include <memory>
#include <new>

#include "engine/profile/collectors.h"
#include "engine/profile/shape_table.h"
#include "engine/profile/staged_profile.h"
#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/storage.h"
#include "engine/runtime/thread_pool.h"
#include "engine/vm/machine.h"
#include "engine/vm/machine_functions.h"
#include "engine/vm/machine_module.h"

namespace opscope::profile {

namespace ffi = tvm::ffi;

namespace {

[[noreturn]] void raise(const char* kind, std::string message) {
  throw ffi::Error(kind, std::move(message), "");
}

void raiseFailure(const base::Result<>& result) {
  if (!result) {
    vm::raiseError(result.error());
  }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi

class RecorderModuleObj final : public ffi::ModuleObj {
 public:
  RecorderModuleObj(ffi::Module machine, const RemoteSettings& settings) : m_lease(std::move(machine)) {
    m_file.data = m_lease.executable();
    m_file.tvmVersion = settings.tvmVersion;
    for (const std::string& kernel : settings.kernels) {
      m_file.kernels.emplace_back().name = kernel;
    }
    fillSettings(settings);
    m_profile.emplace(m_lease.machine(), m_file, m_settings);
    const runtime::RunContextScope scope(m_lease.machine().context());
    raiseFailure(m_profile->begin());
  }

  const char* kind() const final { return "opscope.Recorder"; }

  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) override {
    struct Entry {
      const char* name;
      void (RecorderModuleObj::*method)(ffi::PackedArgs, ffi::Any*);
    };
    constexpr Entry kEntries[] = {{"repeat_begin", &RecorderModuleObj::repeatBegin},
                                  {"step", &RecorderModuleObj::step},
                                  {"repeat_end", &RecorderModuleObj::repeatEnd},
                                  {"snapshot", &RecorderModuleObj::snapshot},
                                  {"since", &RecorderModuleObj::since},
                                  {"end", &RecorderModuleObj::end}};
    for (const Entry& entry : kEntries) {
      if (name == entry.name) {
        return ffi::Function::FromPacked(
            [self = ffi::GetObjectPtr<RecorderModuleObj>(this), method = entry.method](
                ffi::PackedArgs arguments, ffi::Any* result) { (self.get()->*method)(arguments, result); });
      }
    }
    return std::nullopt;
  }

 private:
  enum class State { Between, InRepeat, Failed, Ended };

  void fillSettings(const RemoteSettings& settings) {
    vm::Machine& machine = m_lease.machine();
    runtime::RunContext& context = machine.context();
    const DLDevice device = machine.devices().front();
    m_settings.warmup = settings.warmup;
    m_settings.repeats = settings.repeats;
    m_settings.steps = settings.steps;
    m_settings.devices = {deviceText(device.device_type, device.device_id)};
    m_settings.threads = context.threadPool().threadCount();
    m_settings.runtime = context.options();
    m_settings.overhead = settings.overhead;
    m_settings.recordMemory = settings.recordMemory;
    m_settings.recordLanes = settings.recordLanes;
    m_settings.device = device;
    m_settings.context = &context;
    for (const std::string& text : settings.collectors) {
      auto collector = makeCollector(text);
      if (!collector) {
        vm::raiseError(collector.error());
      }
      m_collectors.push_back(*std::move(collector));
      m_settings.collectors.push_back(m_collectors.back().get());
    }
  }

  void require(State state, const char* function, const char* where) const {
    if (m_state != state) {
      raise("RuntimeError", fmt::format("{} of a recorder is called {}", function, where));
    }
  }

  void repeatBegin(ffi::PackedArgs /*arguments*/, ffi::Any* result) {
    require(State::Between, "repeat_begin", "once before each repeat, and not after a failure or end");
    auto kind = m_profile->beginRepeat();
    if (!kind) {
      m_state = State::Failed;
      vm::raiseError(kind.error());
    }
    std::int64_t code = 0;
    if (*kind) {
      m_state = State::InRepeat;
      code = **kind == RepeatKind::WarmUp ? 1 : **kind == RepeatKind::Recorded ? 2 : 3;
    }
    *result = code;
  }

  void step(ffi::PackedArgs arguments, ffi::Any* result) {
    require(State::InRepeat, "step", "between repeat_begin and repeat_end");
    const auto number = arguments.size() > 1 ? arguments[0].try_cast<std::int64_t>() : std::nullopt;
    const auto function = arguments.size() > 1 ? arguments[1].as<ffi::Function>() : std::nullopt;
    if (!number.has_value() || !function.has_value()) {
      raise("TypeError", "step of a recorder takes a number, a function and its arguments");
    }
    if (*number < 0 || static_cast<std::size_t>(*number) >= m_settings.steps.size()) {
      raise("ValueError", fmt::format("step {} of a recorder of {} steps", *number, m_settings.steps.size()));
    }
    const runtime::RunContextScope scope(m_lease.machine().context());
    StepMarks& marks = m_profile->marks();
    marks.beginStep(static_cast<std::uint32_t>(*number));
    try {
      function->CallPacked(arguments.Slice(2), result);
    } catch (const std::bad_alloc&) {
      raise("MemoryError", "there is no memory for more records");
    }
    marks.endStep();
  }

  void repeatEnd(ffi::PackedArgs arguments, ffi::Any* /*result*/) {
    require(State::InRepeat, "repeat_end", "after repeat_begin");
    const bool complete = arguments.size() == 0 || arguments[0].cast<bool>();
    const auto ended = m_profile->endRepeat(complete ? base::Result<>()
                                                     : base::Error{base::ErrorCode::Cancelled, {}, {}, {}});
    m_state = ended ? State::Between : State::Failed;
  }

  void end(ffi::PackedArgs arguments, ffi::Any* result) {
    if (m_state == State::Ended) {
      raise("RuntimeError", "the recorder has ended");
    }
    const std::string reason = arguments.size() > 0 ? arguments[0].cast<std::string>() : std::string();
    if (m_state == State::InRepeat) {
      (void)m_profile->endRepeat(base::Error{base::ErrorCode::Cancelled, {}, {}, {}});
    }
    m_state = State::Ended;
    std::optional<base::Error> error;
    if (!reason.empty()) {
      error = reason == "stopped" ? base::Error{base::ErrorCode::Cancelled, "Stopped.", {}, {}}
                                  : base::Error{base::ErrorCode::KernelFailed, reason, {}, {}};
    }
    Measurement measured = m_profile->finish(std::move(error));
    m_profile.reset();
    giveRun(std::move(measured.run), result);
  }

  void snapshot(ffi::PackedArgs /*arguments*/, ffi::Any* result) {
    require(State::Between, "snapshot", "between repeats, and not after a failure or end");
    giveRun(m_profile->snapshot(), result);
  }

  void since(ffi::PackedArgs arguments, ffi::Any* result) {
    require(State::Between, "since", "between repeats, and not after a failure or end");
    const auto first = arguments.size() == 1 ? arguments[0].try_cast<std::int64_t>() : std::nullopt;
    if (!first.has_value() || *first < 0 || *first > std::numeric_limits<std::uint32_t>::max()) {
      raise("TypeError", "since of a recorder takes the number of a repeat");
    }
    giveRun(m_profile->since(static_cast<std::uint32_t>(*first)), result);
  }

  static void giveRun(std::optional<report::Run> measured, ffi::Any* result) {
    if (measured) {
      const auto run = std::make_shared<const report::Run>(*std::move(measured));
      *result = ffi::Bytes(report::toSamplesJson(report::makeDocument(run)));
    }
  }

  vm::MachineLease m_lease;
  vm::ExecutableFile m_file;
  ProfileSettings m_settings;
  std::vector<std::unique_ptr<MetricCollector>> m_collectors;
  std::optional<StagedProfile> m_profile;
  State m_state = State::Between;
};

#pragma GCC diagnostic pop

}  // namespace

void registerRemoteRecorder() {
  auto begin = [](const ffi::Module& machine, const ffi::String& text) {
    const auto settings = remoteSettingsFromJson({text.data(), text.size()});
    if (!settings) {
      vm::raiseError(settings.error());
    }
    return ffi::Module(ffi::make_object<RecorderModuleObj>(machine, *settings));
  };
  auto makeTensor = [](const ffi::Shape& shape, DLDataType type, DLDevice device, ffi::Any /*scope*/) {
    runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);  // tensors outlive it
    return runtime::emptyTensor(allocator, shape, type, device);
  };
  ffi::Function::SetGlobal(kMakeTensor, ffi::Function::FromTyped(makeTensor, kMakeTensor), /*override=*/true);
  ffi::Function::SetGlobal(kRecordBegin, ffi::Function::FromTyped(begin, kRecordBegin), /*override=*/true);
}

}  // namespace opscope::profile
