// SPDX-License-Identifier: Apache-2.0
// Copies of a session: parts of a few MiB, several on their way at once, straight from and to the caller's
// memory.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/rpc/client.h"

namespace opscope::rpc {

namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;
constexpr std::size_t kChunksUnderway = 4;
/// What a copy request holds besides its bytes, with the one dimension that ours have.
constexpr std::uint64_t kCopyHeadBytes = 4 + 32 + 8 + 8;

/// Where an address may be added to. Elsewhere it names an object of a driver's.
bool hasPlainAddresses(DLDevice device) {
  return device.device_type == kDLCPU || device.device_type == kDLCUDA || device.device_type == kDLROCM ||
         device.device_type == kDLCUDAHost || device.device_type == kDLROCMHost ||
         device.device_type == kDLCUDAManaged;
}

/// The parts of one copy, each a tensor of bytes of its own: servers copy whole views on devices other than
/// the host, and a hop loses the offset of what it hands on.
class Parts {
 public:
  Parts(const TensorView& tensor, std::uint64_t bytes, const ServerInfo& server)
      : m_tensor(tensor), m_bytes(bytes), m_fold(server.throughHop && hasPlainAddresses(tensor.device)) {
    if (server.maxPacketBytes > 0) {
      m_chunk = server.maxPacketBytes > kCopyHeadBytes
                    ? std::min(m_chunk, server.maxPacketBytes - kCopyHeadBytes)
                    : 1;
    }
    if (server.throughHop && !m_fold) {
      m_chunk = std::max<std::uint64_t>(bytes, 1);
    }
  }

  std::size_t count() const { return static_cast<std::size_t>((m_bytes + m_chunk - 1) / m_chunk); }
  std::uint64_t start(std::size_t part) const { return part * m_chunk; }
  std::uint64_t size(std::size_t part) const { return std::min(m_chunk, m_bytes - start(part)); }
  TensorView view(std::size_t part) const {
    const std::uint64_t offset = m_tensor.byteOffset + start(part);
    return {m_fold ? m_tensor.data + offset : m_tensor.data,
            m_tensor.device,
            {kDLUInt, 8, 1},
            {static_cast<std::int64_t>(size(part))},
            m_fold ? 0 : offset};
  }

 private:
  const TensorView& m_tensor;
  const std::uint64_t m_bytes;
  const bool m_fold;
  std::uint64_t m_chunk = kChunkBytes;
};

base::Result<> checkCopy(const TensorView& tensor, std::uint64_t bytes, const ServerInfo& server) {
  const auto has = dataBytes(tensor);
  if (!has.has_value() || bytes > *has) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("{} bytes are more than the remote tensor has", bytes),
                       has.has_value() ? fmt::format("it has {}", *has) : "its shape is none",
                       {}};
  }
  if (server.throughHop && tensor.byteOffset != 0 && !hasPlainAddresses(tensor.device)) {
    return base::Error{base::ErrorCode::Unsupported,
                       "a part of a tensor on this kind of device cannot be copied through another server",
                       "servers in between lose where the part begins", "connect to the board itself"};
  }
  return {};
}

/// Keeps the first error that leaves the session good, so that the answers behind it are still read.
class FirstError {
 public:
  /// False when the session is over.
  bool keep(base::Result<> result) {
    if (!result && !m_error.has_value()) {
      m_error = std::move(result).error();
    }
    return !m_error.has_value() || m_error->code == base::ErrorCode::Remote;
  }
  bool any() const { return m_error.has_value(); }
  base::Result<> result() {
    return m_error.has_value() ? base::Result<>(std::move(*m_error)) : base::Result<>();
  }

 private:
  std::optional<base::Error> m_error;
};

void putCopy(FrameWriter& outbox, FrameCode code, const Parts& parts, std::size_t part) {
  outbox.begin(code);
  outbox.putTensor(parts.view(part));
  outbox.putNumber(parts.size(part));
}

}  // namespace

base::Result<> Client::copyTo(const TensorView& tensor, std::span<const std::byte> bytes,
                              const CopyOptions& options) {
  OPSCOPE_TRY(checkCopy(tensor, bytes.size(), m_server));
  const TrafficLog::Group group(m_channel.traffic());
  const Parts parts(tensor, bytes.size(), m_server);
  const Waiting waiting = copyWaiting(options);
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  FirstError first;
  std::size_t answered = 0;
  const auto readOne = [&] {
    ++answered;
    auto reply = receiveOne(waiting);
    return first.keep(reply ? base::Result<>() : base::Result<>(std::move(reply).error()));
  };
  std::size_t sent = 0;
  for (; sent < parts.count() && !first.any(); ++sent) {
    if (sent - answered >= kChunksUnderway && !readOne()) {
      return first.result();
    }
    putCopy(m_channel.outbox(), FrameCode::CopyToRemote, parts, sent);
    m_channel.outbox().putData(content.substr(parts.start(sent), parts.size(sent)));
    m_channel.outbox().end();
    m_channel.expect();
    if (!first.keep(m_channel.flush(waiting))) {
      return first.result();
    }
    if (options.progress) {
      options.progress(parts.start(sent) + parts.size(sent), bytes.size());
    }
  }
  while (answered < sent) {
    if (!readOne()) {
      return first.result();
    }
  }
  if (!first.any() && tensor.device.device_type != kDLCPU && !bytes.empty()) {
    return synchronise(tensor.device);
  }
  return first.result();
}

base::Result<> Client::copyFrom(const TensorView& tensor, std::span<std::byte> bytes,
                                const CopyOptions& options) {
  OPSCOPE_TRY(checkCopy(tensor, bytes.size(), m_server));
  const TrafficLog::Group group(m_channel.traffic());
  const Parts parts(tensor, bytes.size(), m_server);
  const Waiting waiting = copyWaiting(options);
  FirstError first;
  std::size_t asked = 0;
  for (std::size_t answered = 0; answered < parts.count(); ++answered) {
    for (; asked < parts.count() && asked - answered < kChunksUnderway && !first.any(); ++asked) {
      putCopy(m_channel.outbox(), FrameCode::CopyFromRemote, parts, asked);
      m_channel.outbox().end();
      m_channel.expect();
    }
    if (answered == asked) {  // nothing more was asked after an error
      break;
    }
    if (!first.keep(m_channel.flush(waiting)) ||
        !first.keep(
            m_channel.receiveCopy(bytes.data() + parts.start(answered), parts.size(answered), waiting))) {
      break;
    }
    if (options.progress && !first.any()) {
      options.progress(parts.start(answered) + parts.size(answered), bytes.size());
    }
  }
  return first.result();
}

}  // namespace opscope::rpc
