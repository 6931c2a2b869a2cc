// SPDX-License-Identifier: Apache-2.0
// Random draws for resampling: splitmix64 (Vigna), whole numbers and exact additions only, so that the same
// seed gives the same draws on every platform. A value; one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace opscope::report {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : m_state(seed) {}

  std::uint64_t next() {
    std::uint64_t mixed = (m_state += 0x9E3779B97F4A7C15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
  }

  /// Uniform in [0, count), `count` from 1 to 2^32. Off from uniform by less than one part in 2^32.
  std::uint32_t below(std::uint64_t count) {
    return static_cast<std::uint32_t>(((next() >> 32) * count) >> 32);
  }

  /// Uniform in [0, 1) with 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Close to normal with mean 0 and deviation 1, within 6 of 0: the sum of twelve uniform draws.
  double nearlyNormal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t m_state;
};

/// A seed made of `seed` and a text (FNV-1a), so that each op has draws of its own.
inline std::uint64_t mixedSeed(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u ^ seed;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3u;
  return hash;
}

}  // namespace opscope::report
