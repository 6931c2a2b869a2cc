// SPDX-License-Identifier: Apache-2.0
// A scratch folder with a store, and runs to save, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/report/op_table.h"
#include "engine/report/run_report.h"
#include "engine/store/store.h"
#include "tests/report/sample_run.h"

namespace opscope::store {

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "opscope-store-XXXXXX").string();
    m_folder = ::mkdtemp(pattern.data());
  }
  ~StoreTest() override { std::filesystem::remove_all(m_folder); }

  std::filesystem::path path() const { return m_folder / "runs.sqlite"; }

  Store open(Access access = Access::Write) const {
    auto store = Store::open(path(), access);
    if (!store) {
      ADD_FAILURE() << base::formatError(store.error());
      std::abort();
    }
    return std::move(*store);
  }

  std::filesystem::path m_folder;
};

inline report::Document documentOf(report::Run run) {
  return report::makeDocument(report::shared(std::move(run)));
}

template <class T>
::testing::AssertionResult succeeded(const base::Result<T>& result) {
  return result ? ::testing::AssertionSuccess()
                : ::testing::AssertionFailure() << base::formatError(result.error());
}

/// Runs SQL on the file with a connection of its own.
inline void execute(const std::filesystem::path& file, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  char* problem = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, &problem), SQLITE_OK)
      << (problem != nullptr ? problem : "");
  sqlite3_free(problem);
  sqlite3_close(database);
}

}  // namespace opscope::store
