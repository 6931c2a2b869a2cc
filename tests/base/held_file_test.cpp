// SPDX-License-Identifier: Apache-2.0
#include "engine/base/held_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "engine/base/atomic_file.h"

namespace opscope::base {
namespace {

class HeldFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "opscope_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(m_folder); }
  std::filesystem::path made(const char* name, std::string_view content) const {
    const auto path = m_folder / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::filesystem::path m_folder;
};

TEST_F(HeldFileTest, WhatADatabaseWorksWithIsHeldAsLongAsItDoes) {
  const auto path = made("runs", "some bytes");
  const auto log = made("runs-wal", "the log");
  const auto other = made("runs-1", "another file");
  EXPECT_TRUE(checkNotHeld(path));
  {
    const FileHold first(path);
    const FileHold second(path);
    const auto held = checkNotHeld(path);
    ASSERT_FALSE(held);
    EXPECT_EQ(held.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(held.error().message,
              "Cannot read " + path.string() + ": it belongs to the store of runs that is open here");
    EXPECT_EQ(held.error().hint, "Choose another file.");
    EXPECT_FALSE(checkNotHeld(log));
    EXPECT_FALSE(readFile(log));
    EXPECT_TRUE(checkNotHeld(other));
  }
  EXPECT_TRUE(readFile(path));
}

TEST_F(HeldFileTest, LinksToItAreHeldAndCopiesAreNot) {
  const auto path = made("runs", "some bytes");
  const auto copy = made("copy", "some bytes");
  const FileHold hold(path);
  std::filesystem::create_symlink(path, m_folder / "soft");
  std::filesystem::create_hard_link(path, m_folder / "hard");
  EXPECT_FALSE(checkNotHeld(m_folder / "soft"));
  EXPECT_FALSE(checkNotHeld(m_folder / "hard"));
  EXPECT_TRUE(checkNotHeld(copy));
}

TEST_F(HeldFileTest, WhatIsOpenForOtherReasonsIsNotHeld) {
  // As an upload that is written and read again.
  const auto path = made("model.so.part", "SQLite format 3 or whatever it holds");
  const FileHold hold(m_folder / "runs");
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  EXPECT_TRUE(readFile(path));
  ::close(descriptor);
}

TEST_F(HeldFileTest, WhatIsNoRegularFileIsLeftToTheReader) {
  EXPECT_TRUE(checkNotHeld(m_folder));
  EXPECT_TRUE(checkNotHeld(m_folder / "none"));
  EXPECT_TRUE(checkNotHeld("/dev/null"));
  EXPECT_TRUE(readFile("/proc/self/stat"));
}

TEST_F(HeldFileTest, AWrittenFileIsNotHeldByItsWriter) {
  const auto path = m_folder / "report.json";
  for (const char* content : {"first", "second"}) {
    auto writer = AtomicFileWriter::create(path);
    ASSERT_TRUE(writer && writer->write(content) && writer->commit());
    EXPECT_EQ(readFile(path).value(), content);  // the writer lives
  }
}

}  // namespace
}  // namespace opscope::base
