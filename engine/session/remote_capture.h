// SPDX-License-Identifier: Apache-2.0
// The outputs of every call of a run on a board, or all of its tensors: our probe is the instrument of its
// virtual machine, TVM's or ours, and copies them; they come over between the steps and after the last. On
// the worker.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/call_recording.h"
#include "engine/session/call_sequence.h"
#include "engine/session/remote_program.h"

namespace opscope::session {

struct RemoteCapture {
  enum class Wanted {
    Outputs,  ///< of kernels and builtins
    All,      ///< arguments too, and calls of the executable's own functions
  };
  /// Of outputs that the board holds before they come over; it takes half of its free memory at most.
  static constexpr std::int64_t kLimitBytes = std::int64_t{1} << 30;
  /// What is held is fetched after a step when it is more than this.
  static constexpr std::uint64_t kFetchBytes = std::uint64_t{8} << 20;

  RemoteProgram& program;
  const OpenedExecutable& file;
  const CallSequence& sequence;
  std::function<base::Result<>()> checkStop;  ///< Cancelled to stop
  Wanted wanted = Wanted::Outputs;
};

struct Captured {
  Outputs outputs;
  std::vector<std::string> notes;  ///< what is not known of the calls, in words
  std::uint64_t lostCalls = 0;     ///< that are not in the recording
};

/// Before anything is sent: whether calls can be seen there at all. Errors: Unsupported for another device
/// than the CPU, and for executables compiled to machine code, whose calls the board's machine does not tell
/// of.
base::Result<> checkCapture(const OpenedExecutable& file, const RunSettings& settings);
/// As above, of the server. Errors: Unsupported for TVM 0.21 and before.
base::Result<> checkCapture(RemoteBoard& board);

/// Runs all steps once. `recording` gets their calls. Nothing is left on the board. Errors: Unsupported when
/// no probe runs there; those of the session and of its functions.
base::Result<Captured> captureOnBoard(const RemoteCapture& capture, CallRecording& recording);

}  // namespace opscope::session
