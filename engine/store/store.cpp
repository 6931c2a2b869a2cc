// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "engine/base/log.h"
#include "engine/store/database.h"
#include "engine/store/run_list.h"
#include "engine/store/run_rows.h"
#include "engine/store/sql_query.h"
#include "engine/store/store_file.h"

namespace opscope::store {

using base::Error;
using base::ErrorCode;
using base::Result;

struct Store::Connection {
  explicit Connection(Database opened) : database(std::move(opened)) {}

  Database database;
  std::atomic<std::uint64_t> interrupts{0};
};

namespace {

/// The rows of a new run belong to it by construction; looking that up for a million of them takes a while.
class UncheckedKeys {
 public:
  explicit UncheckedKeys(const Database& database) : m_database(database) { set(0); }
  ~UncheckedKeys() { set(1); }
  UncheckedKeys(const UncheckedKeys&) = delete;
  UncheckedKeys& operator=(const UncheckedKeys&) = delete;

 private:
  void set(int on) const { sqlite3_db_config(m_database.handle(), SQLITE_DBCONFIG_ENABLE_FKEY, on, nullptr); }

  const Database& m_database;
};

}  // namespace

Store::Store(std::unique_ptr<Connection> connection) : m_connection(std::move(connection)) {}
Store::Store(Store&& other) noexcept = default;
Store& Store::operator=(Store&& other) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::filesystem::path& path, Access access) {
  OPSCOPE_TRY_ASSIGN(Database database, openStoreFile(path, access));
  return Store(std::make_unique<Connection>(std::move(database)));
}

Result<RunId> Store::save(const report::Document& document, const RunNotes& notes) {
  const Database& database = m_connection->database;
  const UncheckedKeys unchecked(database);
  OPSCOPE_TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
  OPSCOPE_TRY_ASSIGN(const RunId id, writeRun(database, document, notes));
  OPSCOPE_TRY(transaction.commit());
  return id;
}

Result<report::Document> Store::load(RunId id) {
  const Database& database = m_connection->database;
  OPSCOPE_TRY_ASSIGN(const Transaction reading, Transaction::beginReading(database));
  OPSCOPE_TRY(findRun(database, id));
  return readRun(database, id);
}

Result<std::vector<StoredRun>> Store::list(const RunFilter& filter) {
  return listRuns(m_connection->database, filter);
}

Result<StoredRun> Store::find(RunId id) {
  return findRun(m_connection->database, id);
}

Result<RunId> Store::newest(std::size_t back) {
  const Database& database = m_connection->database;
  OPSCOPE_TRY_ASSIGN(Statement rows,
                     database.prepare("SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?"));
  rows.bind(1, static_cast<std::int64_t>(std::min<std::size_t>(back, INT64_MAX)));
  OPSCOPE_TRY_ASSIGN(const bool row, rows.step());
  if (row) {
    return rows.integer(0);
  }
  OPSCOPE_TRY_ASSIGN(const std::int64_t count, database.integer("SELECT count(*) FROM runs"));
  return Error{
      ErrorCode::NotFound,
      count == 0 ? fmt::format("The store {} holds no runs.", database.path().string())
                 : fmt::format("The store {} holds fewer than {} runs.", database.path().string(), back + 1),
      count == 0 ? "" : fmt::format("It holds {}.", count), "opscope-cli profile FILE --save saves one."};
}

namespace {

/// Free pages go to the end of the file and off it. That it cannot be done now is no failure: the space is
/// used again, and the next removal tries once more.
void giveSpaceBack(const Database& database) {
  for (const char* sql : {"PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(TRUNCATE)"}) {
    if (auto done = database.run(sql); !done) {
      base::log(base::LogLevel::Info, fmt::format("store: {}: {}", sql, done.error().message));
    }
  }
}

/// Runs `sql` with the run and a text as its parameters. Errors: NotFound.
Result<> change(const Database& database, RunId id, std::string_view sql,
                std::span<const std::string> texts) {
  OPSCOPE_TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
  OPSCOPE_TRY(findRun(database, id));
  OPSCOPE_TRY_ASSIGN(Statement statement, database.prepare(sql));
  for (const std::string& text : texts) {
    OPSCOPE_TRY(statement.bind(1, id).bind(2, text).run());
  }
  return transaction.commit();
}

}  // namespace

Result<> Store::remove(std::span<const RunId> ids) {
  const Database& database = m_connection->database;
  {
    OPSCOPE_TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
    OPSCOPE_TRY_ASSIGN(Statement statement, database.prepare("DELETE FROM runs WHERE id = ?"));
    for (const RunId id : ids) {
      OPSCOPE_TRY(findRun(database, id));
      OPSCOPE_TRY(statement.bind(1, id).run());
    }
    OPSCOPE_TRY(transaction.commit());
  }
  giveSpaceBack(database);
  return {};
}

Result<> Store::setNote(RunId id, std::string_view note) {
  const std::string text(note);
  return change(m_connection->database, id, "UPDATE runs SET note = ?2 WHERE id = ?1", {&text, 1});
}

Result<> Store::addTags(RunId id, std::span<const std::string> tags) {
  return change(m_connection->database, id, "INSERT OR IGNORE INTO run_tags(run, tag) VALUES(?, ?)", tags);
}

Result<> Store::removeTags(RunId id, std::span<const std::string> tags) {
  return change(m_connection->database, id, "DELETE FROM run_tags WHERE run = ? AND tag = ?", tags);
}

Result<StoreInfo> Store::info() {
  const Database& database = m_connection->database;
  StoreInfo info;
  info.path = database.path();
  OPSCOPE_TRY_ASSIGN(info.runs, database.integer("SELECT count(*) FROM runs"));
  std::filesystem::path log = info.path;
  log += "-wal";
  for (const std::filesystem::path& file : {info.path, log}) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(file, missing);
    info.bytes += missing ? 0 : static_cast<std::int64_t>(bytes);
  }
  return info;
}

Result<std::int64_t> Store::changeNumber() {
  return m_connection->database.integer("PRAGMA data_version");
}

Result<QueryResult> Store::query(std::string_view sql, const QueryLimits& limits) {
  return runQuery(m_connection->database, sql, limits, m_connection->interrupts);
}

void Store::interrupt() {
  m_connection->interrupts.fetch_add(1);
}

}  // namespace opscope::store
