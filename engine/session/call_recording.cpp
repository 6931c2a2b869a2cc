// SPDX-License-Identifier: Apache-2.0
#include "engine/session/call_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace opscope::session {

namespace {

base::Error spoolError(int code) {
  std::error_code ignored;
  return {base::ErrorCode::Io,
          fmt::format("Cannot keep the outputs of calls in {}: {}",
                      std::filesystem::temp_directory_path(ignored).string(), std::strerror(code)),
          "Both runs' outputs are kept in a temporary file while they are compared.",
          "Set TMPDIR to a folder on a disk with more room."};
}

}  // namespace

base::Result<TensorSpool> TensorSpool::create() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  if (failed) {
    return spoolError(failed.value());
  }
  std::string name = (folder / "opscope.XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return spoolError(errno);
  }
  ::unlink(name.c_str());
  return TensorSpool(descriptor);
}

TensorSpool::TensorSpool(TensorSpool&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size) {}

TensorSpool& TensorSpool::operator=(TensorSpool&& other) noexcept {
  std::swap(m_descriptor, other.m_descriptor);
  std::swap(m_size, other.m_size);
  return *this;
}

TensorSpool::~TensorSpool() {
  if (m_descriptor >= 0) {
    ::close(m_descriptor);
  }
}

base::Result<std::uint64_t> TensorSpool::append(std::span<const std::byte> bytes) {
  const std::uint64_t begin = m_size;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(m_size));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return spoolError(written == 0 ? ENOSPC : errno);
    }
    m_size += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return begin;
}

base::Result<> TensorSpool::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return spoolError(got == 0 ? EIO : errno);
    }
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

base::Result<> CallRecording::afterCall(const profile::WatchedCall& call) {
  if (call.kind != profile::CallKind::Kernel && call.kind != profile::CallKind::Builtin) {
    return {};
  }
  RecordedCall recorded;
  for (const profile::WatchedTensor& shown : call.tensors) {
    if (!shown.isOutput) {
      continue;
    }
    const DLTensor& tensor = *shown.tensor;
    RecordedTensor kept;
    kept.place = shown.place;
    kept.type = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
    kept.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    OPSCOPE_TRY_ASSIGN(const std::span<const std::byte> bytes, profile::compactBytes(tensor, m_scratch));
    OPSCOPE_TRY_ASSIGN(kept.offset, m_spool.append(bytes));
    kept.size = bytes.size();
    recorded.outputs.push_back(std::move(kept));
  }
  if (!recorded.outputs.empty()) {
    recorded.place = {call.sequence, std::string(call.name), std::string(call.function), call.instruction,
                      true};
    m_calls.push_back(std::move(recorded));
  }
  return {};
}

void CallRecording::fillPlaces(const std::function<void(CallPlace&)>& fill) {
  for (RecordedCall& call : m_calls) {
    fill(call.place);
  }
}

base::Result<std::vector<std::byte>> CallRecording::read(const RecordedTensor& tensor) const {
  std::vector<std::byte> bytes(tensor.size);
  OPSCOPE_TRY(m_spool.read(tensor.offset, bytes));
  return bytes;
}

}  // namespace opscope::session
