// SPDX-License-Identifier: Apache-2.0
#include "engine/session/random_stream.h"

#include <bit>

namespace opscope::session {

namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

struct Product {
  std::uint64_t high;
  std::uint64_t low;
};

Product multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed) {
  for (std::uint64_t& word : m_state) {
    word = splitmix64(seed);
  }
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
  const std::uint64_t shifted = m_state[1] << 17;
  m_state[2] ^= m_state[0];
  m_state[3] ^= m_state[1];
  m_state[1] ^= m_state[2];
  m_state[0] ^= m_state[3];
  m_state[2] ^= shifted;
  m_state[3] = std::rotl(m_state[3], 45);
  return result;
}

std::uint64_t RandomStream::below(std::uint64_t count) {
  if (count == 0) {
    return next();
  }
  Product product = multiply(next(), count);
  if (product.low < count) {
    const std::uint64_t thrownAway = (0 - count) % count;
    while (product.low < thrownAway) {
      product = multiply(next(), count);
    }
  }
  return product.high;
}

}  // namespace opscope::session
