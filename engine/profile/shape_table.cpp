// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/shape_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "engine/profile/shape_string.h"
#include "engine/runtime/device_providers.h"

namespace opscope::profile {

namespace {

const DLTensor* asTensor(const TVMFFIAny& value) {
  if (value.type_index != kTVMFFITensor) {
    return nullptr;
  }
  return reinterpret_cast<const DLTensor*>(reinterpret_cast<const char*>(value.v_obj) + sizeof(TVMFFIObject));
}

std::int64_t typeWord(const DLTensor& tensor) {
  return static_cast<std::int64_t>(tensor.dtype.code) | static_cast<std::int64_t>(tensor.dtype.bits) << 8 |
         static_cast<std::int64_t>(tensor.dtype.lanes) << 16 | static_cast<std::int64_t>(tensor.ndim) << 32;
}

std::int64_t deviceWord(const DLTensor& tensor) {
  return static_cast<std::int64_t>(tensor.device.device_type) |
         static_cast<std::int64_t>(tensor.device.device_id) << 32;
}

/// True when the tensors among `args` are exactly those of the key.
bool matches(const std::int64_t* words, std::uint32_t wordCount, const TVMFFIAny* args, std::int32_t count) {
  const std::int64_t* const end = words + wordCount;
  for (std::int32_t i = 0; i < count; ++i) {
    const DLTensor* tensor = asTensor(args[i]);
    if (tensor == nullptr) {
      continue;
    }
    if (end - words < 2 + tensor->ndim || words[0] != typeWord(*tensor) || words[1] != deviceWord(*tensor)) {
      return false;
    }
    words += 2;
    for (std::int32_t d = 0; d < tensor->ndim; ++d) {
      if (*words++ != tensor->shape[d]) {
        return false;
      }
    }
  }
  return words == end;
}

}  // namespace

std::string deviceText(int deviceType, int deviceId) {
  return fmt::format("{}{}", runtime::deviceTypeName(deviceType), deviceId);
}

std::size_t ShapeTable::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = 0x9E3779B97F4A7C15u ^ key.size();
  for (const std::int64_t word : key) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash;
}

std::uint32_t ShapeTable::indexOf(std::uint32_t instruction, const TVMFFIAny* args, std::int32_t count) {
  if (instruction >= m_lastOfInstruction.size()) [[unlikely]] {
    if (instruction >= kMostInstructions) {
      return intern(args, count);
    }
    m_lastOfInstruction.resize(std::max<std::size_t>(instruction + 1, 2 * m_lastOfInstruction.size()));
  }
  Last& last = m_lastOfInstruction[instruction];
  if (matches(last.words, last.wordCount, args, count)) [[likely]] {
    return last.index;
  }
  last.index = intern(args, count);
  if (last.index == base::kNoShapes) {
    last.words = nullptr;
    last.wordCount = 0;
  } else {
    const Key& key = m_keys[last.index];
    last.words = key.data();
    last.wordCount = static_cast<std::uint32_t>(key.size());
  }
  return last.index;
}

std::uint32_t ShapeTable::intern(const TVMFFIAny* args, std::int32_t count) {
  m_scratch.clear();
  for (std::int32_t i = 0; i < count; ++i) {
    if (const DLTensor* tensor = asTensor(args[i])) {
      m_scratch.push_back(typeWord(*tensor));
      m_scratch.push_back(deviceWord(*tensor));
      m_scratch.insert(m_scratch.end(), tensor->shape, tensor->shape + tensor->ndim);
    }
  }
  if (m_scratch.empty()) {
    return base::kNoShapes;
  }
  const auto [place, isNew] = m_indexOfKey.try_emplace(m_scratch, static_cast<std::uint32_t>(m_keys.size()));
  if (isNew) {
    m_keys.push_back(m_scratch);
  }
  return place->second;
}

std::string ShapeTable::text(std::uint32_t index) const {
  const Key& key = m_keys.at(index);
  std::string out;
  for (std::size_t at = 0; at < key.size();) {
    const std::int64_t type = key[at];
    const auto rank = static_cast<std::size_t>(type >> 32);
    out += out.empty() ? "" : ", ";
    out += shapeString(std::span(key).subspan(at + 2, rank),
                       {static_cast<std::uint8_t>(type), static_cast<std::uint8_t>(type >> 8),
                        static_cast<std::uint16_t>(type >> 16)});
    at += 2 + rank;
  }
  return out;
}

DLDevice ShapeTable::dlDevice(std::uint32_t index) const {
  const Key& key = m_keys.at(index);
  std::int64_t device = kDLCPU;
  for (std::size_t at = 0; at < key.size(); at += 2 + static_cast<std::size_t>(key[at] >> 32)) {
    device = key[at + 1];
  }
  return {static_cast<DLDeviceType>(device & 0xFFFFFFFF), static_cast<std::int32_t>(device >> 32)};
}

std::string ShapeTable::device(std::uint32_t index) const {
  const DLDevice device = dlDevice(index);
  return deviceText(device.device_type, device.device_id);
}

}  // namespace opscope::profile
