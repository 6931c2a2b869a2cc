// SPDX-License-Identifier: Apache-2.0
#include "engine/store/run_list.h"

#include <fmt/format.h>

#include <limits>

namespace opscope::store {

namespace {

using base::Result;

constexpr std::string_view kColumns =
    "SELECT id, saved_at, started_at, executable, path, hash, function, target, device, inputs, failure, "
    "note,"
    " warmup, repeats, repeats_wanted, complete, median_us, duration_us, calls, samples, bytes, noise FROM "
    "runs";

StoredRun runOf(const Statement& row) {
  StoredRun run;
  std::string StoredRun::*const texts[] = {&StoredRun::savedAt, &StoredRun::startedAt, &StoredRun::executable,
                                           &StoredRun::path,    &StoredRun::hash,      &StoredRun::function,
                                           &StoredRun::target,  &StoredRun::device,    &StoredRun::inputs,
                                           &StoredRun::failure, &StoredRun::note};
  run.id = row.integer(0);
  int column = 1;
  for (const auto field : texts) {
    run.*field = row.text(column++);
  }
  run.warmup = static_cast<std::uint32_t>(row.integer(column++));
  run.repeats = static_cast<std::uint32_t>(row.integer(column++));
  run.repeatsWanted = static_cast<std::uint32_t>(row.integer(column++));
  run.complete = row.integer(column++) != 0;
  if (!row.isNull(column)) {
    run.medianUs = row.number(column);
  }
  run.durationUs = row.number(++column);
  run.calls = row.integer(++column);
  run.samples = row.integer(++column);
  run.bytes = row.integer(++column);
  if (!row.isNull(++column)) {
    run.noise = row.number(column);
  }
  return run;
}

/// The texts that the filter binds, in the order of its question marks.
std::string conditionOf(const RunFilter& filter, std::vector<std::string_view>& bound) {
  std::string sql = " WHERE 1";
  if (!filter.executable.empty()) {
    // Bytes, not letters: a path is no text in any language.
    sql += " AND (instr(executable, ?) > 0 OR substr(hash, 1, length(?)) = ?)";
    bound.insert(bound.end(), 3, filter.executable);
  }
  for (const std::string& tag : filter.tags) {
    sql += " AND id IN (SELECT run FROM run_tags WHERE tag = ?)";
    bound.push_back(tag);
  }
  if (!filter.since.empty()) {
    sql += " AND iif(started_at = '', saved_at, started_at) >= ?";
    bound.push_back(filter.since);
  }
  return sql;
}

Result<> readTags(const Database& database, std::vector<StoredRun>& runs) {
  OPSCOPE_TRY_ASSIGN(Statement rows, database.prepare("SELECT tag FROM run_tags WHERE run = ? ORDER BY tag"));
  for (StoredRun& run : runs) {
    rows.reset();
    rows.bind(1, run.id);
    while (true) {
      OPSCOPE_TRY_ASSIGN(const bool row, rows.step());
      if (!row) {
        break;
      }
      run.tags.emplace_back(rows.text(0));
    }
  }
  return {};
}

Result<std::vector<StoredRun>> runsOf(const Database& database, Statement& rows) {
  std::vector<StoredRun> runs;
  while (true) {
    OPSCOPE_TRY_ASSIGN(const bool row, rows.step());
    if (!row) {
      break;
    }
    runs.push_back(runOf(rows));
  }
  OPSCOPE_TRY(readTags(database, runs));
  return runs;
}

}  // namespace

Result<std::vector<StoredRun>> listRuns(const Database& database, const RunFilter& filter) {
  std::vector<std::string_view> bound;
  const std::string sql = fmt::format("{}{} ORDER BY id DESC LIMIT ?", kColumns, conditionOf(filter, bound));
  OPSCOPE_TRY_ASSIGN(const Transaction reading, Transaction::beginReading(database));
  OPSCOPE_TRY_ASSIGN(Statement rows, database.prepare(sql));
  int parameter = 1;
  for (const std::string_view text : bound) {
    rows.bind(parameter++, text);
  }
  constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
  const bool isLimited = filter.limit && *filter.limit < static_cast<std::size_t>(kAll);
  rows.bind(parameter, isLimited ? static_cast<std::int64_t>(*filter.limit) : kAll);
  return runsOf(database, rows);
}

Result<StoredRun> findRun(const Database& database, RunId id) {
  OPSCOPE_TRY_ASSIGN(Statement rows, database.prepare(fmt::format("{} WHERE id = ?", kColumns)));
  rows.bind(1, id);
  OPSCOPE_TRY_ASSIGN(std::vector<StoredRun> runs, runsOf(database, rows));
  if (!runs.empty()) {
    return std::move(runs.front());
  }
  OPSCOPE_TRY_ASSIGN(const std::int64_t first, database.integer("SELECT coalesce(min(id), 0) FROM runs"));
  OPSCOPE_TRY_ASSIGN(const std::int64_t last, database.integer("SELECT coalesce(max(id), 0) FROM runs"));
  return base::Error{
      base::ErrorCode::NotFound,
      fmt::format("There is no run {} in the store {}.", id, database.path().string()),
      last == 0 ? "The store is empty."
                : fmt::format("The first run there has the number {}, the last one {}.", first, last),
      "opscope-cli runs list shows them."};
}

}  // namespace opscope::store
