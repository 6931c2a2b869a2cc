// SPDX-License-Identifier: Apache-2.0
// What our traces hold beside the format's own words: writer and reader agree on it here. Constant data.
#pragma once

#include <cstdint>
#include <string_view>

namespace opscope::report {

inline constexpr std::string_view kTraceSchema = "opscope.trace/";  ///< in otherData.schema
inline constexpr int kTraceVersion = 1;

// Numbers of threads are unique over all processes, since some readers look at them alone.
inline constexpr std::uint32_t kVmProcess = 1;
inline constexpr std::uint32_t kRepeatsThread = 1;
inline constexpr std::uint32_t kCallsThread = 2;
inline constexpr std::uint32_t kMemoryProcess = 3;
inline constexpr std::uint32_t kRpcProcess = 4;  ///< thread of the first track; below all devices
inline constexpr std::uint32_t kMostRpcTracks = 90;
inline constexpr std::uint32_t kFirstDevice = 100;        ///< process and thread of device 0
inline constexpr std::uint32_t kPoolProcess = 1'000'000;  ///< thread of lane 0; above all devices

// Categories.
inline constexpr std::string_view kRepeatCategory = "repeat";
inline constexpr std::string_view kStepCategory = "step";
inline constexpr std::string_view kKernelCategory = "kernel";  ///< a call of a kernel
inline constexpr std::string_view kVmCategory = "vm";          ///< any other call
inline constexpr std::string_view kListedSuffix = ",op";       ///< follows when the report lists the call
inline constexpr std::string_view kDeviceCategory = "device";  ///< the kernel once more, on its device
inline constexpr std::string_view kLaunchCategory = "launch";
inline constexpr std::string_view kTaskCategory = "task";
inline constexpr std::string_view kRpcCategory = "rpc";  ///< for other readers: the head has all of it

}  // namespace opscope::report
