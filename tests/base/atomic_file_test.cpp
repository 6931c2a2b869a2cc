// SPDX-License-Identifier: Apache-2.0
#include "engine/base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

namespace opscope::base {
namespace {

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "opscope_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(m_folder); }
  std::size_t fileCount() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(m_folder), {}));
  }
  std::filesystem::path m_folder;
};

TEST_F(AtomicFileTest, WritesReadsAndReplaces) {
  const auto path = m_folder / "report.json";
  ASSERT_TRUE(writeFileAtomically(path, "first"));
  ASSERT_TRUE(writeFileAtomically(path, std::string("second\0x", 8)));
  const auto content = readFile(path);
  ASSERT_TRUE(content);
  EXPECT_EQ(*content, std::string("second\0x", 8));
  EXPECT_EQ(fileCount(), 1U) << "a temporary file was left";
}

TEST_F(AtomicFileTest, ANameThatIsNotUtf8IsReadByItsBytesAndToldWhenItWasLost) {
  const auto path = m_folder / "caf\xe9.json";
  ASSERT_TRUE(writeFileAtomically(path, "{}"));
  EXPECT_EQ(readFile(path).value(), "{}");
  const auto replaced = readFile(m_folder / "caf\xEF\xBF\xBD.json");  // as the window gets it
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().hint,
            "Its name holds bytes that are no UTF-8, so that it cannot be told here: rename the file or its "
            "folder.");
  EXPECT_EQ(readFile(m_folder / "none.json").error().hint, "");
}

TEST_F(AtomicFileTest, KeepsTheModeOfTheOldFile) {
  const auto path = m_folder / "report.json";
  ASSERT_TRUE(writeFileAtomically(path, "first"));
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  ASSERT_TRUE(writeFileAtomically(path, "second"));
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
}

TEST_F(AtomicFileTest, KeepsLinks) {
  ASSERT_TRUE(writeFileAtomically(m_folder / "real", "first"));
  std::filesystem::create_symlink("real", m_folder / "link");
  ASSERT_TRUE(writeFileAtomically(m_folder / "link", "second"));
  EXPECT_TRUE(std::filesystem::is_symlink(m_folder / "link"));
  EXPECT_EQ(*readFile(m_folder / "real"), "second");
}

TEST_F(AtomicFileTest, TellsBeforehandWhetherAPathCanBeWritten) {
  ASSERT_TRUE(writeFileAtomically(m_folder / "old", "first"));
  EXPECT_TRUE(checkWritable(m_folder / "old"));
  EXPECT_TRUE(checkWritable(m_folder / "new"));
  EXPECT_TRUE(checkWritable("/dev/null"));
  EXPECT_EQ(*readFile(m_folder / "old"), "first");
  EXPECT_EQ(fileCount(), 1U) << "something was left behind";
  EXPECT_FALSE(checkWritable(m_folder));
  const auto missingFolder = checkWritable(m_folder / "no" / "file");
  ASSERT_FALSE(missingFolder);
  EXPECT_EQ(missingFolder.error().code, ErrorCode::NotFound);
}

TEST_F(AtomicFileTest, NamesThePathThatCannotBeWritten) {
  const auto missingFolder = writeFileAtomically(m_folder / "no" / "file", "x");
  ASSERT_FALSE(missingFolder);
  EXPECT_EQ(missingFolder.error().code, ErrorCode::NotFound);
  EXPECT_NE(missingFolder.error().message.find((m_folder / "no" / "file").string()), std::string::npos);

  const auto folder = writeFileAtomically(m_folder, "x");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::Io);
  EXPECT_EQ(fileCount(), 0U);
}

TEST_F(AtomicFileTest, WritesToDevices) {
  EXPECT_TRUE(writeFileAtomically("/dev/null", "x"));
}

TEST_F(AtomicFileTest, AFullDiskIsAnError) {
  const auto full = writeFileAtomically("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::Io);
}

TEST_F(AtomicFileTest, NeitherDevicesNorHugeFilesAreRead) {
  for (const char* device : {"/dev/zero", "/dev/full", "/dev/null"}) {
    const auto content = readFile(device);
    ASSERT_FALSE(content) << device;
    EXPECT_EQ(content.error().code, ErrorCode::Io);
    EXPECT_NE(content.error().message.find("device"), std::string::npos);
  }
  ASSERT_TRUE(writeFileAtomically(m_folder / "huge", "x"));
  std::filesystem::resize_file(m_folder / "huge", std::uintmax_t{1} << 40);
  EXPECT_EQ(readFile(m_folder / "huge").error().code, ErrorCode::Format);
}

TEST_F(AtomicFileTest, PipesAreReadToTheirEnd) {
  const auto path = m_folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string sent(300'000, 'x');
  sent.back() = 'y';
  std::thread writer([&] {
    const int fd = ::open(path.c_str(), O_WRONLY);
    for (std::size_t done = 0; done < sent.size();) {
      done += static_cast<std::size_t>(::write(fd, sent.data() + done, sent.size() - done));
    }
    ::close(fd);
  });
  const auto content = readFile(path);
  writer.join();
  ASSERT_TRUE(content) << content.error().message;
  EXPECT_EQ(*content, sent);
}

TEST_F(AtomicFileTest, APipeThatNobodyWritesToIsAnError) {
  const auto path = m_folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto content = readFile(path);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, ErrorCode::Io);
  EXPECT_NE(content.error().message.find("nobody writes"), std::string::npos);
}

TEST_F(AtomicFileTest, ReadErrorsAreTold) {
  EXPECT_EQ(readFile(m_folder / "none").error().code, ErrorCode::NotFound);
  EXPECT_EQ(readFile(m_folder).error().code, ErrorCode::Io);
  ASSERT_TRUE(writeFileAtomically(m_folder / "long", std::string(100, 'x')));
  EXPECT_EQ(readFile(m_folder / "long", 99).error().code, ErrorCode::Format);
  EXPECT_TRUE(readFile(m_folder / "long", 100));
}

}  // namespace
}  // namespace opscope::base
