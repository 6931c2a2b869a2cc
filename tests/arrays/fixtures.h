// SPDX-License-Identifier: Apache-2.0
// Fixtures of tests/data/arrays and a folder for what a test writes.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "engine/arrays/array.h"

namespace opscope::arrays {

inline std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(OPSCOPE_TEST_DATA) / "arrays" / name;
}

inline std::string contentOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeContent(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// One line of expected.txt.
struct Expected {
  std::string file;
  std::string key;
  std::string type;
  std::string shape;
  std::string hex;
};

inline std::vector<Expected> expectedArrays() {
  std::ifstream in(fixture("expected.txt"));
  std::vector<Expected> all;
  for (Expected line; in >> line.file >> line.key >> line.type >> line.shape >> line.hex;) {
    all.push_back(line);
  }
  return all;
}

inline std::string hexOf(const Array& array) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (std::size_t i = 0; i < array.byteSize(); ++i) {
    const auto value = static_cast<unsigned>(array.data()[i]);
    hex += {kDigits[value >> 4], kDigits[value & 15]};
  }
  return hex.empty() ? "-" : hex;
}

inline std::string shapeWord(const Array& array) {
  std::string text;
  for (const std::int64_t size : array.shape()) {
    text += (text.empty() ? "" : "x") + std::to_string(size);
  }
  return text.empty() ? "scalar" : text;
}

inline void expectSame(const Array& array, const Expected& expected) {
  EXPECT_EQ(elementTypeName(array.type()), expected.type);
  EXPECT_EQ(shapeWord(array), expected.shape);
  EXPECT_EQ(hexOf(array), expected.hex);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0u);
}

template <class T>
Array arrayOf(ElementType type, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  return *Array::copyOf(type, std::move(shape), values.data(), values.size() * sizeof(T));
}

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "opscope-test-XXXXXX").string();
    m_path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return m_path / name; }
  const std::filesystem::path& path() const { return m_path; }

 private:
  std::filesystem::path m_path;
};

}  // namespace opscope::arrays
