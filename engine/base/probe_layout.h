// SPDX-License-Identifier: Apache-2.0
// The layout of what the probe on a board sends back: one block of bytes, read on any machine of the same
// byte order. Plain data, no state; shared by the probe, which is built for boards, and by those who read it.
//
//   ProbeHeader, CallRecord[records], ProbeMark[marks], ProbeShapes[shapes], int64[shapeWords], then for each
//   name a uint32 length and its bytes
//
// In a CallRecord of a probe the times are nanoseconds of CLOCK_MONOTONIC, `function` counts the names,
// `shapes` the ProbeShapes, and `instruction` is not known (0).
#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/base/record.h"

namespace opscope::base {

inline constexpr std::uint64_t kProbeMagic = 0x31424F525053504FULL;  // "OPSPROB1" in memory
inline constexpr std::uint32_t kProbeVersion = 1;
inline constexpr std::uint32_t kProbeMostDepth = 4096;  ///< deeper calls are dropped

struct ProbeHeader {
  std::uint64_t magic = kProbeMagic;
  std::uint32_t version = kProbeVersion;
  std::uint32_t names = 0;
  std::uint64_t records = 0;
  std::uint64_t marks = 0;
  std::uint64_t shapes = 0;
  std::uint64_t shapeWords = 0;
  std::uint64_t dropped = 0;       ///< calls that had no room
  std::uint64_t droppedMarks = 0;  ///< steps that had no room
  double clockResolutionNs = 0;    ///< as the system tells it
};

/// One step of one repeat: its records are [firstRecord, endRecord).
struct ProbeMark {
  std::uint64_t beginNs = 0;
  std::uint64_t endNs = 0;
  std::uint64_t firstRecord = 0;
  std::uint64_t endRecord = 0;
  std::uint32_t step = 0;
  std::uint32_t failed = 0;  ///< 1: the step ended with an error
};

/// One list of tensor arguments: words [first, first + count). For each tensor: its type and rank (code, bits
/// << 8, lanes << 16, rank << 32), its device (type, id << 32), its dimensions.
struct ProbeShapes {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

static_assert(sizeof(ProbeHeader) == 72 && std::is_trivially_copyable_v<ProbeHeader>);
static_assert(sizeof(ProbeMark) == 40 && sizeof(ProbeShapes) == 8);

}  // namespace opscope::base
