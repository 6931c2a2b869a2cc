// SPDX-License-Identifier: Apache-2.0
#include "engine/arrays/npz_stream.h"

#include "engine/arrays/npz.h"
#include "tests/arrays/fixtures.h"

namespace opscope::arrays {
namespace {

constexpr ElementType kFloat32{TypeCode::Float, 32, 1};

base::Result<> add(NpzStreamWriter& writer, const std::string& key, const Array& array) {
  return writer.add(key, array.type(), array.shape(), {array.data(), array.byteSize()});
}

TEST(NpzStream, WritesWhatTheReaderReads) {
  TemporaryFolder folder;
  auto writer = NpzStreamWriter::create(folder / "out.npz");
  ASSERT_TRUE(writer) << writer.error().message;
  const std::vector<NamedArray> arrays = {
      {"0/add/arg0", arrayOf<float>(kFloat32, {2, 2}, {1, 2, 3, 4})},
      {"0/add/ret", arrayOf<std::int64_t>({TypeCode::Int, 64, 1}, {}, {42})},
      {"größe", arrayOf<std::uint16_t>({TypeCode::BFloat, 16, 1}, {1}, {0x3f80})},
      {"none", arrayOf<std::uint8_t>({TypeCode::Bool, 8, 1}, {0, 3}, {})}};
  for (const NamedArray& entry : arrays) {
    ASSERT_TRUE(add(*writer, entry.key, entry.array));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out.npz"));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(writer->bytesWritten(), std::filesystem::file_size(folder / "out.npz"));
  const auto reader = NpzReader::open(folder / "out.npz");
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_EQ(reader->keys().size(), arrays.size());
  for (const NamedArray& entry : arrays) {
    const auto array = reader->read(entry.key);
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(describeArray(*array), describeArray(entry.array));
    EXPECT_EQ(hexOf(*array), hexOf(entry.array));
  }
}

TEST(NpzStream, MoreArraysThanTheOldFormatCounts) {
  TemporaryFolder folder;
  auto writer = NpzStreamWriter::create(folder / "many.npz");
  ASSERT_TRUE(writer);
  const Array one = arrayOf<float>(kFloat32, {1}, {7});
  constexpr int kCount = 70'000;
  for (int i = 0; i < kCount; ++i) {
    ASSERT_TRUE(add(*writer, std::to_string(i), one));
  }
  ASSERT_TRUE(writer->finish());
  const auto reader = NpzReader::open(folder / "many.npz");
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->keys().size(), static_cast<std::size_t>(kCount));
  EXPECT_TRUE(reader->read("69999"));
}

TEST(NpzStream, NothingIsLeftWhenItIsNotFinished) {
  TemporaryFolder folder;
  {
    auto writer = NpzStreamWriter::create(folder / "out.npz");
    ASSERT_TRUE(writer);
    ASSERT_TRUE(add(*writer, "x", arrayOf<float>(kFloat32, {1}, {7})));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_FALSE(NpzStreamWriter::create(folder / "no" / "out.npz"));
}

TEST(NpzStream, AnEmptyArchiveIsOne) {
  TemporaryFolder folder;
  auto writer = NpzStreamWriter::create(folder / "out.npz");
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->finish());
  const auto reader = NpzReader::open(folder / "out.npz");
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_TRUE(reader->keys().empty());
}

TEST(NpzStream, WrongNamesAndSizesAreRefused) {
  TemporaryFolder folder;
  auto writer = NpzStreamWriter::create(folder / "out.npz");
  ASSERT_TRUE(writer);
  const Array one = arrayOf<float>(kFloat32, {1}, {7});
  EXPECT_TRUE(add(*writer, "x", one));
  EXPECT_FALSE(add(*writer, "x", one));
  EXPECT_FALSE(add(*writer, "", one));
  EXPECT_FALSE(add(*writer, std::string("a\0b", 3), one));
  EXPECT_FALSE(writer->add("y", kFloat32, one.shape(), {one.data(), 3}));
  EXPECT_TRUE(writer->finish());
}

}  // namespace
}  // namespace opscope::arrays
