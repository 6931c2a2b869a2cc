// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/device_providers.h"

#include <tvm/ffi/device.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <array>
#include <charconv>

#include "engine/runtime/cpu_topology.h"

namespace opscope::runtime {

namespace {

std::string describeHost(int /*id*/) {
  const int cores = physicalCoreCount();
  return "this computer's processor, " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
}

// One row a kind of device. The first is the host.
constexpr std::array kProviders = {
    DeviceProvider{"cpu", kDLCPU, [] { return 1; }, describeHost, [](int) {}},
};

std::string joinExisting() {
  std::string text;
  for (const DeviceInfo& device : listDevices()) {
    text += (text.empty() ? "" : ", ") + device.name;
  }
  return text;
}

}  // namespace

std::span<const DeviceProvider> deviceProviders() {
  return kProviders;
}

std::vector<DeviceInfo> listDevices() {
  std::vector<DeviceInfo> devices;
  for (const DeviceProvider& provider : kProviders) {
    const int count = provider.count();
    for (int id = 0; id < count; ++id) {
      const DLDevice device{provider.type, id};
      devices.push_back({deviceName(device), device, provider.describe(id)});
    }
  }
  return devices;
}

base::Result<DLDevice> parseDevice(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view digits = colon == std::string_view::npos ? "0" : text.substr(colon + 1);
  int id = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc() || end != digits.data() + digits.size() || id < 0 || kind.empty()) {
    return base::Error{base::ErrorCode::InvalidArgument, "'" + std::string(text) + "' does not name a device",
                       "expected a kind and a number, such as cpu:0", "devices here: " + joinExisting()};
  }
  for (const DeviceProvider& provider : kProviders) {
    if (provider.name == kind && id < provider.count()) {
      return DLDevice{provider.type, id};
    }
  }
  return base::Error{base::ErrorCode::NotFound,
                     "there is no device '" + std::string(text) + "' here",
                     {},
                     "devices here: " + joinExisting()};
}

std::string_view deviceTypeName(int type) {
  switch (type) {
    case kDLCPU:
      return "cpu";
    case kDLCUDA:
      return "cuda";
    case kDLCUDAHost:
      return "cuda_host";
    case kDLCUDAManaged:
      return "cuda_managed";
    case kDLOpenCL:
      return "opencl";
    case kDLVulkan:
      return "vulkan";
    case kDLMetal:
      return "metal";
    case kDLVPI:
      return "vpi";
    case kDLROCM:
      return "rocm";
    case kDLROCMHost:
      return "rocm_host";
    case kDLExtDev:
      return "ext_dev";
    case kDLOneAPI:
      return "oneapi";
    case kDLWebGPU:
      return "webgpu";
    case kDLHexagon:
      return "hexagon";
    case kDLMAIA:
      return "maia";
    case kDLTrn:
      return "trn";
    default:
      return "unknown";
  }
}

void synchroniseDevice(DLDevice device) {
  for (const DeviceProvider& provider : kProviders) {
    if (provider.type == device.device_type) {
      provider.synchronise(device.device_id);
      return;
    }
  }
  const auto streamSync = tvm::ffi::Function::GetGlobal("runtime.Device_StreamSync");
  if (!streamSync.has_value()) {
    throw tvm::ffi::Error("RuntimeError",
                          "this build has no devices of the kind " +
                              std::string(deviceTypeName(device.device_type)) + ", and cannot wait for one",
                          "");
  }
  (*streamSync)(device, std::int64_t{0});
}

std::string deviceName(DLDevice device) {
  for (const DeviceProvider& provider : kProviders) {
    if (provider.type == device.device_type) {
      return std::string(provider.name) + ":" + std::to_string(device.device_id);
    }
  }
  return "device(" + std::to_string(device.device_type) + "):" + std::to_string(device.device_id);
}

}  // namespace opscope::runtime
