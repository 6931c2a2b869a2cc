// SPDX-License-Identifier: Apache-2.0
#include "engine/arrays/npz.h"

#include <sys/stat.h>

#include "engine/arrays/npy.h"
#include "tests/arrays/fixtures.h"

namespace opscope::arrays {
namespace {

constexpr ElementType kFloat32{TypeCode::Float, 32, 1};

std::vector<NamedArray> someArrays() {
  return {{"x", arrayOf<float>(kFloat32, {2, 2}, {1, 2, 3, 4})},
          {"out/1/0", arrayOf<std::int64_t>({TypeCode::Int, 64, 1}, {}, {42})},
          {"a:b.npz:c", arrayOf<std::uint8_t>({TypeCode::Bool, 8, 1}, {0, 3}, {})},
          {"große", arrayOf<std::uint16_t>({TypeCode::BFloat, 16, 1}, {1}, {0x3f80})}};
}

TEST(Npz, ReadsWhatNumpyWrote) {
  for (const char* file : {"stored.npz", "deflated.npz"}) {
    const auto reader = NpzReader::open(fixture(file));
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->keys(), (std::vector<std::string>{"x", "in/0", "a:b/c.npz:d", "scalar", "zeros", "ö"}));
    std::size_t count = 0;
    for (const Expected& expected : expectedArrays()) {
      if (expected.file != file) {
        continue;
      }
      SCOPED_TRACE(expected.file + " " + expected.key);
      EXPECT_TRUE(reader->has(expected.key));
      const auto array = reader->read(expected.key);
      ASSERT_TRUE(array) << array.error().message << array.error().detail;
      expectSame(*array, expected);
      ++count;
    }
    EXPECT_EQ(count, 6u);
  }
}

TEST(Npz, HeadersAreThoseOfTheArrays) {
  std::size_t count = 0;
  for (const Expected& expected : expectedArrays()) {
    SCOPED_TRACE(expected.file + " " + expected.key);
    const bool archive = expected.file.ends_with(".npz");
    const auto reader =
        archive ? NpzReader::open(fixture(expected.file)) : base::Result<NpzReader>(base::Error{});
    const auto header = archive ? reader->readHeader(expected.key) : readNpyHeader(fixture(expected.file));
    ASSERT_TRUE(header) << header.error().message;
    const auto array = archive ? reader->read(expected.key) : readNpy(fixture(expected.file));
    ASSERT_TRUE(array);
    EXPECT_EQ(header->type, array->type());
    EXPECT_EQ(header->shape, array->shape());
    ++count;
  }
  EXPECT_GT(count, 20u);
  // A header that is longer than what is read at first.
  TemporaryFolder folder;
  const std::vector<std::int64_t> shape(64, 1);
  const Array deep = arrayOf<float>(kFloat32, shape, {1});
  ASSERT_TRUE(writeNpz(folder / "deep.npz", {{"x", deep}}));
  ASSERT_TRUE(writeNpy(folder / "deep.npy", deep));
  ASSERT_GT(npyHeader(deep).size(), 128u);
  const auto inArchive = NpzReader::open(folder / "deep.npz")->readHeader("x");
  const auto alone = readNpyHeader(folder / "deep.npy");
  ASSERT_TRUE(inArchive && alone);
  EXPECT_EQ(inArchive->shape, shape);
  EXPECT_EQ(alone->shape, shape);
  EXPECT_EQ(NpzReader::open(folder / "deep.npz")->readHeader("y").error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(readNpyHeader(folder / "none.npy").error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(readNpyHeader(folder / ".").error().code, base::ErrorCode::Io);
  writeContent(folder / "nothing.npy", "");
  EXPECT_EQ(readNpyHeader(folder / "nothing.npy").error().code, base::ErrorCode::Format);
  writeContent(folder / "cut.npy", contentOf(folder / "deep.npy").substr(0, 200));
  EXPECT_EQ(readNpyHeader(folder / "cut.npy").error().code, base::ErrorCode::Format);
  writeContent(folder / "long.npy", std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f{", 13));
  EXPECT_EQ(readNpyHeader(folder / "long.npy").error().code, base::ErrorCode::Format);
}

TEST(Npz, WritesWhatItReads) {
  TemporaryFolder folder;
  for (const NpzCompression compression : {NpzCompression::Stored, NpzCompression::Deflated}) {
    const auto arrays = someArrays();
    const auto written = writeNpz(folder / "out.npz", arrays, compression);
    ASSERT_TRUE(written) << written.error().message;
    const auto reader = NpzReader::open(folder / "out.npz");
    ASSERT_TRUE(reader);
    ASSERT_EQ(reader->keys().size(), arrays.size());
    for (const NamedArray& entry : arrays) {
      const auto array = reader->read(entry.key);
      ASSERT_TRUE(array) << array.error().message;
      EXPECT_EQ(describeArray(*array), describeArray(entry.array));
      EXPECT_EQ(hexOf(*array), hexOf(entry.array));
    }
  }
}

TEST(Npz, BytesInMemoryAreThoseOfTheFile) {
  TemporaryFolder folder;
  for (const NpzCompression compression : {NpzCompression::Stored, NpzCompression::Deflated}) {
    ASSERT_TRUE(writeNpz(folder / "a.npz", someArrays(), compression));
    const auto content = npzContent(someArrays(), compression);
    ASSERT_TRUE(content) << content.error().message;
    EXPECT_EQ(*content, contentOf(folder / "a.npz"));
  }
  EXPECT_EQ(npzContent({}).value_or("").size(), 22u);
  auto twice = someArrays();
  twice.push_back(twice.front());
  EXPECT_EQ(npzContent(twice).error().code, base::ErrorCode::InvalidArgument);
}

TEST(Npz, SameArraysSameBytes) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeNpz(folder / "a.npz", someArrays(), NpzCompression::Deflated));
  ::setenv("TZ", "Pacific/Auckland", 1);
  ASSERT_TRUE(writeNpz(folder / "b.npz", someArrays(), NpzCompression::Deflated));
  ::unsetenv("TZ");
  EXPECT_EQ(contentOf(folder / "a.npz"), contentOf(folder / "b.npz"));
}

TEST(Npz, NoArraysGiveAnEmptyArchive) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeNpz(folder / "out.npz", {}));
  const auto reader = NpzReader::open(folder / "out.npz");
  ASSERT_TRUE(reader) << reader.error().message << reader.error().detail;
  EXPECT_TRUE(reader->keys().empty());
}

TEST(Npz, NothingIsLeftWhenWritingFails) {
  TemporaryFolder folder;
  const auto missing = writeNpz(folder / "no/out.npz", someArrays());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::ErrorCode::NotFound);
  EXPECT_FALSE(writeNpz(folder.path(), someArrays()));
  auto twice = someArrays();
  twice.push_back(twice.front());
  const auto refused = writeNpz(folder / "out.npz", twice);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message.find("two arrays have the same name (\"x\")"), std::string::npos);
  EXPECT_FALSE(writeNpz(folder / "out.npz", {{"", twice.front().array}}));
  EXPECT_FALSE(writeNpz(folder / "out.npz", {{"bad \xff name", twice.front().array}}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  // A full disk.
  const auto full = writeNpz("/dev/full", someArrays());
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, base::ErrorCode::Io);
}

TEST(Npz, ReplacesAFileAndKeepsLinkAndPermissions) {
  TemporaryFolder folder;
  writeContent(folder / "real.npz", "old");
  ::chmod((folder / "real.npz").c_str(), 0640);
  std::filesystem::create_symlink("real.npz", folder / "link.npz");
  ASSERT_TRUE(writeNpz(folder / "link.npz", someArrays()));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.npz"));
  EXPECT_TRUE(NpzReader::open(folder / "real.npz"));
  struct stat status {};
  ::stat((folder / "real.npz").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(Npz, UnknownArraysAreNamedWithTheNearest) {
  const auto reader = NpzReader::open(fixture("stored.npz"));
  ASSERT_TRUE(reader);
  const auto array = reader->read("in/O");
  ASSERT_FALSE(array);
  EXPECT_EQ(array.error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(array.error().message, fixture("stored.npz").string() + " holds no array \"in/O\".");
  EXPECT_EQ(array.error().detail, "It holds x, in/0, a:b/c.npz:d, scalar, zeros and ö.");
  EXPECT_EQ(array.error().hint, "Did you mean \"in/0\"?");
}

TEST(Npz, FilesThatAreNotArchives) {
  TemporaryFolder folder;
  EXPECT_EQ(NpzReader::open(folder / "none.npz").error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(NpzReader::open(folder.path()).error().code, base::ErrorCode::Io);
  for (const std::string& content : {std::string(), std::string("hello"), contentOf(fixture("one.npy")),
                                     contentOf(fixture("stored.npz")).substr(0, 900)}) {
    writeContent(folder / "bad.npz", content);
    const auto reader = NpzReader::open(folder / "bad.npz");
    ASSERT_FALSE(reader) << content.size();
    EXPECT_EQ(reader.error().code, base::ErrorCode::Format);
    EXPECT_EQ(reader.error().message, (folder / "bad.npz").string() + ": not a valid .npz file.");
  }
}

TEST(Npz, OtherCompressionsAreRefused) {
  const auto reader = NpzReader::open(fixture("bzip2.npz"));
  ASSERT_TRUE(reader);
  const auto array = reader->read("x");
  ASSERT_FALSE(array);
  EXPECT_EQ(array.error().code, base::ErrorCode::Unsupported);
  EXPECT_EQ(array.error().message,
            fixture("bzip2.npz").string() + ", array x: compression method 12 is not known.");
}

TEST(Npz, DamagedBytesAreFoundByTheChecksum) {
  TemporaryFolder folder;
  std::string content = contentOf(fixture("stored.npz"));
  const std::size_t data = content.find("(2, 3, 4)");
  ASSERT_NE(data, std::string::npos);
  content[content.find('\n', data) + 9] ^= 1;
  writeContent(folder / "bad.npz", content);
  const auto reader = NpzReader::open(folder / "bad.npz");
  ASSERT_TRUE(reader);
  const auto array = reader->read("x");
  ASSERT_FALSE(array);
  EXPECT_EQ(array.error().message, (folder / "bad.npz").string() + ", array x: the archive is damaged.");
  EXPECT_EQ(array.error().detail, "The reader says: CRC error.");
  EXPECT_TRUE(reader->read("in/0"));
}

TEST(Npz, AHugeClaimedSizeTakesNoMemory) {
  TemporaryFolder folder;
  std::string content = contentOf(fixture("deflated.npz"));
  const std::size_t directory = content.find("PK\x01\x02");
  ASSERT_NE(directory, std::string::npos);
  // Uncompressed size of the first entry in the directory: 2 GiB out of a few hundred bytes.
  content.replace(directory + 24, 4, std::string("\xff\xff\xff\x7f", 4));
  writeContent(folder / "bad.npz", content);
  const auto reader = NpzReader::open(folder / "bad.npz");
  ASSERT_TRUE(reader);
  const auto array = reader->read("x");
  ASSERT_FALSE(array);
  EXPECT_NE(array.error().detail.find("The directory says 2147483647 bytes"), std::string::npos);
}

TEST(Npz, AFileReplacedWhileOpenStaysReadable) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeNpz(folder / "a.npz", someArrays()));
  const auto reader = NpzReader::open(folder / "a.npz");
  ASSERT_TRUE(reader);
  ASSERT_TRUE(writeNpz(folder / "a.npz", {{"y", someArrays().front().array}}));
  EXPECT_TRUE(reader->read("x"));
  std::filesystem::remove(folder / "a.npz");
  EXPECT_TRUE(reader->read("out/1/0"));
}

}  // namespace
}  // namespace opscope::arrays
