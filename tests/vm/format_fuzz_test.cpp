// SPDX-License-Identifier: Apache-2.0
// Damaged executables and libraries: read, inferred and listed without a crash or a hang. Seeds are fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "engine/vm/annotation_parser.h"
#include "engine/vm/executable_decoder.h"
#include "engine/vm/executable_file.h"
#include "engine/vm/library_blob.h"
#include "engine/vm/listing.h"
#include "engine/vm/signature.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm {

namespace {

// Everything that is done with a decoded executable.
void use(const ExecutableData& data, std::span<const KernelInfo> kernels = {}) {
  for (std::size_t index = 0; index < data.functions.size(); ++index) {
    EXPECT_LE(describeSignature(inferSignature(data, static_cast<std::int64_t>(index), kernels)).size(),
              std::size_t{1} << 26);
  }
  EXPECT_FALSE(toListing(data).empty() && !data.functions.empty());
}

bool decodeAndUse(const std::string& bytes) {
  const auto data = decodeExecutable(bytes, "damaged.so");
  if (data) {
    use(**data);
    return true;
  }
  EXPECT_FALSE(data.error().message.empty());
  EXPECT_FALSE(data.error().detail.empty());
  return false;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : m_random(seed) {}

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(m_random() % limit); }

  // One to eight edits of `bytes` within [begin, end).
  void mutate(std::string& bytes, std::size_t begin, std::size_t end) {
    const std::size_t edits = 1 + below(8);
    for (std::size_t edit = 0; edit < edits && end - begin > 16; ++edit) {
      const std::size_t at = begin + below(end - begin - 8);
      switch (below(5)) {
        case 0:
          bytes[at] = static_cast<char>(m_random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 2:
          write(bytes, at, interesting());
          break;
        case 3: {  // a piece again in another place
          const std::size_t from = begin + below(end - begin - 8);
          const std::size_t size = std::min(1 + below(64), end - std::max(at, from));
          std::memmove(bytes.data() + at, bytes.data() + from, size);
          break;
        }
        default:
          bytes[at] = static_cast<char>(bytes[at] + (below(2) == 0 ? 1 : -1));
      }
    }
  }

  void write(std::string& bytes, std::size_t at, std::int64_t value) const {
    std::memcpy(bytes.data() + at, &value, std::min(sizeof(value), bytes.size() - at));
  }

  std::int64_t interesting() { return kInteresting[below(std::size(kInteresting))]; }

  static constexpr std::int64_t kInteresting[] = {0,
                                                  1,
                                                  2,
                                                  -1,
                                                  -2,
                                                  64,
                                                  65,
                                                  0x10000,
                                                  0x100000,
                                                  0x7FFFFFFF,
                                                  0x80000000,
                                                  0xFFFFFFFF,
                                                  std::int64_t{1} << 54,
                                                  (std::int64_t{1} << 54) + 1,
                                                  std::int64_t{1} << 56,
                                                  (std::int64_t{1} << 57) - 1,
                                                  std::int64_t{3} << 56,
                                                  std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::min()};

 private:
  std::mt19937_64 m_random;
};

constexpr const char* kSmall[] = {"tvm027/closure", "tvm027/misc", "tvm027/ifelse_compiled", "tvm027/tuples"};

}  // namespace

// Each byte position of small executables gets numbers that often break readers; all fields are among them.
TEST(FormatFuzz, EveryFieldOfSmallExecutables) {
  std::size_t tries = 0;
  for (const char* fixture : kSmall) {
    const std::string original = test::executableBytes(fixture);
    ASSERT_TRUE(decodeAndUse(original)) << fixture;
    Mutator mutator(1);
    for (std::size_t at = 0; at < original.size(); ++at) {
      std::string bytes = original;
      mutator.write(bytes, at, mutator.interesting());
      decodeAndUse(bytes);
      bytes = original;
      bytes[at] = static_cast<char>(bytes[at] + 1);
      decodeAndUse(bytes);
      tries += 2;
    }
  }
  EXPECT_GE(tries, 10000U);
}

TEST(FormatFuzz, RandomEditsOfAllExecutables) {
  std::vector<std::string> originals;
  for (const std::string& fixture : test::allFixtures()) {
    std::string bytes = test::executableBytes(fixture);
    if (bytes.size() < 20000) {
      originals.push_back(std::move(bytes));
    }
  }
  ASSERT_GE(originals.size(), 25U);
  Mutator mutator(2);
  std::size_t decoded = 0;
  for (int round = 0; round < 12000; ++round) {
    std::string bytes = originals[mutator.below(originals.size())];
    mutator.mutate(bytes, 0, bytes.size());
    if (mutator.below(16) == 0) {
      bytes.resize(mutator.below(bytes.size()));
    }
    decoded += decodeAndUse(bytes) ? 1 : 0;
  }
  // Edits of names, numbers and tensors leave many readable; with none the test would test little.
  EXPECT_GE(decoded, 500U);
}

TEST(FormatFuzz, WholeLibraries) {
  Mutator mutator(3);
  std::size_t read = 0;
  for (const char* fixture : {"tvm027/dynreshape", "tvm027/tuples", "tvm027/ifelse_compiled"}) {
    const std::string original = test::fileBytes(test::fixturePath(fixture));
    const std::size_t blob = original.find("relax.VMExecutable");
    ASSERT_NE(blob, std::string::npos);
    for (int round = 0; round < 700; ++round) {
      std::string bytes = original;
      switch (mutator.below(4)) {
        case 0:  // header, program headers, dynamic symbols
          mutator.mutate(bytes, 0, 4096);
          break;
        case 1:  // module tree and executable
          mutator.mutate(bytes, blob - 80, std::min(bytes.size(), blob + 4096));
          break;
        case 2:
          mutator.mutate(bytes, 0, bytes.size());
          break;
        default:
          bytes.resize(mutator.below(bytes.size()));
      }
      const auto file =
          parseExecutableFile(std::make_shared<const std::string>(std::move(bytes)), "damaged.so");
      if (file) {
        ++read;
        use(*file->data, file->kernels);
      } else {
        EXPECT_FALSE(file.error().message.empty());
      }
    }
  }
  EXPECT_GE(read, 100U);
}

TEST(FormatFuzz, ModuleTrees) {
  const std::string library = test::fileBytes(test::fixturePath("tvm027/closure"));
  // size, three rows and their number, one import and its number, length of the kind: 8 words before the kind
  const std::size_t start = library.find("relax.VMExecutable") - 64;
  const std::string original = library.substr(start, 4000);
  Mutator mutator(4);
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = original;
    mutator.mutate(bytes, 0, 120);
    (void)parseLibraryBlob(bytes, "damaged.so");
  }
}

TEST(FormatFuzz, Texts) {
  const std::string texts[] = {
      "ErrorContext(fn=main, loc=param[1], param=t, annotation=T.Tuple(R.Tensor((T.int64(4), n * "
      "T.int64(6)), "
      "dtype=\"float32\"), R.Shape([n, \"m\"]), R.Prim(\"int64\"), R.Tensor(ndim=3, dtype=\"int8x4\"))) ",
      "fused_rope(qkv: Tensor([seq_len, 8, T.int64(32)], float32), pos: Tensor([n // 2], int32), rope: "
      "int64)"};
  const std::string letters = "()[]\",'=:\\ nT.int64(R-9";
  Mutator mutator(5);
  for (int round = 0; round < 20000; ++round) {
    std::string text = texts[mutator.below(2)];
    for (std::size_t edit = 0; edit < 1 + mutator.below(6); ++edit) {
      const char letter = letters[mutator.below(letters.size())];
      const std::size_t at = mutator.below(text.size());
      mutator.below(2) == 0 ? text.replace(at, 1, 1, letter) : text.insert(at, 1, letter);
    }
    const auto context = parseErrorContext(text);
    (void)parseAnnotation(context ? context->annotation : text);
    (void)parseKernelSignature(text);
  }
}

}  // namespace opscope::vm
