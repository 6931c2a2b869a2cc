// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/device_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "engine/runtime/device_providers.h"
#include "engine/runtime/machine_memory.h"

namespace opscope::rpc::server {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr std::int64_t kMostAlignment = std::int64_t{1} << 30;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;

Error wrong(std::string message) {
  return Error{ErrorCode::InvalidArgument, std::move(message), {}, {}};
}

/// Holds the kinds of the values against those of the call. None stands for a pointer of 0.
Result<> expect(std::string_view call, std::span<const TVMFFIAny> values, std::initializer_list<Tag> kinds) {
  if (values.size() != kinds.size()) {
    return wrong(fmt::format("{} takes {} values, {} came", call, kinds.size(), values.size()));
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Tag expected = *(kinds.begin() + i);
    const auto found = static_cast<Tag>(values[i].type_index);
    const bool isNone = expected == Tag::OpaquePointer && found == Tag::None;
    if (found != expected && !isNone) {
      return wrong(fmt::format("{}: value {} has tag {}, expected {}", call, i, values[i].type_index,
                               static_cast<int>(expected)));
    }
  }
  return {};
}

const runtime::DeviceProvider* providerOf(DLDevice device) {
  const auto providers = runtime::deviceProviders();
  const auto found = std::ranges::find(providers, device.device_type, &runtime::DeviceProvider::type);
  const bool exists = found != providers.end() && device.device_id >= 0 && device.device_id < found->count();
  return exists ? &*found : nullptr;
}

Result<> expectDevice(DLDevice device) {
  if (providerOf(device) == nullptr) {
    return wrong(fmt::format("{} does not exist on this board", runtime::deviceName(device)));
  }
  return {};
}

const DLTensor& tensorOf(const TVMFFIAny& value) {
  return *static_cast<const DLTensor*>(value.v_ptr);
}

std::uint64_t bytesOf(const DLTensor& tensor) {
  return runtime::tensorBytes({tensor.shape, static_cast<std::size_t>(tensor.ndim)}, tensor.dtype);
}

}  // namespace

Result<> DeviceCalls::answer(FrameCode code, std::span<const TVMFFIAny> values, Reply& reply) {
  switch (code) {
    case FrameCode::GetAttribute:
      return attribute(values, reply);
    case FrameCode::AllocateBytes:
      return allocateBytes(values, reply);
    case FrameCode::AllocateWithScope:
      return allocateTensor(values, reply);
    case FrameCode::FreeData:
      return freeData(values, reply);
    case FrameCode::CopyAmongRemote:
      return copy(values, reply);
    default:
      return stream(code, values, reply);
  }
}

Result<> DeviceCalls::attribute(std::span<const TVMFFIAny> values, Reply& reply) {
  OPSCOPE_TRY(expect("Asking for an attribute", values, {Tag::Device, Tag::Int}));
  const DLDevice device = values[0].v_device;
  const auto kind = static_cast<DeviceAttribute>(values[1].v_int64);
  const runtime::DeviceProvider* const provider = providerOf(device);
  if (kind == DeviceAttribute::Exists) {
    reply.returnInt(provider != nullptr ? 1 : 0);
    return {};
  }
  OPSCOPE_TRY(expectDevice(device));
  const bool isHost = device.device_type == kDLCPU;
  if (kind == DeviceAttribute::Name) {
    reply.returnText(provider->describe(device.device_id));
  } else if (kind == DeviceAttribute::TotalMemory && isHost) {
    reply.returnInt(static_cast<std::int64_t>(runtime::machineMemory().totalBytes));
  } else if (kind == DeviceAttribute::AvailableMemory && isHost) {
    reply.returnInt(static_cast<std::int64_t>(runtime::machineMemory().availableBytes.value_or(0)));
  } else {
    reply.returnNone();
  }
  return {};
}

Result<> DeviceCalls::allocateBytes(std::span<const TVMFFIAny> values, Reply& reply) {
  OPSCOPE_TRY(expect("Allocating", values, {Tag::Device, Tag::Int, Tag::Int, Tag::DataType}));
  OPSCOPE_TRY(expectDevice(values[0].v_device));
  const std::int64_t bytes = values[1].v_int64;
  const std::int64_t alignment = values[2].v_int64;
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) > kMostBytes || alignment < 0 ||
      alignment > kMostAlignment) {
    return wrong(fmt::format("{} bytes aligned to {} cannot be allocated", bytes, alignment));
  }
  reply.returnPointer(m_memory.allocate(static_cast<std::size_t>(bytes),
                                        std::max<std::size_t>(static_cast<std::size_t>(alignment), 1),
                                        values[0].v_device));
  return {};
}

Result<> DeviceCalls::allocateTensor(std::span<const TVMFFIAny> values, Reply& reply) {
  if (values.size() == 2 && static_cast<Tag>(values[1].type_index) == Tag::CString) {
    const std::string_view scope = values[1].v_c_str;
    if (!scope.empty() && scope != "global") {
      return wrong(fmt::format("There is no memory scope \"{}\" on this board", scope));
    }
    OPSCOPE_TRY(expect("Allocating a tensor", values, {Tag::TensorView, Tag::CString}));
  } else {
    OPSCOPE_TRY(expect("Allocating a tensor", values, {Tag::TensorView, Tag::None}));
  }
  const DLTensor& tensor = tensorOf(values[0]);
  OPSCOPE_TRY(expectDevice(tensor.device));
  const std::uint64_t bytes = bytesOf(tensor);
  if (bytes > kMostBytes) {
    return wrong(fmt::format("A tensor of {} bytes cannot be allocated", bytes));
  }
  reply.returnPointer(m_memory.allocate(bytes, runtime::kTensorAlignment, tensor.device));
  return {};
}

Result<> DeviceCalls::freeData(std::span<const TVMFFIAny> values, Reply& reply) {
  OPSCOPE_TRY(expect("Freeing data", values, {Tag::Device, Tag::OpaquePointer}));
  if (values[1].v_uint64 != 0 && !m_memory.free(values[1].v_uint64)) {
    return wrong(
        fmt::format("{:#x} was not allocated in this session, or is free already", values[1].v_uint64));
  }
  reply.returnNone();
  return {};
}

Result<std::span<char>> DeviceCalls::memoryOf(const DLTensor& view, std::uint64_t bytes) const {
  OPSCOPE_TRY(expectDevice(view.device));
  const std::uint64_t address = addressOf(view);
  if (!m_memory.contains(address, bytes)) {
    return wrong(fmt::format("{} bytes from {:#x} are not memory of this session", bytes, address));
  }
  return std::span<char>(reinterpret_cast<char*>(address), bytes);
}

Result<> DeviceCalls::copy(std::span<const TVMFFIAny> values, Reply& reply) {
  OPSCOPE_TRY(expect("Copying", values, {Tag::TensorView, Tag::TensorView, Tag::OpaquePointer}));
  const std::uint64_t fromBytes = bytesOf(tensorOf(values[0]));
  const std::uint64_t toBytes = bytesOf(tensorOf(values[1]));
  if (fromBytes != toBytes) {
    return wrong(fmt::format("{} bytes cannot be copied into {}", fromBytes, toBytes));
  }
  OPSCOPE_TRY_ASSIGN(const std::span<char> from, memoryOf(tensorOf(values[0]), fromBytes));
  OPSCOPE_TRY_ASSIGN(const std::span<char> to, memoryOf(tensorOf(values[1]), toBytes));
  std::memmove(to.data(), from.data(), from.size());
  reply.returnNone();
  return {};
}

/// The host works in order, so its only stream is the default one, 0.
Result<> DeviceCalls::stream(FrameCode code, std::span<const TVMFFIAny> values, Reply& reply) {
  const bool namesStream =
      code == FrameCode::StreamSync || code == FrameCode::FreeStream || code == FrameCode::SetStream;
  if (namesStream) {
    OPSCOPE_TRY(expect("A stream's call", values, {Tag::Device, Tag::OpaquePointer}));
  } else {
    OPSCOPE_TRY(expect("A device's call", values, {Tag::Device}));
  }
  const DLDevice device = values[0].v_device;
  OPSCOPE_TRY(expectDevice(device));
  if (namesStream && values[1].v_uint64 != 0) {
    return wrong(fmt::format("{} has no stream {:#x}", runtime::deviceName(device), values[1].v_uint64));
  }
  if (code == FrameCode::StreamSync) {
    runtime::synchroniseDevice(device);
  }
  if (code == FrameCode::CreateStream || code == FrameCode::GetCurrentStream) {
    reply.returnPointer(0);
  } else {
    reply.returnNone();
  }
  return {};
}

}  // namespace opscope::rpc::server
