// SPDX-License-Identifier: Apache-2.0
// The constants of a made program: some of every kind, and those that a KV cache is made with. One thread.
#pragma once

#include <string>
#include <vector>

#include "engine/vm/executable.h"
#include "tests/vm/fuzz/fuzz_random.h"

namespace opscope::vm::test {

class FuzzConstants {
 public:
  /// `wrongPercent` is how often one does not fit where it is used.
  FuzzConstants(FuzzRandom& random, unsigned wrongPercent) : m_random(random), m_wrongPercent(wrongPercent) {}

  void add();
  const std::vector<Constant>& values() const { return m_values; }
  /// As in Recipe, one letter for each value.
  const std::vector<char>& kinds() const { return m_kinds; }
  const std::string& tensorBytes() const { return m_tensorBytes; }
  /// Number of the first for KV caches: the kernels' library, sizes, layers, kinds of layers, an element.
  std::size_t firstForCaches() const { return m_firstForCaches; }

 private:
  bool isWrong() { return m_random.chance(m_wrongPercent); }
  std::int64_t integer() { return isWrong() ? m_random.number() : m_random.between(0, 4); }
  void add(char kind, Constant constant);
  void addTensor();
  void addForCaches();
  std::vector<std::int64_t> dimensions();
  DataType elementType();

  FuzzRandom& m_random;
  unsigned m_wrongPercent;
  std::vector<Constant> m_values;
  std::vector<char> m_kinds;
  std::string m_tensorBytes;
  std::size_t m_firstForCaches = 0;
};

}  // namespace opscope::vm::test
