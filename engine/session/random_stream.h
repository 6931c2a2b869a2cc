// SPDX-License-Identifier: Apache-2.0
// The random numbers of inputs: xoshiro256** (Blackman, Vigna), the same on every platform. A value; one
// thread at a time.
#pragma once

#include <cstdint>

namespace opscope::session {

class RandomStream {
 public:
  /// The state is four outputs of splitmix64 that begins at `seed`.
  explicit RandomStream(std::uint64_t seed);

  /// Uniform over all 64-bit numbers.
  std::uint64_t next();

  /// Uniform in [0, count), or over all numbers when `count` is 0. Unbiased (Lemire's method: the high half
  /// of a product, few products are thrown away).
  std::uint64_t below(std::uint64_t count);

 private:
  std::uint64_t m_state[4];
};

}  // namespace opscope::session
