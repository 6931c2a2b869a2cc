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

/// "cpu:0"; "device(7):0" for kinds that this build does not know.
std::string deviceName(DLDevice device);

}  // namespace opscope::runtime
