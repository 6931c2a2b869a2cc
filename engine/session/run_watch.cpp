// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "engine/session/outputs.h"
#include "engine/vm/executable.h"

namespace opscope::session {

namespace {

NonFiniteValues valuesOf(const profile::NonFiniteTensor& tensor) {
  return {
      tensor.place,    tensor.description,      tensor.elements, tensor.found.nans, tensor.found.infinities,
      tensor.position, tensor.found.firstValue, tensor.origin};
}

FiniteSummary summaryOf(const profile::FiniteFinding& finding) {
  FiniteSummary summary;
  summary.op = finding.name;
  summary.function = finding.function;
  summary.sequence = finding.sequence;
  summary.instruction = finding.instruction;
  summary.output = valuesOf(finding.output);
  for (const profile::NonFiniteTensor& input : finding.inputs) {
    summary.inputs.push_back(valuesOf(input));
  }
  return summary;
}

}  // namespace

RunWatch::RunWatch(const RunRequest& request, CallSequence& sequence)
    : m_dumpFile(request.dumpFile),
      m_sequence(sequence),
      m_dump([this](const std::string& key, const DLTensor& tensor,
                    std::span<const std::byte> bytes) { return write(key, tensor, bytes); },
             request.dumpLimitBytes),
      m_check([this](const DLTensor& tensor) { return m_sequence.argumentAt(tensor.data); }),
      m_checks(request.checkFinite) {}

base::Result<std::unique_ptr<RunWatch>> RunWatch::create(const RunRequest& request, CallSequence& sequence) {
  std::unique_ptr<RunWatch> watch(new RunWatch(request, sequence));
  if (!request.dumpFile.empty()) {
    OPSCOPE_TRY_ASSIGN(watch->m_writer, arrays::NpzStreamWriter::create(request.dumpFile));
  }
  return watch;
}

base::Result<bool> RunWatch::write(const std::string& key, const DLTensor& tensor,
                                   std::span<const std::byte> bytes) {
  const std::string type = vm::dataTypeName({tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes});
  const auto elementType = arrays::elementTypeFromName(type);
  if (!elementType) {
    return false;
  }
  const std::span<const std::int64_t> shape(tensor.shape, static_cast<std::size_t>(tensor.ndim));
  OPSCOPE_TRY(m_writer->add(key, *elementType, shape, bytes));
  return true;
}

base::Result<> RunWatch::run(vm::StatefulMachine& machine) {
  std::vector<profile::CallConsumer*> consumers;
  if (m_writer) {
    consumers.push_back(&m_dump);  // first: the call that the check ends is in the dump
  }
  if (m_checks) {
    consumers.push_back(&m_check);
  }
  const profile::CallWatch watch(machine, std::move(consumers));
  base::Result<> ran = m_sequence.runOnce(machine, nullptr);
  if (!ran && watch.error() && !m_check.finding()) {
    return *watch.error();
  }
  return ran;
}

base::Result<> RunWatch::showCall(const RecordedCall& call, const CallRecording& recording) {
  if (!std::ranges::all_of(call.outputs, &RecordedTensor::isKept)) {
    ++m_unseen;
    return {};
  }
  std::vector<std::vector<std::byte>> elements;
  std::deque<DLTensor> tensors;
  profile::WatchedCall shown{call.place.sequence, call.place.name,        profile::CallKind::Kernel,
                             call.place.function, call.place.instruction, {}};
  for (const RecordedTensor& kept : call.outputs) {
    OPSCOPE_TRY_ASSIGN(elements.emplace_back(), recording.read(kept));
    DLTensor& tensor = tensors.emplace_back();
    tensor.data = elements.back().data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<std::int32_t>(kept.shape.size());
    tensor.dtype = {kept.type.code, kept.type.bits, kept.type.lanes};
    tensor.shape = const_cast<std::int64_t*>(kept.shape.data());
    shown.tensors.push_back({kept.place, &tensor, kept.isOutput, false});
  }
  if (m_writer) {
    OPSCOPE_TRY(m_dump.afterCall(shown));
  }
  return m_checks ? m_check.afterCall(shown) : base::Result<>();
}

base::Result<> RunWatch::show(const CallRecording& recording, std::uint64_t lostCalls,
                              const Outputs& results) {
  m_results = &results;
  m_unseen = lostCalls;
  for (const RecordedCall& call : recording.calls()) {
    OPSCOPE_TRY(showCall(call, recording));
  }
  return {};
}

base::Result<> RunWatch::finishDump(RunFinished& finished, std::string& kept) {
  if (!m_writer) {
    return {};
  }
  const profile::DumpCounts& counts = m_dump.counts();
  OPSCOPE_TRY(m_writer->finish());
  finished.dump = DumpSummary{counts.calls,   counts.tensors,          m_writer->bytesWritten(),
                              counts.leftOut, counts.callsBeyondLimit, m_unseen};
  kept =
      fmt::format("{} holds what was dumped before that: {} tensor{} of {} call{}.", m_dumpFile,
                  counts.tensors, counts.tensors == 1 ? "" : "s", counts.calls, counts.calls == 1 ? "" : "s");
  return {};
}

base::Result<> RunWatch::conclude(base::Result<> ran, RunFinished& finished, std::string& kept) {
  const bool endedByCheck = m_check.finding().has_value();
  std::string dumped;
  base::Result<> written = finishDump(finished, dumped);
  if (!ran && !endedByCheck) {
    kept = written ? dumped : "The dump could not be completed and is not kept.";
    return ran;
  }
  OPSCOPE_TRY(std::move(written));
  if (m_checks) {
    if (endedByCheck) {
      finished.finite = summaryOf(*m_check.finding());
    } else {
      OPSCOPE_TRY_ASSIGN(finished.finite, checkResults());
    }
    finished.finite->callsChecked = m_check.callsChecked();
  }
  return {};
}

/// Compiled functions do not show their calls: what they return is checked at least.
base::Result<FiniteSummary> RunWatch::checkResults() const {
  if (m_results == nullptr) {
    OPSCOPE_TRY_ASSIGN(const Outputs outputs, m_sequence.outputs());
    return checkResults(outputs);
  }
  FiniteSummary summary = checkResults(*m_results);
  if (summary.holds() && m_unseen > 0) {
    return base::Error{base::ErrorCode::OutOfMemory, "The check is not complete.",
                       fmt::format("The tensors of {} calls found no room on the board.", m_unseen),
                       "Run a scenario with smaller steps, or close other programs on the board."};
  }
  return summary;
}

FiniteSummary RunWatch::checkResults(const Outputs& outputs) const {
  FiniteSummary summary;
  for (const arrays::NamedArray& output : outputs.arrays) {
    const arrays::ElementType type = output.array.type();
    const DLDataType dtype{static_cast<std::uint8_t>(type.code), type.bits, type.lanes};
    const profile::NonFinite found =
        profile::scanFinite(dtype, {output.array.data(), output.array.byteSize()});
    if (!found.any()) {
      continue;
    }
    DLTensor shaped{};
    shaped.ndim = static_cast<std::int32_t>(output.array.shape().size());
    shaped.shape = const_cast<std::int64_t*>(output.array.shape().data());
    summary.op = m_sequence.title();
    summary.output = {output.key,          arrays::describeArray(output.array),
                      output.array.size(), found.nans,
                      found.infinities,    profile::positionText(shaped, found.firstIndex),
                      found.firstValue,    ""};
    break;
  }
  return summary;
}

}  // namespace opscope::session
