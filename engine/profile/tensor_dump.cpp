// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/tensor_dump.h"

#include <fmt/format.h>

namespace opscope::profile {

namespace {

std::uint64_t bytesOf(const DLTensor& tensor) {
  std::uint64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) {
    count *= static_cast<std::uint64_t>(tensor.shape[i]);
  }
  return (count * tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
}

}  // namespace

base::Result<> TensorDump::afterCall(const WatchedCall& call) {
  if (call.kind == CallKind::Bookkeeping || call.tensors.empty()) {
    return {};
  }
  std::uint64_t wanted = 0;
  for (const WatchedTensor& shown : call.tensors) {
    wanted += bytesOf(*shown.tensor);
  }
  if (m_counts.callsBeyondLimit > 0 || m_counts.bytes + wanted > m_limitBytes) {
    ++m_counts.callsBeyondLimit;
    return {};
  }
  for (const WatchedTensor& shown : call.tensors) {
    OPSCOPE_TRY_ASSIGN(const std::span<const std::byte> bytes, compactBytes(*shown.tensor, m_scratch));
    const std::string key = fmt::format("{}/{}/{}", call.sequence, call.name, shown.place);
    OPSCOPE_TRY_ASSIGN(const bool taken, m_sink(key, *shown.tensor, bytes));
    m_counts.leftOut += taken ? 0 : 1;
    m_counts.tensors += taken ? 1 : 0;
    m_counts.bytes += taken ? bytes.size() : 0;
  }
  ++m_counts.calls;
  return {};
}

}  // namespace opscope::profile
