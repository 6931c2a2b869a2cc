// SPDX-License-Identifier: Apache-2.0
#include "engine/store/database.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "engine/store/database_error.h"

namespace opscope::store {

namespace {

constexpr int kBusyTimeoutMs = 5000;

/// A path as a URI of SQLite's, with what it would take for its own written in hexadecimal digits.
std::string immutableUri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const unsigned char letter : path.string()) {
    if (letter == '?' || letter == '#' || letter == '%') {
      uri += fmt::format("%{:02x}", letter);
    } else {
      uri += static_cast<char>(letter);
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

Statement::Statement(const Database& database, sqlite3_stmt* statement)
    : m_database(&database), m_statement(statement, &sqlite3_finalize) {}

Statement& Statement::bind(int parameter, std::int64_t value) {
  m_problem = std::max(m_problem, sqlite3_bind_int64(m_statement.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  m_problem = std::max(m_problem, sqlite3_bind_double(m_statement.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  const char* const data = text.data() == nullptr ? "" : text.data();
  m_problem = std::max(m_problem, sqlite3_bind_text64(m_statement.get(), parameter, data, text.size(),
                                                      SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> bytes) {
  const void* const data = bytes.data() == nullptr ? static_cast<const void*>("") : bytes.data();
  m_problem = std::max(m_problem,
                       sqlite3_bind_blob64(m_statement.get(), parameter, data, bytes.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bindNull(int parameter) {
  m_problem = std::max(m_problem, sqlite3_bind_null(m_statement.get(), parameter));
  return *this;
}

base::Result<bool> Statement::step() {
  const int code =
      m_problem == SQLITE_OK ? sqlite3_step(m_statement.get()) : std::exchange(m_problem, SQLITE_OK);
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    base::Error error = m_database->error(code);
    reset();
    return error;
  }
  return code == SQLITE_ROW;
}

base::Result<> Statement::run() {
  OPSCOPE_TRY_ASSIGN([[maybe_unused]] const bool row, step());
  reset();
  return {};
}

std::string_view Statement::text(int column) const {
  const auto* const data = reinterpret_cast<const char*>(sqlite3_column_text(m_statement.get(), column));
  return data == nullptr
             ? std::string_view()
             : std::string_view(data,
                                static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column)));
}

std::span<const std::byte> Statement::bytes(int column) const {
  const auto* const data = static_cast<const std::byte*>(sqlite3_column_blob(m_statement.get(), column));
  return {data,
          data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

base::Result<Database> Database::open(const std::filesystem::path& path, int flags, bool immutable) {
  sqlite3* handle = nullptr;
  const std::string name = immutable ? immutableUri(path) : path.string();
  const int code = sqlite3_open_v2(
      name.c_str(), &handle,
      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (immutable ? SQLITE_OPEN_URI : 0), nullptr);
  Database database(path, handle);
  if (code != SQLITE_OK) {
    return database.error(code);
  }
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  // What stands in a file from outside runs no functions that could do harm.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return database;
}

base::Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()), 0, &statement, nullptr);
  if (code != SQLITE_OK) {
    return error(code);
  }
  return Statement(*this, statement);
}

base::Result<> Database::run(const char* sql) const {
  const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? base::Result<>() : base::Result<>(error(code));
}

base::Result<std::int64_t> Database::integer(std::string_view sql) const {
  OPSCOPE_TRY_ASSIGN(Statement statement, prepare(sql));
  OPSCOPE_TRY_ASSIGN(const bool row, statement.step());
  if (!row) {
    return error(SQLITE_CORRUPT);
  }
  return statement.integer(0);
}

base::Error Database::error(int code) const {
  const int systemCode = handle() != nullptr ? sqlite3_system_errno(handle()) : 0;
  const char* const words = handle() != nullptr ? sqlite3_errmsg(handle()) : sqlite3_errstr(code);
  return databaseError(m_path, code, words, systemCode);
}

base::Result<Transaction> Transaction::begin(const Database& database) {
  OPSCOPE_TRY(database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

base::Result<Transaction> Transaction::beginMaking(const Database& database) {
  OPSCOPE_TRY(database.run("BEGIN"));
  Transaction transaction(database);
  // It writes, and so takes the lock for writing. BEGIN IMMEDIATE would settle the setting before.
  OPSCOPE_TRY(database.run("PRAGMA auto_vacuum = INCREMENTAL"));
  return transaction;
}

base::Result<Transaction> Transaction::beginReading(const Database& database) {
  OPSCOPE_TRY(database.run("BEGIN"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // After some errors SQLite has undone it already.
  if (m_database != nullptr && sqlite3_get_autocommit(m_database->handle()) == 0) {
    sqlite3_exec(m_database->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

base::Result<> Transaction::commit() {
  OPSCOPE_TRY(m_database->run("COMMIT"));
  m_database = nullptr;
  return {};
}

}  // namespace opscope::store
