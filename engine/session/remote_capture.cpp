// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_capture.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/profile/call_watch.h"
#include "engine/session/captured_calls.h"
#include "engine/session/probe_library.h"
#include "engine/session/probe_records.h"
#include "engine/session/run_device.h"

namespace opscope::session {

namespace {

base::Error unsupported(std::string what, std::string detail, std::string hint) {
  return {base::ErrorCode::Unsupported, std::move(what), std::move(detail), std::move(hint)};
}

class Capturing final : public RemoteDriver {
 public:
  Capturing(const RemoteCapture& capture, CallRecording& recording, ProbeLibrary probe)
      : m_capture(capture),
        m_client(capture.program.board().client()),
        m_recording(recording),
        m_probe(std::move(probe)),
        m_reader(recording) {}

  base::Result<Captured> run() {
    auto captured = runAll();
    stop();
    return captured;
  }

  base::Result<rpc::CallResult> call(std::uint32_t step, rpc::FunctionHandle function,
                                     std::span<const rpc::Value> arguments) override {
    OPSCOPE_TRY(m_capture.checkStop());
    StepDriver driver(m_client, m_step.get());
    OPSCOPE_TRY_ASSIGN(rpc::CallResult result, driver.call(step, function, arguments));
    if (auto fetched = fetch(RemoteCapture::kFetchBytes); !fetched) {
      rpc::discard(m_client, result);
      return std::move(fetched).error();
    }
    return result;
  }

 private:
  static constexpr std::int64_t kRecords = std::int64_t{1} << 18;

  base::Result<Captured> runAll() {
    Captured captured;
    OPSCOPE_TRY_ASSIGN(const auto sequence, RemoteSequence::prepare(m_capture.program, m_capture.sequence));
    OPSCOPE_TRY(start());
    OPSCOPE_TRY(listen(true));
    OPSCOPE_TRY(sequence->runOnce(*this));
    OPSCOPE_TRY(fetch(0));
    OPSCOPE_TRY(m_reader.finish());
    OPSCOPE_TRY(listen(false));
    OPSCOPE_TRY(findPlaces(captured.notes));
    tellOmissions(captured.notes);
    captured.lostCalls = m_held.lostCalls;
    OPSCOPE_TRY_ASSIGN(captured.outputs, sequence->outputs());
    return captured;
  }

  base::Result<> start() {
    OPSCOPE_TRY_ASSIGN(m_step, m_probe.function("step"));
    OPSCOPE_TRY_ASSIGN(m_watch, m_probe.function("watch"));
    OPSCOPE_TRY_ASSIGN(m_state, m_probe.function("capture_state"));
    OPSCOPE_TRY_ASSIGN(m_block, m_probe.function("capture_block"));
    OPSCOPE_TRY_ASSIGN(m_clear, m_probe.function("capture_clear"));
    OPSCOPE_TRY_ASSIGN(m_stop, m_probe.function("stop"));
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction start, m_probe.function("start"));
    OPSCOPE_TRY(start({kRecords}));
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction begin, m_probe.function("capture_start"));
    std::vector<rpc::Value> values = {RemoteCapture::kLimitBytes,
                                      std::int64_t{m_capture.wanted == RemoteCapture::Wanted::All}};
    for (const vm::FunctionEntry& function : m_capture.file.file.data->functions) {
      if (function.kind != vm::FunctionKind::Packed) {
        values.emplace_back(function.name);
      }
    }
    OPSCOPE_TRY(begin(std::span<const rpc::Value>(values)));
    return {};
  }

  base::Result<> listen(bool on) {
    OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle set, m_capture.program.function("set_instrument"));
    OPSCOPE_TRY(m_client.call(set, {on ? rpc::Value(m_watch.get()) : rpc::Value()}));
    m_listens = on;
    return {};
  }

  /// Brings what the board holds, when that is more than `least` bytes.
  base::Result<> fetch(std::uint64_t least) {
    OPSCOPE_TRY_ASSIGN(const rpc::CallResult told, m_state({}));
    OPSCOPE_TRY_ASSIGN(m_held, readCaptureState(told.bytes().value_or(std::string_view())));
    if (m_held.bytes <= least) {
      return {};
    }
    std::uint64_t got = 0;
    for (std::uint32_t i = 0; i < m_held.blocks; ++i) {
      OPSCOPE_TRY(m_capture.checkStop());
      OPSCOPE_TRY_ASSIGN(const rpc::CallResult block, m_block({std::int64_t{i}}));
      const std::string_view bytes = block.bytes().value_or(std::string_view());
      OPSCOPE_TRY(m_reader.feed(bytes));
      got += bytes.size();
    }
    if (got != m_held.bytes) {
      return base::Error{base::ErrorCode::Format, "The probe gives other bytes than it told.",
                         fmt::format("{} of {} came.", got, m_held.bytes), ""};
    }
    OPSCOPE_TRY(m_clear({}));
    return {};
  }

  /// Finds where the calls stand in the executable: the probe hears their names and depths alone.
  base::Result<> findPlaces(std::vector<std::string>& notes) {
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction ask, m_probe.function("report"));
    OPSCOPE_TRY_ASSIGN(const rpc::CallResult reported, ask({}));
    OPSCOPE_TRY_ASSIGN(const ProbeReport report,
                       readProbeReport(reported.bytes().value_or(std::string_view())));
    std::size_t unplaced = m_recording.calls().size();
    if (report.header.dropped == 0 && report.header.droppedMarks == 0) {
      OPSCOPE_TRY_ASSIGN(unplaced, place(report));
    }
    if (unplaced > 0) {
      notes.push_back(fmt::format("of {} of {} calls it is not known which instruction makes them", unplaced,
                                  m_recording.calls().size()));
    }
    return {};
  }

  base::Result<std::size_t> place(const ProbeReport& report) {
    const vm::ExecutableData& data = *m_capture.file.file.data;
    std::vector<std::int64_t> entries;
    for (const CallSequence::Step& step : m_capture.sequence.steps()) {
      entries.push_back(step.isGlobal ? -1 : vm::findFunction(data, step.function));
    }
    ProbeRecords records(data);
    OPSCOPE_TRY(records.addRepeat(report, entries));
    std::size_t unplaced = 0;
    m_recording.fillPlaces([&](CallPlace& call) {
      if (call.sequence < records.records().size()) {
        placeAt(data, records.records().at(call.sequence).instruction, call);
      }
      unplaced += call.isPlaced ? 0 : 1;
    });
    return unplaced;
  }

  static void placeAt(const vm::ExecutableData& data, std::uint32_t instruction, CallPlace& call) {
    if (instruction >= data.instructions.size()) {
      return;
    }
    const vm::Instruction& made = data.instructions[instruction];
    const auto callee = static_cast<std::size_t>(made.function);
    if (made.op != vm::Instruction::Op::Call || callee >= data.functions.size() ||
        data.functions[callee].name != call.name) {
      return;
    }
    call.instruction = instruction;
    call.function = profile::functionAround(data, instruction);
    call.isPlaced = true;
  }

  void tellOmissions(std::vector<std::string>& notes) const {
    const auto tell = [&](base::ProbeOmission why, const std::string& words) {
      if (const std::uint64_t count = m_reader.omitted(why); count > 0) {
        notes.push_back(fmt::format("{} of calls {} not compared: {}",
                                    count == 1 ? "1 output" : fmt::format("{} outputs", count),
                                    count == 1 ? "is" : "are", words));
      }
    };
    tell(base::ProbeOmission::Room,
         fmt::format("the board has room for {} MiB of them in a step", m_held.limit >> 20));
    tell(base::ProbeOmission::Device, "they are not in the memory of the board's CPU");
    tell(base::ProbeOmission::Layout, "elements of less than a byte do not stand in order");
    if (m_held.lostCalls > 0) {
      notes.push_back(
          fmt::format("outputs of {} calls could not be kept on the board at all", m_held.lostCalls));
    }
  }

  /// Nothing stays behind. What fails here is told by what failed before.
  void stop() {
    if (m_client.failure()) {
      return;
    }
    if (m_listens) {
      (void)listen(false);
    }
    if (!m_stop.empty()) {
      (void)m_stop({});
    }
  }

  const RemoteCapture& m_capture;
  rpc::Client& m_client;
  CallRecording& m_recording;
  ProbeLibrary m_probe;
  CaptureReader m_reader;
  base::ProbeCaptureState m_held;
  bool m_listens = false;
  rpc::RemoteFunction m_step;
  rpc::RemoteFunction m_watch;
  rpc::RemoteFunction m_state;
  rpc::RemoteFunction m_block;
  rpc::RemoteFunction m_clear;
  rpc::RemoteFunction m_stop;
};

}  // namespace

base::Result<> checkCapture(const OpenedExecutable& file, const RunSettings& settings) {
  OPSCOPE_TRY_ASSIGN(const DLDevice device, remoteDeviceOf(settings));
  if (device.device_type != kDLCPU) {
    return unsupported("Outputs of calls can be brought from a board's CPU only.",
                       fmt::format("The device is {}.", settings.device),
                       "Compare the results: run both with --outputs.");
  }
  const auto& functions = file.file.data->functions;
  const auto compiled = std::ranges::find(functions, vm::FunctionKind::VmTir, &vm::FunctionEntry::kind);
  if (compiled != functions.end()) {
    return unsupported(
        fmt::format("{} is compiled to machine code: the calls that it makes cannot be seen on a board.",
                    file.info->fileName),
        fmt::format("{} is one of its functions.", compiled->name),
        "Compile it with exec_mode=\"bytecode\", or compare locally.");
  }
  return {};
}

base::Result<> checkCapture(RemoteBoard& board) {
  const rpc::ServerKind kind = board.client().server().kind;
  if (kind == rpc::ServerKind::Tvm021 || kind == rpc::ServerKind::Legacy) {
    return unsupported(
        "Outputs of calls cannot be brought from this board: its TVM is too old for our probe.",
        fmt::format("Its server is {}.", board.serverWords()),
        "Run TVM 0.25 or later there, or opscope-server.");
  }
  return {};
}

base::Result<Captured> captureOnBoard(const RemoteCapture& capture, CallRecording& recording) {
  OPSCOPE_TRY_ASSIGN(ProbeLibrary probe,
                     ProbeLibrary::load(capture.program.board(), capture.file.info->architecture));
  return Capturing(capture, recording, std::move(probe)).run();
}

}  // namespace opscope::session
