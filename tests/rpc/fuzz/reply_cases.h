// SPDX-License-Identifier: Apache-2.0
// What a hostile server may say: whole sessions that are right, changed in some places. The same number gives
// the same case. Any thread; values.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rpc/frames.h"

namespace opscope::rpc::test {

/// What the client asks for, one after the other.
enum class Step : std::uint8_t {
  Call,
  CallForTensor,
  CallForBytes,
  CallAll,
  GlobalFunction,
  Names,
  Allocate,
  CopyTo,
  CopyFrom,
  Attribute,
  Free,
};
inline constexpr int kSteps = static_cast<int>(Step::Free) + 1;

/// One session: steps, and all bytes of the server, sent without regard to what is asked.
struct ReplyCase {
  std::vector<Step> steps;
  std::string bytes;

  /// As a file: a byte with the number of steps, the steps, the bytes.
  std::string saved() const;
  static ReplyCase read(std::string_view file);
};

/// A case from a seed and a number; in about one of sixteen nothing is changed.
ReplyCase makeReplyCase(std::uint64_t seed, std::uint64_t number);

struct ReplyOutcome {
  bool opened = false;    ///< the handshake and all that follows were believed
  bool finished = false;  ///< all steps were done
  std::string finding{};  ///< what must not be, or ""
};

/// Runs our client against it. Ends by itself: the server's end follows its last byte.
ReplyOutcome runReplyCase(const ReplyCase& replies);

/// What the case is besides a session: values, frames and a tracker's answer, read and written again.
std::string checkDecoders(std::string_view bytes);

}  // namespace opscope::rpc::test
