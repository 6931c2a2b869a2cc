// SPDX-License-Identifier: Apache-2.0
// A run that is looked at while it goes: its tensors dumped to a file, its values checked. Made, used and
// destroyed on the worker; owns the file that is written.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/arrays/npz_stream.h"
#include "engine/base/result.h"
#include "engine/profile/finite_check.h"
#include "engine/profile/tensor_dump.h"
#include "engine/session/call_recording.h"
#include "engine/session/call_sequence.h"
#include "engine/session/events.h"
#include "engine/session/requests.h"
#include "engine/vm/stateful_machine.h"

namespace opscope::session {

class RunWatch {
 public:
  /// `sequence` outlives the watch. Errors: those of NpzStreamWriter::create.
  static base::Result<std::unique_ptr<RunWatch>> create(const RunRequest& request, CallSequence& sequence);

  /// Runs the sequence once. Errors: its own; those of writing the dump.
  base::Result<> run(vm::StatefulMachine& machine);

  /// Instead of `run`: shows calls that were recorded elsewhere with all of their tensors. `lostCalls`: those
  /// that are not among them; `results` of the run outlive the watch. Errors: those of writing and reading.
  base::Result<> show(const CallRecording& recording, std::uint64_t lostCalls, const Outputs& results);

  /// Completes the dump and tells what was found. `ran` is what `run` gave: its error stays one, unless it is
  /// the check that ended the run. `kept` says then what the dump holds. Errors: those of writing, too.
  base::Result<> conclude(base::Result<> ran, RunFinished& finished, std::string& kept);

 private:
  RunWatch(const RunRequest& request, CallSequence& sequence);
  base::Result<bool> write(const std::string& key, const DLTensor& tensor, std::span<const std::byte> bytes);
  base::Result<> finishDump(RunFinished& finished, std::string& kept);
  base::Result<> showCall(const RecordedCall& call, const CallRecording& recording);
  base::Result<FiniteSummary> checkResults() const;
  FiniteSummary checkResults(const Outputs& outputs) const;

  std::string m_dumpFile;
  CallSequence& m_sequence;
  std::optional<arrays::NpzStreamWriter> m_writer;
  profile::TensorDump m_dump;
  profile::FiniteCheck m_check;
  bool m_checks;
  const Outputs* m_results = nullptr;  ///< of a run elsewhere
  std::uint64_t m_unseen = 0;          ///< calls of such a run whose tensors did not come over
};

}  // namespace opscope::session
