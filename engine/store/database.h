// SPDX-License-Identifier: Apache-2.0
// SQLite as this module uses it: connections and statements that free themselves, errors in words. For
// sources of this module only; one thread at a time.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/held_file.h"
#include "engine/base/result.h"

namespace opscope::store {

class Database;

/// A prepared statement. It must not outlive its Database.
class Statement {
 public:
  // Parameters count from 1. Texts and bytes must live until the statement is stepped or bound again.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::span<const std::byte> bytes);
  Statement& bindNull(int parameter);

  /// True when a row is there.
  base::Result<bool> step();
  /// For statements without rows: runs it, and makes it ready for other parameters.
  base::Result<> run();
  void reset() { sqlite3_reset(m_statement.get()); }

  // Columns of the row at hand count from 0. Views are good until the next step.
  std::int64_t integer(int column) const { return sqlite3_column_int64(m_statement.get(), column); }
  double number(int column) const { return sqlite3_column_double(m_statement.get(), column); }
  std::string_view text(int column) const;
  std::span<const std::byte> bytes(int column) const;
  bool isNull(int column) const { return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL; }
  sqlite3_stmt* handle() const { return m_statement.get(); }

 private:
  friend class Database;
  Statement(const Database& database, sqlite3_stmt* statement);

  const Database* m_database;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> m_statement;
  int m_problem = SQLITE_OK;  // of binding
};

class Database {
 public:
  /// `flags` are those of sqlite3_open_v2. `uri` when the name is one.
  static base::Result<Database> open(const std::filesystem::path& path, int flags, bool immutable);

  base::Result<Statement> prepare(std::string_view sql) const;
  /// One or more statements whose rows nobody wants.
  base::Result<> run(const char* sql) const;
  /// The first column of the first row. Errors also: no row.
  base::Result<std::int64_t> integer(std::string_view sql) const;

  /// What `code` means for the store, in words.
  base::Error error(int code) const;

  const std::filesystem::path& path() const { return m_path; }
  sqlite3* handle() const { return m_handle.get(); }

 private:
  Database(std::filesystem::path path, sqlite3* handle)
      : m_path(std::move(path)), m_hold(m_path), m_handle(handle, &sqlite3_close_v2) {}

  std::filesystem::path m_path;
  base::FileHold m_hold;  // until the handle is closed
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> m_handle;
};

/// A transaction that is undone unless it is committed. It takes the lock for writing at once, so that it
/// cannot fail half-way for another writer.
class Transaction {
 public:
  static base::Result<Transaction> begin(const Database& database);
  /// For an empty file: settings that the first table fixes are part of it, so that the file is empty or
  /// whole.
  static base::Result<Transaction> beginMaking(const Database& database);
  /// For several reads that must see the same state. Never committed.
  static base::Result<Transaction> beginReading(const Database& database);
  Transaction(Transaction&& other) noexcept : m_database(std::exchange(other.m_database, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  base::Result<> commit();

 private:
  explicit Transaction(const Database& database) : m_database(&database) {}
  const Database* m_database;
};

}  // namespace opscope::store
