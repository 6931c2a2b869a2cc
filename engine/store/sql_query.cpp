// SPDX-License-Identifier: Apache-2.0
#include "engine/store/sql_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>

#include "engine/store/unpack_function.h"

namespace opscope::store {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

/// They live in the connection, not in the file: other programs do not have `unpack`.
constexpr const char* kViews = R"(
CREATE TEMP VIEW IF NOT EXISTS samples AS
SELECT c.run AS run, c.call AS call, n.text AS name, s.text AS shapes, d.text AS device, t.text AS step,
  c.instruction AS instruction, c.depth AS depth, c.in_report AS in_report, c.kernel AS kernel,
  u.number AS repeat, u.first / 1000.0 AS duration_us, u.second / 1000.0 AS inclusive_us
FROM main.run_calls AS c
LEFT JOIN main.run_texts AS n ON n.run = c.run AND n.kind = 'name' AND n.position = c.name
LEFT JOIN main.run_texts AS s ON s.run = c.run AND s.kind = 'shapes' AND s.position = c.shapes
LEFT JOIN main.run_texts AS d ON d.run = c.run AND d.kind = 'device' AND d.position = c.device
LEFT JOIN main.run_texts AS t ON t.run = c.run AND t.kind = 'step' AND t.position = c.step
JOIN unpack(c.own_ns, c.inclusive_ns, c.repeats, NULL) AS u;
CREATE TEMP VIEW IF NOT EXISTS counters AS
SELECT c.run AS run, c.call AS call, n.text AS name, p.text AS counter, u.number AS repeat,
  coalesce(w.text, u.first) AS value
FROM main.run_calls AS c
JOIN main.run_texts AS p ON p.run = c.run AND p.kind = 'counter'
LEFT JOIN main.run_texts AS n ON n.run = c.run AND n.kind = 'name' AND n.position = c.name
JOIN unpack(substr(c.counters, 1 + p.position * length(c.own_ns), length(c.own_ns)), NULL, c.repeats, NULL) AS u
LEFT JOIN main.run_texts AS w ON w.run = c.run AND w.kind = 'counter:' || p.position AND w.position = CAST(u.first AS INTEGER);
CREATE TEMP VIEW IF NOT EXISTS spans AS
SELECT p.run AS run, p.repeat + u.part AS repeat, u.number AS call, u.first / 1000.0 AS start_us,
  u.second / 1000.0 AS duration_us
FROM run_spans AS p
JOIN unpack(p.start_ns, p.duration_ns, p.calls, p.counts) AS u;
)";

/// A table-valued function is declared when it is first named, which looks like a change of the schema to
/// who allows reading alone: those that may be used are named before.
constexpr const char* kTouchFunctions =
    "SELECT 1 FROM unpack(NULL, NULL, NULL, NULL), json_each('[]'), json_tree('[]'), "
    "pragma_table_info('runs'),"
    " pragma_table_xinfo('runs'), pragma_table_list, pragma_index_list('runs'), pragma_index_info('x') LIMIT "
    "0";

constexpr std::array kReadingPragmas = {"table_info", "table_xinfo", "table_list", "index_list",
                                        "index_info"};

/// What a statement may do. `first` and `second` depend on the action.
int authorize(void* /*client*/, int action, const char* first, const char* second, const char* /*schema*/,
              const char* /*trigger*/) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && std::string_view(second) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      for (const std::string_view known : kReadingPragmas) {
        if (first != nullptr && known == first) {
          return SQLITE_OK;
        }
      }
      return SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

/// The connection reads only as long as this lives.
class ReadOnly {
 public:
  ReadOnly(const Database& database, std::size_t mostBytes) : m_database(database) {
    sqlite3_set_authorizer(database.handle(), authorize, nullptr);
    const auto length = static_cast<int>(std::min<std::size_t>(mostBytes, INT_MAX));
    m_oldLength = sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, length);
  }
  ~ReadOnly() {
    sqlite3_limit(m_database.handle(), SQLITE_LIMIT_LENGTH, m_oldLength);
    sqlite3_set_authorizer(m_database.handle(), nullptr, nullptr);
    sqlite3_exec(m_database.handle(), "PRAGMA query_only = OFF", nullptr, nullptr, nullptr);
  }
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;

 private:
  const Database& m_database;
  int m_oldLength = 0;
};

/// Statements of the connection end early once the count of interrupts changes. sqlite3_interrupt is no way
/// for this: it is lost between two statements, and while a table function is connected it shows as an error.
class Interruptible {
 public:
  Interruptible(const Database& database, const std::atomic<std::uint64_t>& interrupts)
      : m_database(database), m_interrupts(interrupts), m_seen(interrupts.load()) {
    sqlite3_progress_handler(database.handle(), kStepsBetweenLooks, isOver, this);
  }
  ~Interruptible() { sqlite3_progress_handler(m_database.handle(), 0, nullptr, nullptr); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  static constexpr int kStepsBetweenLooks = 1000;

  static int isOver(void* self) {
    const auto* const query = static_cast<const Interruptible*>(self);
    return query->m_interrupts.load() != query->m_seen ? 1 : 0;
  }

  const Database& m_database;
  const std::atomic<std::uint64_t>& m_interrupts;
  std::uint64_t m_seen;
};

Error wrongSql(const Database& database) {
  std::string detail;
  const int offset = sqlite3_error_offset(database.handle());
  if (offset >= 0) {
    detail = fmt::format("At character {}.", offset + 1);
  }
  const int code = sqlite3_errcode(database.handle());
  const bool isDenied = code == SQLITE_AUTH;
  return {ErrorCode::InvalidArgument,
          isDenied ? "This statement does more than read."
                   : fmt::format("SQL: {}", sqlite3_errmsg(database.handle())),
          isDenied ? "Queries on the store cannot change it, attach files or set options." : detail,
          "docs/store.md tells the tables and views: runs, run_tags, calls, samples, spans, counters."};
}

Error tooLarge(std::size_t limit) {
  return {ErrorCode::Unsupported, fmt::format("The result is larger than {} MB.", limit >> 20), "",
          "Select fewer columns or rows; columns of samples are large."};
}

Cell cellOf(sqlite3_stmt* row, int column) {
  const auto size = [&] { return static_cast<std::size_t>(sqlite3_column_bytes(row, column)); };
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(row, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(row, column);
    case SQLITE_TEXT: {
      const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
      return text == nullptr ? std::string() : std::string(text, size());
    }
    case SQLITE_BLOB: {
      const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
      return Blob{bytes == nullptr ? std::string() : std::string(bytes, size())};
    }
    default:
      return std::monostate();
  }
}

std::size_t sizeOf(const Cell& cell) {
  const auto* const text = std::get_if<std::string>(&cell);
  const auto* const blob = std::get_if<Blob>(&cell);
  return sizeof(Cell) + (text != nullptr ? text->size() : 0) + (blob != nullptr ? blob->bytes.size() : 0);
}

class Query {
 public:
  Query(const Database& database, const QueryLimits& limits) : m_database(database), m_limits(limits) {}

  Result<QueryResult> run(std::string_view sql) {
    OPSCOPE_TRY(prepare(sql));
    const int columns = sqlite3_column_count(m_statement.get());
    for (int column = 0; column < columns; ++column) {
      m_result.columns.emplace_back(sqlite3_column_name(m_statement.get(), column));
    }
    while (true) {
      const int code = sqlite3_step(m_statement.get());
      if (code == SQLITE_DONE) {
        return std::move(m_result);
      }
      if (code != SQLITE_ROW) {
        return stepError(code & 0xFF);
      }
      if (m_result.rows.size() == m_limits.rows) {
        m_result.cut = true;
        return std::move(m_result);
      }
      OPSCOPE_TRY(addRow(columns));
    }
  }

 private:
  Error stepError(int code) const {
    if (code == SQLITE_ERROR || code == SQLITE_AUTH) {  // VACUUM INTO is found out when it runs
      return wrongSql(m_database);
    }
    return code == SQLITE_TOOBIG ? tooLarge(m_limits.bytes) : m_database.error(code);
  }

  Result<> prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v3(m_database.handle(), sql.data(), static_cast<int>(sql.size()), 0,
                                        &statement, &rest);
    m_statement.reset(statement);
    if (code != SQLITE_OK) {
      const int kind = code & 0xFF;
      return kind == SQLITE_ERROR || kind == SQLITE_AUTH ? wrongSql(m_database) : m_database.error(code);
    }
    if (statement == nullptr) {
      return Error{ErrorCode::InvalidArgument, "There is no SQL statement.", "", ""};
    }
    // A comment may follow, another statement may not.
    sqlite3_stmt* second = nullptr;
    const auto left = static_cast<int>(sql.data() + sql.size() - rest);
    const int secondCode = sqlite3_prepare_v3(m_database.handle(), rest, left, 0, &second, nullptr);
    if (sqlite3_finalize(second); second != nullptr || secondCode != SQLITE_OK) {
      return Error{ErrorCode::InvalidArgument, "Only one SQL statement at a time is run.", "", ""};
    }
    return {};
  }

  Result<> addRow(int columns) {
    std::vector<Cell> cells;
    cells.reserve(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column) {
      cells.push_back(cellOf(m_statement.get(), column));
      m_bytes += sizeOf(cells.back());
      if (m_bytes > m_limits.bytes) {
        return tooLarge(m_limits.bytes);
      }
    }
    m_result.rows.push_back(std::move(cells));
    return {};
  }

  const Database& m_database;
  const QueryLimits& m_limits;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> m_statement{nullptr, &sqlite3_finalize};
  std::size_t m_bytes = 0;
  QueryResult m_result;
};

}  // namespace

Result<QueryResult> runQuery(const Database& database, std::string_view sql, const QueryLimits& limits,
                             const std::atomic<std::uint64_t>& interrupts) {
  const Interruptible end(database, interrupts);
  OPSCOPE_TRY(addUnpackFunction(database));
  OPSCOPE_TRY(database.run(kTouchFunctions));
  OPSCOPE_TRY(database.run(kViews));
  OPSCOPE_TRY(database.run("PRAGMA query_only = ON"));
  const ReadOnly guard(database, limits.bytes);
  return Query(database, limits).run(sql);
}

}  // namespace opscope::store
