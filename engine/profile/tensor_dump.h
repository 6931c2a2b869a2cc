// SPDX-License-Identifier: Apache-2.0
// Hands the tensors of every call on, named as people look them up: "12/add/arg0", "12/add/ret". On the
// machine's thread. Names and numbers follow TVM's instrument: the order of calls, the name of the callee,
// the position among its arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/profile/call_watch.h"

namespace opscope::profile {

struct DumpCounts {
  std::uint64_t calls = 0;  ///< whose tensors were handed on
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;             ///< of their elements
  std::uint64_t leftOut = 0;           ///< tensors of types that files cannot hold
  std::uint64_t callsBeyondLimit = 0;  ///< calls that came after the limit was reached
};

class TensorDump final : public CallConsumer {
 public:
  /// Gets elements in C order. False: it cannot hold the type. Errors end the run.
  using Sink = std::function<base::Result<bool>(const std::string& key, const DLTensor& tensor,
                                                std::span<const std::byte>)>;

  /// No call is begun that would bring `counts().bytes` above `limitBytes`, and none after it.
  TensorDump(Sink sink, std::uint64_t limitBytes) : m_sink(std::move(sink)), m_limitBytes(limitBytes) {}

  /// All arguments and results as they are after the call; bookkeeping of the runtime is left out.
  base::Result<> afterCall(const WatchedCall& call) override;

  const DumpCounts& counts() const { return m_counts; }

 private:
  Sink m_sink;
  std::uint64_t m_limitBytes;
  DumpCounts m_counts;
  std::vector<std::byte> m_scratch;
};

}  // namespace opscope::profile
