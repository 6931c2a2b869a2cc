// SPDX-License-Identifier: Apache-2.0
// The layout of what the probe on a board sends back: one block of bytes, read on any machine of the same
// byte order. Plain data, no state; shared by the probe, which is built for boards, and by those who read it.
//
//   ProbeHeader, CallRecord[records], ProbeMark[marks], ProbeShapes[shapes], int64[shapeWords], then for each
//   name a uint32 length and its bytes
//
// In a CallRecord of a probe the times are nanoseconds of CLOCK_MONOTONIC, `function` counts the names,
// `shapes` the ProbeShapes. `instruction` is not known (0) but for calls that compiled functions make: there
// it counts the places in their machine code, from 1 in order of their first call.
//
// What it kept of the tensors of calls comes as a stream, in blocks that may cut it anywhere:
//
//   for each call a ProbeCapturedCall and its name; for each of its tensors a ProbeCapturedTensor, the place
//   as text ("arg2", "ret/0"), int64[rank], then the elements in C order
#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/base/record.h"

namespace opscope::base {

inline constexpr std::uint64_t kProbeMagic = 0x31424F525053504FULL;  // "OPSPROB1" in memory
inline constexpr std::uint32_t kProbeVersion = 3;
inline constexpr std::uint32_t kProbeMostDepth = 4096;       ///< deeper calls are dropped
inline constexpr std::uint32_t kProbeMostPlaces = 1U << 16;  ///< calls from further places have none

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

/// What the probe put its functions into, so that it hears of the calls of compiled functions.
struct ProbeSlots {
  std::uint64_t magic = kProbeMagic;
  std::uint32_t version = kProbeVersion;
  std::uint32_t kernels = 0;   ///< that the library exports
  std::uint32_t slots = 0;     ///< through which it calls kernels
  std::uint32_t patched = 0;   ///< of `slots`
  std::uint32_t builtins = 0;  ///< 1: calls of functions of the runtime are met
  std::uint32_t padding = 0;
};

inline constexpr std::uint32_t kCaptureMagic = 0x4C4C4143U;  // "CALL" in memory
inline constexpr std::uint32_t kCaptureBlockBytes = 4U << 20;

/// Why the elements of an output are not in the stream.
enum class ProbeOmission : std::uint32_t {
  None = 0,    ///< they are
  Room = 1,    ///< no more room on the board
  Device = 2,  ///< they are in the memory of another device than the CPU
  Layout = 3,  ///< elements of less than a byte that do not stand in order
};

struct ProbeCapturedCall {
  std::uint32_t magic = kCaptureMagic;
  std::uint32_t nameBytes = 0;
  std::uint64_t sequence = 0;  ///< counts all calls since the capture began, from 0, by their begin
  std::uint32_t tensors = 0;
  std::uint32_t padding = 0;
};

struct ProbeCapturedTensor {
  std::uint8_t typeCode = 0;
  std::uint8_t typeBits = 0;
  std::uint16_t typeLanes = 0;
  std::uint32_t rank = 0;
  std::uint32_t placeBytes = 0;
  ProbeOmission omission = ProbeOmission::None;
  std::uint32_t isOutput = 1;  ///< 0: the call only takes it
  std::uint32_t padding = 0;
  std::uint64_t bytes = 0;  ///< of the elements; where they are left out too
};

/// What a capture holds at the moment.
struct ProbeCaptureState {
  std::uint64_t magic = kProbeMagic;
  std::uint32_t version = kProbeVersion;
  std::uint32_t blocks = 0;     ///< that can be fetched
  std::uint64_t bytes = 0;      ///< in them
  std::uint64_t limit = 0;      ///< of `bytes`
  std::uint64_t calls = 0;      ///< begun since the capture began
  std::uint64_t lostCalls = 0;  ///< for which there was not even room to say so
};

static_assert(sizeof(ProbeCapturedCall) == 24 && sizeof(ProbeCapturedTensor) == 32);
static_assert(sizeof(ProbeCaptureState) == 48 && std::is_trivially_copyable_v<ProbeCaptureState>);
static_assert(sizeof(ProbeSlots) == 32 && std::is_trivially_copyable_v<ProbeSlots>);
static_assert(sizeof(ProbeHeader) == 72 && std::is_trivially_copyable_v<ProbeHeader>);
static_assert(sizeof(ProbeMark) == 40 && sizeof(ProbeShapes) == 8);

}  // namespace opscope::base
