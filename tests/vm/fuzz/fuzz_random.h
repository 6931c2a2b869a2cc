// SPDX-License-Identifier: Apache-2.0
// Choices of the bytecode fuzzer, the same on every machine for the same seed. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>

namespace opscope::vm::test {

class FuzzRandom {
 public:
  explicit FuzzRandom(std::uint64_t seed) : m_engine(seed * 0x9E3779B97F4A7C15U + 1) {}

  std::uint64_t word() { return m_engine(); }
  /// 0 to limit - 1; 0 when there is nothing to choose.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(word() % limit); }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::size_t>(most - least + 1)));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class List>
  const auto& oneOf(const List& list) {
    return list[below(list.size())];
  }

  /// Mostly small, at times a number that code forgets.
  std::int64_t number() {
    static constexpr std::array<std::int64_t, 22> kEdges = {0,
                                                            1,
                                                            -1,
                                                            2,
                                                            3,
                                                            7,
                                                            8,
                                                            64,
                                                            127,
                                                            128,
                                                            255,
                                                            256,
                                                            65535,
                                                            65536,
                                                            1 << 20,
                                                            std::numeric_limits<std::int32_t>::max(),
                                                            std::numeric_limits<std::int32_t>::min(),
                                                            std::int64_t{1} << 32,
                                                            (std::int64_t{1} << 54) - 1,
                                                            -(std::int64_t{1} << 54),
                                                            std::numeric_limits<std::int64_t>::max(),
                                                            std::numeric_limits<std::int64_t>::min()};
    return chance(70) ? between(-1, 6) : chance(90) ? oneOf(kEdges) : static_cast<std::int64_t>(word());
  }

 private:
  std::mt19937_64 m_engine;
};

}  // namespace opscope::vm::test
