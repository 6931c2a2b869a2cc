// SPDX-License-Identifier: Apache-2.0
// Reads what a probe kept of the outputs of calls (engine/base/probe_layout.h) into a CallRecording. On the
// worker; the recording outlives it. What comes from the board is held against every limit first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/probe_layout.h"
#include "engine/base/result.h"
#include "engine/session/call_recording.h"

namespace opscope::session {

/// Errors: Format saying what was found and expected.
base::Result<base::ProbeCaptureState> readCaptureState(std::string_view bytes);

class CaptureReader {
 public:
  explicit CaptureReader(CallRecording& recording) : m_recording(recording) {}

  /// The next part of the stream, cut anywhere. Elements go on into the recording as they come. Errors:
  /// Format; those of keeping them.
  base::Result<> feed(std::string_view bytes);
  /// The stream is over. Errors: Format when it ends within a call.
  base::Result<> finish();

  /// Outputs whose elements the board did not keep, by reason.
  std::uint64_t omitted(base::ProbeOmission why) const { return m_omitted[static_cast<std::size_t>(why)]; }

 private:
  enum class Part { Call, Name, Tensor, Place, Elements };

  /// Whether the part at hand was there whole.
  base::Result<bool> readPart();
  base::Result<> beginCall();
  base::Result<> beginTensor();
  base::Result<> placeTensor();
  base::Result<> takeElements();
  void endTensor();
  template <class Value>
  Value takeValue();

  CallRecording& m_recording;
  std::string m_pending;  ///< of a part that is not whole yet
  std::string_view m_rest;
  Part m_part = Part::Call;
  std::uint64_t m_needed = sizeof(base::ProbeCapturedCall);
  std::uint32_t m_tensorsLeft = 0;
  std::uint64_t m_bytesLeft = 0;  ///< of the tensor's elements
  base::ProbeCapturedTensor m_head;
  RecordedCall m_call;
  RecordedTensor m_tensor;
  std::uint64_t m_omitted[4] = {};
};

}  // namespace opscope::session
