// SPDX-License-Identifier: Apache-2.0
// The kinds of devices that a machine can run on: a visible list, one row a kind. Any thread; values only.
#pragma once

#include <tvm/ffi/c_api.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace opscope::runtime {

struct DeviceProvider {
  std::string_view name;            ///< as in "cpu:0"
  DLDeviceType type;                ///< of DLPack
  int (*count)();                   ///< devices that exist here
  std::string (*describe)(int id);  ///< one line for a person
  void (*synchronise)(int id);      ///< waits for all work given to it; raises tvm::ffi::Error
};

/// All kinds that this build knows.
std::span<const DeviceProvider> deviceProviders();

struct DeviceInfo {
  std::string name;  ///< "cpu:0"
  DLDevice device;
  std::string description;
};

/// All devices that exist here, the host first.
std::vector<DeviceInfo> listDevices();

/// "cpu" or "cpu:0". Errors: InvalidArgument for other text, NotFound for a device that does not exist here;
/// both name what exists.
base::Result<DLDevice> parseDevice(std::string_view text);

/// TVM's name of a kind of device, for every kind that DLPack numbers: "cpu", "cuda", "cuda_host". "unknown"
/// for other numbers. Seed 004, DLDeviceType2Str.
std::string_view deviceTypeName(int type);

/// Waits until all work that was given to the device is done. For kinds that this build does not know, the
/// ffi function `runtime.Device_StreamSync(device, stream)` does it where a plugin brings it. Raises
/// tvm::ffi::Error: RuntimeError where nothing can wait for the device. Seed 004, DeviceAPI::StreamSync.
void synchroniseDevice(DLDevice device);

/// "cpu:0"; "device(7):0" for kinds that this build does not know.
std::string deviceName(DLDevice device);

}  // namespace opscope::runtime
