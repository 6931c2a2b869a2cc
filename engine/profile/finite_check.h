// SPDX-License-Identifier: Apache-2.0
// Finds the first call that gives NaN or Inf. On the machine's thread; the findings are plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/profile/call_watch.h"

namespace opscope::profile {

/// How many elements are not finite, and the first of them.
struct NonFinite {
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
  std::uint64_t firstIndex = 0;  ///< in C order
  std::string firstValue;        ///< "nan", "inf", "-inf"
  bool any() const { return nans + infinities > 0; }
};

/// Looks at elements of float16, bfloat16, float32 and float64; other types have none that are not finite.
NonFinite scanFinite(DLDataType type, std::span<const std::byte> elements);

/// One tensor with such elements.
struct NonFiniteTensor {
  std::string place;        ///< "arg1", "ret/0"
  std::string description;  ///< "float32 [2, 16]"
  std::string position;     ///< of the first: "[0, 5]"
  std::uint64_t elements = 0;
  NonFinite found;
  std::string origin;  ///< what it is, where that is known: "parameter x"; for inputs
};

struct FiniteFinding {
  std::uint64_t sequence = 0;
  std::uint32_t instruction = 0;
  std::string function;
  std::string name;
  NonFiniteTensor output;  ///< the first of the call's outputs
  std::vector<NonFiniteTensor>
      inputs;  ///< those that held such elements already: empty, the op is the source
};

class FiniteCheck final : public CallConsumer {
 public:
  /// Says what memory belongs to, "" when it does not know.
  using OriginOf = std::function<std::string(const DLTensor&)>;
  explicit FiniteCheck(OriginOf originOf) : m_originOf(std::move(originOf)) {}

  base::Result<> beforeCall(const WatchedCall& call) override;
  /// Fails the call that has a finding, so that the run stops there.
  base::Result<> afterCall(const WatchedCall& call) override;

  const std::optional<FiniteFinding>& finding() const { return m_finding; }
  std::uint64_t callsChecked() const { return m_callsChecked; }

 private:
  base::Result<std::optional<NonFiniteTensor>> look(const WatchedTensor& shown);
  base::Result<> explain(const WatchedCall& call, NonFiniteTensor output);

  OriginOf m_originOf;
  std::vector<std::byte> m_scratch;
  std::vector<NonFiniteTensor> m_heldBefore;  // in the tensors that the call which is open writes in place
  std::optional<FiniteFinding> m_finding;
  std::uint64_t m_callsChecked = 0;
};

}  // namespace opscope::profile
