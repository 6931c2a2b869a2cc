// SPDX-License-Identifier: Apache-2.0
// Stores where nothing may be written, and where there is no room.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "engine/base/atomic_file.h"
#include "tests/store/store_fixture.h"

namespace opscope::store {
namespace {

namespace fs = std::filesystem;

using ReadOnlyTest = StoreTest;

std::string contentOf(const fs::path& path) {
  return base::readFile(path).value_or("cannot be read");
}

/// Runs `work` in a process of its own. Its text is what went wrong, "" when nothing did.
std::string inChild(const std::function<std::string()>& work) {
  int ends[2] = {};
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = work();
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "the child crashed";
}

/// The same, without root's rights.
std::string asNobody(const std::function<std::string()>& work) {
  return inChild([&work]() -> std::string {
    const bool ready = geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
    return ready ? work() : "rights cannot be given up";
  });
}

TEST_F(ReadOnlyTest, AReadOnlyFolderIsReadAndItsStoreNotWritten) {
  ASSERT_TRUE(succeeded(open().save(documentOf(report::richRun()), {})));
  chmod(path().c_str(), 0444);
  chmod(m_folder.c_str(), 0555);
  EXPECT_EQ(asNobody([this]() -> std::string {
              auto store = Store::open(path(), Access::Read);
              if (!store) return store.error().message;
              const auto loaded = store->load(1);
              if (!loaded) return loaded.error().message;
              const auto query = store->query("SELECT count(*) FROM samples", {});
              return query ? "" : query.error().message;
            }),
            "");
  EXPECT_EQ(asNobody([this]() -> std::string {
              const auto store = Store::open(path(), Access::Write);
              return store ? "it opened" : store.error().message;
            }),
            "The store " + path().string() + " may not be written.");
  EXPECT_EQ(asNobody([this]() -> std::string {
              const auto store = Store::open(m_folder / "new.sqlite", Access::Write);
              return store ? "it opened" : store.error().message;
            }),
            "Cannot open the store " + (m_folder / "new.sqlite").string() + ": Permission denied");
  chmod(m_folder.c_str(), 0755);
}

/// A small disk of its own over a folder; the world outside of this process does not see it.
class OwnDisk {
 public:
  explicit OwnDisk(const fs::path& folder) : m_folder(folder) {
    m_made = unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             mount("tmpfs", m_folder.c_str(), "tmpfs", 0, "size=4m") == 0;
  }
  bool made() const { return m_made; }
  bool close() const {
    return mount(nullptr, m_folder.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }
  void fill() const {
    std::ofstream filler(m_folder / "filler");
    const std::string block(4096, 'x');
    while (filler.write(block.data(), std::streamsize(block.size())).flush()) {
    }
  }

 private:
  fs::path m_folder;
  bool m_made = false;
};

constexpr const char* kNoDisk = "mounting a file system needs root and CAP_SYS_ADMIN";

std::string readFirstRun(const fs::path& file) {
  auto store = Store::open(file, Access::Read);
  if (!store) return store.error().message;
  const auto loaded = store->load(1);
  return loaded ? "" : loaded.error().message;
}

TEST_F(ReadOnlyTest, AReadOnlyFileSystemIsReadAndItsStoreNotWritten) {
  const std::string found = inChild([this]() -> std::string {
    const OwnDisk disk(m_folder);
    if (!disk.made()) return kNoDisk;
    if (!open().save(documentOf(report::richRun()), {})) return "nothing was saved";
    if (!disk.close()) return "it stays writable";
    return Store::open(path(), Access::Write) ? "it opened for writing" : readFirstRun(path());
  });
  if (found == kNoDisk) GTEST_SKIP() << kNoDisk;
  EXPECT_EQ(found, "");
}

TEST_F(ReadOnlyTest, AStoreOnAFullDiskIsRead) {
  const std::string found = inChild([this]() -> std::string {
    const OwnDisk disk(m_folder);
    if (!disk.made()) return kNoDisk;
    if (!open().save(documentOf(report::richRun()), {})) return "nothing was saved";
    disk.fill();
    return readFirstRun(path());
  });
  if (found == kNoDisk) GTEST_SKIP() << kNoDisk;
  EXPECT_EQ(found, "");
}

TEST_F(ReadOnlyTest, AnOldStoreInAReadOnlyFolderIsReadAsItIs) {
  fs::copy_file(fs::path(OPSCOPE_TEST_DATA) / "store" / "version1.sqlite", path());
  chmod(path().c_str(), 0444);
  const std::string before = contentOf(path());
  chmod(m_folder.c_str(), 0555);
  EXPECT_EQ(asNobody([this]() -> std::string {
              auto store = Store::open(path(), Access::Read);
              if (!store) return store.error().message;
              const auto loaded = store->load(1);
              if (!loaded) return loaded.error().message;
              if (loaded->run->spans.empty()) return "its timeline is gone";
              const auto query = store->query("SELECT repeat, call FROM spans WHERE run = 1", {});
              if (!query) return query.error().message;
              return query->rows.size() == loaded->run->spans.size() ? "" : "spans are missing";
            }),
            "");
  chmod(m_folder.c_str(), 0755);
  EXPECT_EQ(contentOf(path()), before);
}

TEST_F(ReadOnlyTest, ALockedStoreIsReadAndItsWriterWaits) {
  Store store = open();
  ASSERT_TRUE(succeeded(store.save(documentOf(report::sampleRun()), {})));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_TRUE(succeeded(store.load(1)));
  EXPECT_TRUE(succeeded(Store::open(path(), Access::Read)));
  const auto saved = store.save(documentOf(report::sampleRun()), {});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, base::ErrorCode::Timeout);
  EXPECT_EQ(saved.error().message, "The store " + path().string() + " is in use by another program.");
  sqlite3_close(other);
  EXPECT_TRUE(succeeded(store.save(documentOf(report::sampleRun()), {})));
}

}  // namespace
}  // namespace opscope::store
