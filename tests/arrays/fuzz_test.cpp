// SPDX-License-Identifier: Apache-2.0
// Mutated .npy and .npz files: every one must give an array or an error with words, no crash, no hang and no
// large allocation. The sanitizer presets give this test its teeth.
#include <random>

#include "engine/arrays/npy.h"
#include "engine/arrays/npz.h"
#include "tests/arrays/fixtures.h"

namespace opscope::arrays {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

/// Changes a few bytes, cuts, repeats or inserts; most changes fall into the first `hot` bytes or the last.
std::string mutate(std::string file, std::size_t hot, Random& random) {
  static const std::string kInteresting("\x00\xff\x7f\x80'(),{}:<>0123456789LOVfiub", 29);
  for (std::size_t changes = 1 + below(random, 6); changes > 0 && !file.empty(); --changes) {
    std::size_t place =
        below(random, 3) == 0 ? below(random, file.size()) : below(random, std::min(hot, file.size()));
    if (below(random, 2) == 0) {
      place = file.size() - 1 - place;
    }
    switch (below(random, 7)) {
      case 0:
        file.resize(place);
        break;
      case 1:
        file.insert(place, file.substr(below(random, file.size()), 1 + below(random, 40)));
        break;
      case 2:
        file.erase(place, 1 + below(random, 10));
        break;
      case 3:
        file[place] = static_cast<char>(random());
        break;
      case 4:
        file[place] = static_cast<char>(file[place] ^ 1 << below(random, 8));
        break;
      default:
        file[place] = kInteresting[below(random, kInteresting.size())];
    }
  }
  return file;
}

void expectWords(const base::Error& error) {
  EXPECT_FALSE(error.message.empty());
  EXPECT_NE(error.code, base::ErrorCode::Internal) << error.message;
}

TEST(ArraysFuzz, MutatedNpy) {
  Random random(1);
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(fixture(""))) {
    if (entry.path().extension() == ".npy") {
      seeds.push_back(contentOf(entry.path()));
    }
  }
  std::sort(seeds.begin(), seeds.end());
  std::size_t read = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string file = mutate(seeds[below(random, seeds.size())], 130, random);
    const auto array = parseNpy(file, "fuzz");
    if (array) {
      EXPECT_LE(array->byteSize(), file.size());
      ++read;
    } else {
      expectWords(array.error());
    }
  }
  // Changes within the elements leave a good file.
  EXPECT_GT(read, 100u);
}

TEST(ArraysFuzz, MutatedNpz) {
  Random random(2);
  TemporaryFolder folder;
  const std::string seeds[] = {contentOf(fixture("stored.npz")), contentOf(fixture("deflated.npz")),
                               contentOf(fixture("bzip2.npz"))};
  std::size_t read = 0;
  for (int round = 0; round < 5000; ++round) {
    writeContent(folder / "fuzz.npz", mutate(seeds[below(random, 3)], 600, random));
    const auto reader = NpzReader::open(folder / "fuzz.npz");
    if (!reader) {
      expectWords(reader.error());
      continue;
    }
    for (const std::string& key : reader->keys()) {
      const auto array = reader->read(key);
      if (array) {
        ++read;
      } else {
        expectWords(array.error());
      }
    }
  }
  EXPECT_GT(read, 100u);
}

}  // namespace
}  // namespace opscope::arrays
