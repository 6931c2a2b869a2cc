// SPDX-License-Identifier: Apache-2.0
// The numbers of TVM's RPC protocol "0.8.0": magics, codes of frames, tags of values, and the limits that we
// hold others to. Constants only; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opscope::rpc {

/// First word of a connection to a server, and of its answer when it accepts.
inline constexpr std::int32_t kServerMagic = 0xFF271;
/// The server's answers that are no session: somebody else has the key, and the key is not this server's.
inline constexpr std::int32_t kServerKeyTaken = kServerMagic + 1;
inline constexpr std::int32_t kServerKeyMismatch = kServerMagic + 2;
/// First word of a connection to a tracker, and its echo.
inline constexpr std::int32_t kTrackerMagic = 0x2F271;

/// Ours: asks a server, in place of a match key, for its status instead of a session; the answer is
/// kServerMagic with kStatusPrefix and JSON in place of a key.
inline constexpr std::string_view kStatusKey = "opscope.status";
inline constexpr std::string_view kStatusPrefix = "status:";

/// Sent with Init. It has been the same since 2020 although the encoding of values changed twice.
inline constexpr std::string_view kProtocolVersion = "0.8.0";
/// What the text of an exception begins with when the server ended the session because its time was over.
inline constexpr std::string_view kSessionTimeoutPrefix = "RPCSessionTimeoutError: ";

/// First word of a frame's body.
enum class FrameCode : std::int32_t {
  None = 0,
  Shutdown = 1,
  Init = 2,
  Call = 3,
  Return = 4,
  Exception = 5,
  CopyFromRemote = 6,
  CopyToRemote = 7,
  CopyAck = 8,
  GetGlobalFunction = 9,  ///< from here on "system calls": a sequence of values
  FreeHandle = 10,
  SetDevice = 11,
  GetAttribute = 12,
  AllocateBytes = 13,
  FreeData = 14,
  StreamSync = 15,
  CopyAmongRemote = 16,
  AllocateWithScope = 17,
  CreateStream = 18,
  FreeStream = 19,
  SetStream = 20,
  GetCurrentStream = 21,
};
inline constexpr std::int32_t kLastFrameCode = 21;

/// Tags of values since TVM 0.21. From kFirstObject on a result is an object of the server's, known by
/// handle.
enum class Tag : std::int32_t {
  None = 0,
  Int = 1,
  Bool = 2,
  Float = 3,
  OpaquePointer = 4,
  DataType = 5,
  Device = 6,
  TensorView = 7,
  CString = 8,
  ByteArray = 9,
  SmallString = 11,  ///< 11, 12, 65 and 66 since TVM 0.22
  SmallBytes = 12,
  FirstObject = 64,
  String = 65,
  Bytes = 66,
  Function = 68,
  Shape = 69,
  Tensor = 70,
  Array = 71,
  Map = 72,
  Module = 73,
  ObjectReference = 115,
};
/// TVM 0.21 numbers some objects in another way.
inline constexpr Tag kTensorTag021 = Tag{72};
inline constexpr Tag kShapeTag021 = Tag{71};

/// Tags of values up to TVM 0.20, all of which stand before the values.
enum class LegacyTag : std::int32_t {
  Int = 0,
  UnsignedInt = 1,
  Float = 2,
  OpaquePointer = 3,
  Null = 4,
  DataType = 5,
  Device = 6,
  TensorView = 7,
  Object = 8,
  Module = 9,
  Function = 10,
  String = 11,
  Bytes = 12,
  NDArray = 13,
  Bool = 15,
};

/// Kinds of attributes that GetAttribute knows.
enum class DeviceAttribute : std::int32_t {
  Exists = 0,
  MaxThreadsPerBlock = 1,
  WarpSize = 2,
  MaxSharedMemoryPerBlock = 3,
  ComputeVersion = 4,
  Name = 5,
  MaxClockRate = 6,
  Multiprocessors = 7,
  MaxThreadDimensions = 8,
  MaxRegistersPerBlock = 9,
  GcnArchitecture = 10,
  ApiVersion = 11,
  DriverVersion = 12,
  L2CacheBytes = 13,
  TotalMemory = 14,
  AvailableMemory = 15,
  ImagePitchAlignment = 16,
};

inline constexpr std::size_t kMaxKeyBytes = 4096;    ///< key texts of the handshake, both ways
inline constexpr std::size_t kMaxValues = 4096;      ///< values of one sequence
inline constexpr std::size_t kMaxDimensions = 64;    ///< of a tensor view
inline constexpr std::size_t kMaxVersionBytes = 64;  ///< of the version in Init
inline constexpr std::uint64_t kMaxBlobBytes =
    0x7FFFFFFF;  ///< of a string or of bytes; more breaks TVM's server
inline constexpr std::uint64_t kMaxFrameBytes = kMaxBlobBytes + (std::uint64_t{16} << 20);
inline constexpr std::size_t kMaxTrackerMessageBytes = std::size_t{1} << 20;

}  // namespace opscope::rpc
