// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/device_providers.h"

#include <gtest/gtest.h>

namespace opscope::runtime {
namespace {

TEST(Devices, EveryRowOfTheListWorks) {
  ASSERT_FALSE(deviceProviders().empty());
  EXPECT_EQ(deviceProviders().front().type, kDLCPU);
  for (const DeviceProvider& provider : deviceProviders()) {
    EXPECT_FALSE(provider.name.empty());
    for (int id = 0; id < provider.count(); ++id) {
      EXPECT_FALSE(provider.describe(id).empty());
      const auto device = parseDevice(std::string(provider.name) + ":" + std::to_string(id));
      ASSERT_TRUE(device);
      EXPECT_EQ(device->device_type, provider.type);
      EXPECT_EQ(device->device_id, id);
    }
  }
}

TEST(Devices, ListBeginsWithTheHost) {
  const auto devices = listDevices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].name, "cpu:0");
  EXPECT_EQ(parseDevice("cpu")->device_type, kDLCPU);
  EXPECT_EQ(deviceName(DLDevice{kDLCPU, 1}), "cpu:1");
  EXPECT_EQ(deviceName(DLDevice{kDLVulkan, 2}), "device(7):2");
}

TEST(Devices, ErrorsNameWhatExists) {
  const auto missing = parseDevice("cuda:0");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(missing.error().message, "there is no device 'cuda:0' here");
  EXPECT_EQ(missing.error().hint, "devices here: cpu:0");
  EXPECT_EQ(parseDevice("cpu:1").error().code, base::ErrorCode::NotFound);
  for (const char* text : {"", ":", "cpu:", "cpu:x", "cpu:-1", "cpu:0x", "cpu:99999999999", "cpu:0:0"}) {
    const auto wrong = parseDevice(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_EQ(wrong.error().code, base::ErrorCode::InvalidArgument) << text;
  }
}

}  // namespace
}  // namespace opscope::runtime
