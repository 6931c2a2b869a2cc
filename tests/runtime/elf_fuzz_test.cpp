// SPDX-License-Identifier: Apache-2.0
// Damaged libraries must give an error or a readable image, and never a crash: real ones with random changes,
// most of them where the structure is.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "engine/runtime/elf_image.h"
#include "tests/runtime/test_files.h"

namespace opscope::runtime {
namespace {

constexpr int kMutationsPerFile = 6000;

/// Touches everything that an image gives, so that a wrong view is noticed by AddressSanitizer.
std::size_t readAll(const ElfImage& image) {
  std::size_t sum = image.architecture().size();
  for (const ElfSymbol& symbol : image.definedSymbols()) {
    sum += std::hash<std::string_view>()(symbol.name);
    if (const auto data = image.dataOfSymbol(symbol.name); data && !data->empty()) {
      sum += static_cast<unsigned char>(data->front()) + static_cast<unsigned char>(data->back());
    }
  }
  for (const ElfSymbol& symbol : image.undefinedSymbols()) {
    sum += std::hash<std::string_view>()(symbol.name);
  }
  for (const std::string_view name : image.neededLibraries()) {
    sum += std::hash<std::string_view>()(name);
  }
  return sum;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : m_random(seed) {}

  std::string mutate(const std::string& original) {
    std::string bytes = original;
    const int changes = 1 + static_cast<int>(m_random() % 4);
    for (int i = 0; i < changes; ++i) {
      changeOne(bytes);
    }
    if (m_random() % 16 == 0) {
      bytes.resize(m_random() % (bytes.size() + 1));
    }
    return bytes;
  }

 private:
  void changeOne(std::string& bytes) {
    static constexpr std::array<std::uint64_t, 8> kInteresting = {
        0, 1, 0x7F, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};
    const bool inHeaders = m_random() % 2 == 0;
    const std::size_t range = inHeaders ? std::min<std::size_t>(bytes.size(), 0xA00) : bytes.size();
    const std::size_t width = std::size_t{1} << (m_random() % 4);
    if (range < width) {
      return;
    }
    const std::size_t at = (m_random() % (range - width + 1)) / width * width;
    std::uint64_t value = m_random() % 3 == 0 ? m_random() : kInteresting[m_random() % kInteresting.size()];
    std::memcpy(bytes.data() + at, &value, width);
  }

  std::mt19937_64 m_random;
};

TEST(ElfFuzz, MutatedLibrariesNeverCrash) {
  int accepted = 0;
  int refused = 0;
  std::size_t sum = 0;
  for (const char* name : {"parallel.so", "mlp_compiled.so"}) {
    const auto original = readFixture(name);
    Mutator mutator(20260727);
    for (int i = 0; i < kMutationsPerFile; ++i) {
      const auto bytes = std::make_shared<const std::string>(mutator.mutate(*original));
      const auto image = ElfImage::parse(bytes, name);
      if (image) {
        ++accepted;
        sum += readAll(*image);
      } else {
        ++refused;
        ASSERT_FALSE(image.error().message.empty());
      }
    }
  }
  EXPECT_GT(accepted, 100) << sum;
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace opscope::runtime
