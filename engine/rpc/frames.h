// SPDX-License-Identifier: Apache-2.0
// Frames: eight bytes of length, four of code, then what the code says. Built into one buffer, so that one
// write sends them, and parsed strictly. One thread at a time; what is not copied outlives the writer.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/encoding.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/value.h"

namespace opscope::rpc {

/// Everything that a frame of any code can carry; which fields count is told at parseFrame.
struct Frame {
  FrameCode code = FrameCode::None;
  std::string version{};        ///< Init
  std::uint64_t function = 0;   ///< Call: the function's handle
  TensorView tensor{};          ///< CopyFromRemote, CopyToRemote
  std::uint64_t copyBytes = 0;  ///< CopyFromRemote, CopyToRemote
  std::string_view data{};      ///< CopyToRemote, CopyAck: not copied
  std::vector<Value> values{};  ///< Init, Call, Return, Exception and all system calls
};

/// True for codes that a client may ask with and whose body is one sequence of values.
bool isSystemCall(FrameCode code);

/// "CopyToRemote", or "code 42".
std::string frameCodeName(FrameCode code);

/// The code at the start of a body. Errors: Format for an unknown one or a body too short for any.
base::Result<FrameCode> parseFrameCode(std::string_view body);

/// A whole body (without the length): Shutdown and None hold nothing more, Init version and values, Call
/// function and values, copies tensor, bytes and (CopyToRemote) as many bytes of data, CopyAck data, all
/// others values. Errors: Format for anything else, also for bytes left over.
base::Result<Frame> parseFrame(Encoding encoding, std::string_view body, BlobMode blobs = BlobMode::Copy);

/// Builds frames one behind the other. begin(), puts, end(); pieces() is then what one writev sends.
class FrameWriter {
 public:
  void begin(FrameCode code);
  void putNumber(std::uint64_t value);
  void putText(std::string_view text);  ///< length and bytes
  void putTensor(const TensorView& view) { encodeTensorView(view, m_bytes); }
  /// Errors as encodeSequence; the frame is then taken back.
  base::Result<> putValues(Encoding encoding, std::span<const Value> values);
  /// Bytes without a length; long ones are not copied.
  void putData(std::string_view data);
  /// Sets the frame's length.
  void end();

  /// Of the frame that was ended last, before the next change.
  FrameCode lastCode() const;
  std::uint64_t lastFrameBytes() const;

  /// begin, puts and end of the frame. Errors as putValues.
  base::Result<> write(Encoding encoding, const Frame& frame);

  bool empty() const { return m_bytes.empty(); }
  /// Bytes of all frames, those included that were not copied.
  std::uint64_t size() const;
  /// What to send, in order. Valid until the next change.
  std::span<const iovec> pieces();
  /// All frames as one text, for tests and small ones.
  std::string text();
  void clear();

 private:
  void takeBack();

  std::string m_bytes;
  std::vector<Gap> m_gaps;
  std::size_t m_frameStart = 0;
  std::size_t m_frameGaps = 0;  ///< gaps before the frame that is being built
  std::vector<iovec> m_pieces;
};

}  // namespace opscope::rpc
