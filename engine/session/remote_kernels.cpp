// SPDX-License-Identifier: Apache-2.0
// A profile where nothing can look at the board's machine: each kernel on its own, by the server's time
// evaluator over vm.builtin.call_tir_dyn, which every server of TVM has.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/clock.h"
#include "engine/base/near_match.h"
#include "engine/profile/run_facts.h"
#include "engine/profile/shape_string.h"
#include "engine/profile/shape_table.h"
#include "engine/session/kernel_calls.h"
#include "engine/session/remote_profile.h"
#include "engine/session/remote_timing.h"
#include "engine/session/remote_traffic.h"

namespace opscope::session {

namespace {

class KernelTimes {
 public:
  KernelTimes(const RemoteProfile& profile, RemoteProgram& program)
      : m_profile(profile), m_program(program), m_client(program.board().client()) {}

  profile::Measurement record() {
    profile::Measurement measurement;
    m_startedAt = profile::utcNow();
    if (auto done = timeAll(); !done) {
      measurement.error = std::move(done).error();
    }
    if (!m_timed.empty()) {
      measurement.run = makeRun(measurement.error);
    }
    return measurement;
  }

 private:
  struct Timed {
    std::uint32_t step;
    KernelCall call;
    const std::vector<double>* ns;
  };

  base::Result<> timeAll() {
    findCalls();
    if (m_calls.empty()) {
      return base::Error{base::ErrorCode::Unsupported, "The board cannot be profiled.",
                         "Its server takes no probe of ours, and the executable does not tell the shapes of "
                         "its kernels.",
                         "Run opscope-server on the board."};
    }
    const std::int64_t begin = base::monotonicNs();
    enterPhase(m_program.board(), report::TrafficPhase::Repeat);
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
      const auto repeats = static_cast<double>(m_profile.request.repeats);
      m_profile.tell(
          profile::Stage::Measure,
          static_cast<std::uint32_t>(repeats * static_cast<double>(i) / static_cast<double>(m_calls.size())),
          begin);
      OPSCOPE_TRY(m_profile.checkStop());
      OPSCOPE_TRY_ASSIGN(const std::vector<double>* ns, timesOf(m_calls[i].second));
      m_timed.push_back({m_calls[i].first, m_calls[i].second, ns});
    }
    return {};
  }

  void findCalls() {
    const std::vector<CallSequence::Step>& steps = m_profile.sequence.steps();
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      if (steps[i].isGlobal) {
        continue;
      }
      const std::int64_t function = vm::findFunction(*m_profile.file.file.data, steps[i].function);
      const auto info = findFunctionInfo(*m_profile.file.info, steps[i].function);
      const KernelCalls found = findKernelCalls(
          m_profile.file.file, function,
          info ? sizesOf((*info)->signature, steps[i].arguments) : std::map<std::string, std::int64_t>());
      for (const KernelCall& call : found.calls) {
        m_calls.emplace_back(i, call);
      }
      m_unknown.insert(m_unknown.end(), found.unknown.begin(), found.unknown.end());
    }
  }

  static std::string shapesText(const KernelCall& call) {
    std::string text;
    for (const KernelArgument& argument : call.arguments) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ",
                          profile::shapeString(
                              argument.shape, {argument.type.code, argument.type.bits, argument.type.lanes}));
    }
    return text;
  }

  /// The same kernel with the same shapes is timed once.
  base::Result<const std::vector<double>*> timesOf(const KernelCall& call) {
    const auto key = std::pair(call.kernel, shapesText(call));
    if (const auto known = m_times.find(key); known != m_times.end()) {
      return &known->second;
    }
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction kernel,
                       rpc::moduleFunction(m_client, m_program.library(), call.kernel));
    if (kernel.empty()) {
      return base::Error{base::ErrorCode::MissingFunction,
                         fmt::format("The board does not find the kernel {}.", call.kernel), "", ""};
    }
    std::deque<RemoteValue> tensors;
    session::Timed timed{std::nullopt, "vm.builtin.call_tir_dyn", {kernel.get()}, m_program.device()};
    for (const KernelArgument& argument : call.arguments) {
      OPSCOPE_TRY_ASSIGN(RemoteValue tensor, zeros(argument));
      timed.arguments.emplace_back(*tensor.tensor);
      tensors.push_back(std::move(tensor));
    }
    OPSCOPE_TRY_ASSIGN(const RemoteValue none, m_program.values().makeShape({}));
    timed.arguments.push_back(none.argument);
    constexpr std::int64_t kLeastMs = 2;
    profile::TimeSettings settings;
    settings.number = 1;
    settings.repeat = std::max<std::int64_t>(m_profile.request.repeats, 1);
    settings.minRepeatMs = kLeastMs;
    OPSCOPE_TRY_ASSIGN(std::vector<double> ns, evaluateOnBoard(m_client, timed, settings));
    return &m_times.emplace(key, std::move(ns)).first->second;
  }

  /// Zeros: kernels that look something up must find indices that are there.
  base::Result<RemoteValue> zeros(const KernelArgument& argument) {
    const DLDataType type{argument.type.code, argument.type.bits, argument.type.lanes};
    OPSCOPE_TRY_ASSIGN(RemoteValue tensor, m_program.values().makeTensor(argument.shape, type));
    const auto size = rpc::dataBytes(*tensor.tensor);
    const std::vector<std::byte> bytes(size.value_or(0));
    if (!bytes.empty()) {
      OPSCOPE_TRY(m_client.copyTo(*tensor.tensor, bytes));
    }
    return tensor;
  }

  report::Run makeRun(const std::optional<base::Error>& error) const {
    report::Run run = beginRun(m_profile, m_startedAt, error);
    run.warmup = 1;
    run.repeats = m_profile.request.repeats;
    run.hasStartTimes = false;
    const DLDevice device = m_program.device();
    run.devices = {profile::deviceText(device.device_type, device.device_id)};
    std::vector<double> totals(run.repeats, 0);
    for (const Timed& timed : m_timed) {
      addCall(timed, run, totals);
    }
    run.totals = {{run.devices.front(), totals}};
    addWarnings(run);
    finishRun(run);
    return run;
  }

  static void addCall(const Timed& timed, report::Run& run, std::vector<double>& totals) {
    report::Call call;
    call.name = indexIn(run.names, timed.call.kernel);
    call.shapes = indexIn(run.shapes, shapesText(timed.call));
    call.device = 0;
    call.instruction = timed.call.instruction;
    call.depth = timed.call.depth;
    call.step = timed.step;
    call.firstSample = run.ownNs.size();
    call.sampleCount = run.repeats;
    call.inReport = call.kernel = true;
    for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
      run.ownNs.push_back((*timed.ns)[repeat]);
      run.inclusiveNs.push_back((*timed.ns)[repeat]);
      run.sampleRepeat.push_back(repeat);
      totals[repeat] += (*timed.ns)[repeat];
    }
    run.calls.push_back(call);
  }

  void addWarnings(report::Run& run) const {
    run.warnings.push_back(
        {"Totals are sums of kernels, each timed on its own.",
         "Caches are warmer than in a run, loops count once, and what is outside of kernels "
         "is not there."});
    if (!m_unknown.empty()) {
      run.warnings.push_back(
          {fmt::format("{} kernels are missing: the executable does not tell their shapes.",
                       m_unknown.size()),
           fmt::format("These are {}.", base::joinNames(m_unknown))});
    }
  }

  const RemoteProfile& m_profile;
  RemoteProgram& m_program;
  rpc::Client& m_client;
  std::string m_startedAt;
  std::vector<std::pair<std::uint32_t, KernelCall>> m_calls;  // with their steps
  std::vector<std::string> m_unknown;
  std::map<std::pair<std::string, std::string>, std::vector<double>> m_times;
  std::vector<Timed> m_timed;
};

}  // namespace

profile::Measurement recordByKernels(const RemoteProfile& profile, RemoteProgram& program) {
  return KernelTimes(profile, program).record();
}

}  // namespace opscope::session
