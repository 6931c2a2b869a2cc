// SPDX-License-Identifier: Apache-2.0
#include "engine/session/device_modules.h"

#include <fmt/format.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/near_match.h"
#include "engine/runtime/device_providers.h"

namespace opscope::session {

namespace {

/// Kinds of modules that hold kernels for a device of that name.
constexpr std::array<std::string_view, 8> kDeviceModules = {"cuda",  "rocm",   "opencl",  "vulkan",
                                                            "metal", "webgpu", "hexagon", "opencl-spirv"};

bool isLoadable(const std::string& kind) {
  return tvm::ffi::Function::GetGlobal("ffi.Module.load_from_bytes." + kind).has_value();
}

}  // namespace

std::vector<std::string> devicesNotHere(const ExecutableInfo& info) {
  std::vector<std::string> kinds;
  for (const std::string& kind : info.importedModules) {
    const bool isDevice = std::ranges::find(kDeviceModules, kind) != kDeviceModules.end();
    if (isDevice && !isLoadable(kind) && std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

base::Result<> checkDevicesOf(const std::string& path, const ExecutableInfo& info) {
  const std::vector<std::string> kinds = devicesNotHere(info);
  if (kinds.empty()) {
    return {};
  }
  std::vector<std::string> here;
  for (const runtime::DeviceInfo& device : runtime::listDevices()) {
    here.push_back(device.name);
  }
  return base::Error{
      base::ErrorCode::Unsupported,
      fmt::format("{} has kernels for {}, which cannot be run here.", path, base::joinNames(kinds)),
      fmt::format("The file holds modules that this build cannot run: {}. Devices here: {}.",
                  base::joinNames(kinds), base::joinNames(here)),
      fmt::format("Run it on a board whose server has the device: --target rpc://HOST:PORT --device {}:0",
                  kinds.front())};
}

}  // namespace opscope::session
