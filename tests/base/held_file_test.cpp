// SPDX-License-Identifier: Apache-2.0
#include "engine/base/held_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "engine/base/atomic_file.h"

namespace opscope::base {
namespace {

constexpr std::string_view kDatabase("SQLite format 3\0 and pages", 27);

class HeldFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "opscope_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
  }
  void TearDown() override {
    if (m_descriptor >= 0) {
      ::close(m_descriptor);
    }
    std::filesystem::remove_all(m_folder);
  }
  std::filesystem::path made(const char* name, std::string_view content) const {
    const auto path = m_folder / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  void hold(const std::filesystem::path& path, int flags) {
    m_descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
    ASSERT_GE(m_descriptor, 0);
  }
  std::filesystem::path m_folder;
  int m_descriptor = -1;
};

TEST_F(HeldFileTest, ADatabaseThatIsOpenIsHeld) {
  const auto path = made("runs", kDatabase);
  EXPECT_TRUE(checkNotHeld(path));
  hold(path, O_RDWR);
  const auto held = checkNotHeld(path);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(held.error().message,
            "Cannot read " + path.string() + ": it belongs to the store of runs that is open here");
  EXPECT_EQ(held.error().hint, "Choose another file.");
}

TEST_F(HeldFileTest, LinksToItAreHeldAndCopiesAreNot) {
  const auto path = made("runs", kDatabase);
  const auto copy = made("copy", kDatabase);
  hold(path, O_RDWR);
  std::filesystem::create_symlink(path, m_folder / "soft");
  std::filesystem::create_hard_link(path, m_folder / "hard");
  EXPECT_FALSE(checkNotHeld(m_folder / "soft"));
  EXPECT_FALSE(checkNotHeld(m_folder / "hard"));
  EXPECT_TRUE(checkNotHeld(copy));
}

TEST_F(HeldFileTest, OtherFilesAreReadWhileTheyAreOpenAndWritten) {
  const auto library = made("model.so",
                            "\x7f"
                            "ELF and what follows it");
  hold(library, O_RDWR);  // as a server that takes an upload
  EXPECT_TRUE(readFile(library));
  ::close(m_descriptor);
  const auto database = made("runs.sqlite", kDatabase);
  hold(database, O_RDONLY);
  EXPECT_FALSE(readFile(database));
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
