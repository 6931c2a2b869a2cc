// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fuzz/fuzz_constants.h"

#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace opscope::vm::test {

namespace {

constexpr std::array<std::string_view, 12> kTexts = {"",          "global",
                                                     "x = {}",    "{}{",
                                                     "values",    "both",
                                                     "indices",   "ErrorContext(fn=main, loc=param[0])",
                                                     "%s%n",      "vm.builtin.make_tuple",
                                                     "{0}{1}{9}", "\xFF\xFE"};

}  // namespace

void FuzzConstants::add() {
  const std::size_t count = 6 + m_random.below(14);
  for (std::size_t i = 0; i < count; ++i) {
    switch (i < 4 ? i : m_random.below(7)) {
      case 0:
        add('s', ShapeConstant{dimensions()});
        break;
      case 1:
        add('d', elementType());
        break;
      case 2:
        add('S', i == 2 && !isWrong() ? std::string("global") : std::string(m_random.oneOf(kTexts)));
        break;
      case 3:
        addTensor();
        break;
      case 4:
        add('i', integer());
        break;
      case 5:
        add('i', m_random.chance(50) ? 1.5 : std::numeric_limits<double>::quiet_NaN());
        break;
      default:
        add('s', ShapeConstant{{integer(), m_random.between(1, 64)}});
        break;
    }
  }
  addForCaches();
}

void FuzzConstants::add(char kind, Constant constant) {
  m_kinds.push_back(kind);
  m_values.push_back(std::move(constant));
}

std::vector<std::int64_t> FuzzConstants::dimensions() {
  std::vector<std::int64_t> shape(m_random.below(4));
  for (std::int64_t& dimension : shape) {
    dimension = isWrong() ? m_random.number() : m_random.between(0, 5);
  }
  return shape;
}

DataType FuzzConstants::elementType() {
  static constexpr std::array<DataType, 14> kTypes = {
      DataType{2, 32, 1}, DataType{0, 64, 1}, DataType{0, 32, 1}, DataType{0, 8, 1},  DataType{1, 8, 1},
      DataType{6, 8, 1},  DataType{2, 16, 1}, DataType{2, 64, 1}, DataType{4, 16, 1}, DataType{0, 4, 1},
      DataType{1, 1, 1},  DataType{2, 32, 4}, DataType{10, 8, 1}, DataType{5, 64, 1}};
  if (!isWrong()) {
    return m_random.chance(60) ? kTypes[m_random.below(3)] : m_random.oneOf(kTypes);
  }
  return {static_cast<std::uint8_t>(m_random.word() % 20), static_cast<std::uint8_t>(m_random.word()),
          static_cast<std::uint16_t>(m_random.chance(50) ? 1 : m_random.word())};
}

void FuzzConstants::addTensor() {
  TensorConstant tensor;
  tensor.type = elementType();
  tensor.type.lanes = 1;
  tensor.type.bits = tensor.type.bits == 0 ? 8 : tensor.type.bits;
  const std::size_t rank = m_random.below(4);
  std::size_t size = (tensor.type.bits + 7U) / 8;
  for (std::size_t i = 0; i < rank; ++i) {
    tensor.shape.push_back(m_random.between(0, 5));
    size *= static_cast<std::size_t>(tensor.shape.back());
  }
  tensor.offset = m_tensorBytes.size();
  tensor.size = size;
  for (std::size_t i = 0; i < size; ++i) {
    m_tensorBytes.push_back(static_cast<char>(m_random.chance(60) ? m_random.below(4) : m_random.word()));
  }
  add('t', tensor);
}

void FuzzConstants::addForCaches() {
  m_firstForCaches = m_values.size();
  add('S', std::string("tirx"));
  add('s', ShapeConstant{{2, isWrong() ? m_random.number() : 32, 8, 4, m_random.between(0, 1),
                          isWrong() ? m_random.number() : 6}});
  add('s', ShapeConstant{{0, isWrong() ? m_random.number() : 2}});
  add('s', ShapeConstant{{m_random.chance(80) ? 0 : 1, m_random.chance(80) ? 0 : 3}});
  TensorConstant element;
  element.type = {2, 32, 1};
  element.offset = m_tensorBytes.size();
  element.size = 4;
  m_tensorBytes.append(4, '\0');
  add('t', element);
  add('s', ShapeConstant{{m_random.between(0, 2)}});
  add('s', ShapeConstant{{m_random.between(1, 3)}});
}

}  // namespace opscope::vm::test
