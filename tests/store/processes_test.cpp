// SPDX-License-Identifier: Apache-2.0
// Several connections in one process beside those of other processes: locks that one of them has are not lost
// when another one is opened or the file is looked at.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/atomic_file.h"
#include "engine/store/database.h"
#include "engine/store/store_head.h"
#include "tests/store/store_fixture.h"

namespace opscope::store {

namespace {

report::Document someDocument() {
  return documentOf(report::sampleRun());
}

/// A process that has opened nothing yet, so that SQLite in it knows of no locks of this one. It waits for a
/// byte, saves a run by a connection of its own, and ends.
class OtherProcess {
 public:
  explicit OtherProcess(const std::filesystem::path& path) {
    int ends[2] = {};
    if (::pipe(ends) != 0) {
      std::abort();
    }
    m_id = ::fork();
    if (m_id == 0) {
      char go = 0;
      if (::read(ends[0], &go, 1) != 1) {
        ::_exit(2);
      }
      auto saved = [&]() -> base::Result<RunId> {
        OPSCOPE_TRY_ASSIGN(Store store, Store::open(path, Access::Write));
        return store.save(someDocument(), {});
      }();
      ::_exit(saved ? 0 : 3);
    }
    ::close(ends[0]);
    m_go = ends[1];
  }
  ~OtherProcess() { ::close(m_go); }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  int saveAndEnd() {
    int status = -1;
    if (::write(m_go, "g", 1) != 1 || ::waitpid(m_id, &status, 0) != m_id) {
      return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t m_id = -1;
  int m_go = -1;
};

using ProcessesTest = StoreTest;

}  // namespace

TEST_F(ProcessesTest, AnotherProcessDoesNotTakeTheLogOfOpenConnections) {
  OtherProcess first(path());
  OtherProcess second(path());
  {
    Store writer = open();
    ASSERT_TRUE(succeeded(writer.save(someDocument(), {})));
    Store reader = open(Access::Read);
    ASSERT_EQ(reader.list({})->size(), 1U);
    ASSERT_EQ(first.saveAndEnd(), 0);
    EXPECT_TRUE(std::filesystem::exists(path().string() + "-wal")) << "the log of open connections is gone";
    EXPECT_EQ(reader.list({})->size(), 2U);

    ASSERT_TRUE(succeeded(readHead(path(), 64)));
    ASSERT_EQ(second.saveAndEnd(), 0);
    EXPECT_EQ(reader.list({})->size(), 3U);
    ASSERT_TRUE(succeeded(writer.save(someDocument(), {})));
    EXPECT_EQ(reader.list({})->size(), 4U);
  }
  EXPECT_EQ(open(Access::Read).list({})->size(), 4U);
  const auto database = Database::open(path(), SQLITE_OPEN_READWRITE, false);
  ASSERT_TRUE(succeeded(database));
  auto check = database->prepare("PRAGMA integrity_check");
  ASSERT_TRUE(check && check->step());
  EXPECT_EQ(check->text(0), "ok");
}

TEST_F(ProcessesTest, FilesOfTheOpenStoreAreNotReadOrReplacedByOtherMeans) {
  OtherProcess other(path());
  {
    Store writer = open();
    ASSERT_TRUE(succeeded(writer.save(someDocument(), {})));
    const std::string log = path().string() + "-wal";
    const std::string shared = path().string() + "-shm";
    const std::filesystem::path hardLink = m_folder / "link.npz";
    std::filesystem::create_hard_link(path(), hardLink);
    for (const std::filesystem::path& file :
         {path(), std::filesystem::path(log), std::filesystem::path(shared), hardLink}) {
      const auto read = base::readFile(file);
      ASSERT_FALSE(read) << file;
      EXPECT_EQ(read.error().message,
                "Cannot read " + file.string() + ": it belongs to the store of runs that is open here");
      EXPECT_FALSE(base::readFilePages(file)) << file;
      EXPECT_FALSE(base::checkWritable(file)) << file;
      const auto written = base::writeFileAtomically(file, "{}");
      ASSERT_FALSE(written) << file;
      EXPECT_EQ(written.error().message,
                "Cannot replace " + file.string() + ": it belongs to the store of runs that is open here");
    }
    EXPECT_FALSE(readHead(shared, 16));
    EXPECT_TRUE(looksLikeStore(readHead(hardLink, 16).value()));
    ASSERT_EQ(other.saveAndEnd(), 0);
    EXPECT_TRUE(std::filesystem::exists(log)) << "the log of open connections is gone";
    EXPECT_EQ(writer.list({})->size(), 2U);
  }
  EXPECT_TRUE(base::readFile(path())) << "a store that is not open is a file as others";
}

TEST_F(ProcessesTest, HeadsOfFilesThatAreNoStores) {
  EXPECT_FALSE(readHead(m_folder / "none", 16));
  EXPECT_EQ(readHead(m_folder, 16).value(), "");
  const std::filesystem::path pipe = m_folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(readHead(pipe, 16).value(), "");  // at once, though nobody writes to it
  const std::filesystem::path text = m_folder / "text";
  FILE* const file = std::fopen(text.c_str(), "w");
  std::fputs("{\"a\"", file);
  std::fclose(file);
  EXPECT_EQ(readHead(text, 16).value(), "{\"a\"");
}

}  // namespace opscope::store
