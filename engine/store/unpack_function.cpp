// SPDX-License-Identifier: Apache-2.0
#include "engine/store/unpack_function.h"

#include <cstdint>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "engine/store/columns.h"

namespace opscope::store {

namespace {

enum Column { kNumber, kFirst, kSecond, kPart, kFirstArgument };
constexpr int kArguments = 4;
constexpr int kNeededArguments = 7;  // one bit each; the last one may be left out

/// The rows of one call. The base comes first: SQLite knows the cursor by its address.
struct Cursor : sqlite3_vtab_cursor {
  std::string first;
  std::string second;
  std::string numbers;
  bool hasSecond = false;
  bool hasNumbers = false;
  std::vector<std::uint32_t> counts;  // of the parts
  std::size_t count = 0;
  std::size_t position = 0;
  std::size_t part = 0;
  std::size_t firstOfPart = 0;

  /// Goes on to the part that the position is in.
  void findPart() {
    while (part < counts.size() && position >= firstOfPart + counts[part]) {
      firstOfPart += counts[part++];
    }
  }
};

template <class Number>
Number at(const std::string& column, std::size_t position) {
  return numberAt<Number>(std::as_bytes(std::span(column)), position);
}

int connect(sqlite3* database, void* /*client*/, int /*count*/, const char* const* /*arguments*/,
            sqlite3_vtab** table, char** /*problem*/) {
  const int declared = sqlite3_declare_vtab(
      database,
      "CREATE TABLE x(number INTEGER, first REAL, second REAL, part INTEGER, a HIDDEN, b HIDDEN, c HIDDEN,"
      " d HIDDEN)");
  if (declared != SQLITE_OK) {
    return declared;
  }
  sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
  *table = new (std::nothrow) sqlite3_vtab{};
  return *table == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete table;
  return SQLITE_OK;
}

int openCursor(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** cursor) {
  *cursor = new (std::nothrow) Cursor{};
  return *cursor == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int closeCursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

/// Those that are given must be known, or this order of tables is of no use.
int bestIndex(sqlite3_vtab* /*table*/, sqlite3_index_info* info) {
  int seen = 0;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn < kFirstArgument || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) {
      continue;
    }
    if (constraint.usable == 0) {
      return SQLITE_CONSTRAINT;
    }
    const int argument = constraint.iColumn - kFirstArgument;
    info->aConstraintUsage[i].argvIndex = argument + 1;
    info->aConstraintUsage[i].omit = 1;
    seen |= 1 << argument;
  }
  if ((seen & kNeededArguments) != kNeededArguments) {
    return SQLITE_CONSTRAINT;
  }
  info->estimatedCost = 1000;
  info->estimatedRows = 1000;
  return SQLITE_OK;
}

/// False for NULL.
bool take(sqlite3_value* value, std::string& bytes) {
  if (sqlite3_value_type(value) == SQLITE_NULL) {
    bytes.clear();
    return false;
  }
  const void* const data = sqlite3_value_blob(value);
  bytes.assign(static_cast<const char*>(data),
               data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_value_bytes(value)));
  return true;
}

/// Of the parts; without them all is one. False when they are not as many as there are rows.
bool takeCounts(sqlite3_value* value, Cursor& cursor) {
  cursor.count = cursor.first.size() / sizeof(double);
  cursor.counts.clear();
  std::string bytes;
  if (value == nullptr || !take(value, bytes)) {
    return true;
  }
  return appendColumn(std::as_bytes(std::span(bytes)), bytes.size() / sizeof(std::uint32_t), cursor.counts) &&
         std::accumulate(cursor.counts.begin(), cursor.counts.end(), std::uint64_t{0}) == cursor.count;
}

int filter(sqlite3_vtab_cursor* base, int /*index*/, const char* /*name*/, int count,
           sqlite3_value** values) {
  Cursor& cursor = *static_cast<Cursor*>(base);
  if (count != kArguments && count != kArguments - 1) {
    return SQLITE_INTERNAL;
  }
  bool countsFit = true;
  try {
    take(values[0], cursor.first);
    cursor.hasSecond = take(values[1], cursor.second);
    cursor.hasNumbers = take(values[2], cursor.numbers);
    countsFit = takeCounts(count == kArguments ? values[3] : nullptr, cursor);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
  cursor.position = cursor.part = cursor.firstOfPart = 0;
  cursor.findPart();
  const bool fits = countsFit && cursor.first.size() == cursor.count * sizeof(double) &&
                    (!cursor.hasSecond || cursor.second.size() == cursor.first.size()) &&
                    (!cursor.hasNumbers || cursor.numbers.size() == cursor.count * sizeof(std::uint32_t));
  if (!fits) {
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("unpack: the columns differ in length, the run is damaged");
    return SQLITE_ERROR;
  }
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* base) {
  Cursor& cursor = *static_cast<Cursor*>(base);
  ++cursor.position;
  cursor.findPart();
  return SQLITE_OK;
}

int atEnd(sqlite3_vtab_cursor* base) {
  const Cursor& cursor = *static_cast<Cursor*>(base);
  return cursor.position >= cursor.count ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int which) {
  const Cursor& cursor = *static_cast<Cursor*>(base);
  switch (which) {
    case kNumber:
      sqlite3_result_int64(context, cursor.hasNumbers
                                        ? std::int64_t{at<std::uint32_t>(cursor.numbers, cursor.position)}
                                        : static_cast<std::int64_t>(cursor.position - cursor.firstOfPart));
      break;
    case kFirst:
      sqlite3_result_double(context, at<double>(cursor.first, cursor.position));
      break;
    case kSecond:
      sqlite3_result_double(context,
                            at<double>(cursor.hasSecond ? cursor.second : cursor.first, cursor.position));
      break;
    case kPart:
      sqlite3_result_int64(context, static_cast<std::int64_t>(cursor.part));
      break;
    default:
      sqlite3_result_null(context);
  }
  return SQLITE_OK;
}

int rowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<Cursor*>(cursor)->position);
  return SQLITE_OK;
}

/// Without xCreate the table is there by itself, under the module's name.
constexpr sqlite3_module makeModule() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xBestIndex = bestIndex;
  module.xDisconnect = disconnect;
  module.xOpen = openCursor;
  module.xClose = closeCursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = atEnd;
  module.xColumn = column;
  module.xRowid = rowId;
  return module;
}

constexpr sqlite3_module kModule = makeModule();

}  // namespace

base::Result<> addUnpackFunction(const Database& database) {
  const int code = sqlite3_create_module_v2(database.handle(), "unpack", &kModule, nullptr, nullptr);
  return code == SQLITE_OK ? base::Result<>() : base::Result<>(database.error(code));
}

}  // namespace opscope::store
