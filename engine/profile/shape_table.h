// SPDX-License-Identifier: Apache-2.0
// Interned argument shapes: one entry for each distinct list of tensor types, shapes and devices. One thread.
// The usual path compares with what the same instruction had last time and neither allocates nor hashes.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/record.h"

namespace opscope::profile {

class ShapeTable {
 public:
  explicit ShapeTable(std::size_t instructionCount) : m_lastOfInstruction(instructionCount) {}

  /// Index of the shapes of all tensors among `args` in order, or base::kNoShapes when there is none.
  std::uint32_t indexOf(std::uint32_t instruction, const TVMFFIAny* args, std::int32_t count);

  std::size_t size() const { return m_keys.size(); }
  /// "float32[1, 3, 224, 224], float32[64]". Seed 004, ShapeString.
  std::string text(std::uint32_t index) const;
  /// Device of the last tensor, as in TVM's reports: "cpu0".
  std::string device(std::uint32_t index) const;
  DLDevice dlDevice(std::uint32_t index) const;

 private:
  // A key is a row of words: for each tensor its type and rank, its device, its dimensions.
  using Key = std::vector<std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Last {
    const std::int64_t* words = nullptr;
    std::uint32_t wordCount = 0;
    std::uint32_t index = base::kNoShapes;
  };

  /// Places in compiled functions come after the instructions and are met one by one; beyond this many there
  /// is no memory of the last shapes.
  static constexpr std::size_t kMostInstructions = std::size_t{1} << 20;

  std::uint32_t intern(const TVMFFIAny* args, std::int32_t count);

  std::vector<Last> m_lastOfInstruction;
  std::deque<Key> m_keys;  // a deque keeps the words where they are while it grows
  std::unordered_map<Key, std::uint32_t, KeyHash> m_indexOfKey;
  Key m_scratch;
};

/// TVM's name of a device in reports: "cpu0", "cuda1". Seed 004, DeviceString.
std::string deviceText(int deviceType, int deviceId);

}  // namespace opscope::profile
