// SPDX-License-Identifier: Apache-2.0
#include "engine/store/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace opscope::store {

namespace {

// Rows of a run are kept together by keys that begin with it. Times are nanoseconds in the tables and
// microseconds in views. docs/store.md explains each column.
constexpr const char* kVersion1 = R"(
CREATE TABLE runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  saved_at TEXT NOT NULL,
  started_at TEXT NOT NULL,
  executable TEXT NOT NULL,
  path TEXT NOT NULL,
  hash TEXT NOT NULL,
  function TEXT NOT NULL,
  target TEXT NOT NULL,
  device TEXT NOT NULL,
  inputs TEXT NOT NULL,
  warmup INTEGER NOT NULL,
  repeats INTEGER NOT NULL,
  repeats_wanted INTEGER NOT NULL,
  complete INTEGER NOT NULL,
  failure TEXT NOT NULL,
  median_us REAL,
  duration_us REAL NOT NULL,
  calls INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  note TEXT NOT NULL);
CREATE TABLE run_tags(
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY(run, tag)) WITHOUT ROWID;
CREATE TABLE run_heads(
  run INTEGER PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,
  json TEXT NOT NULL);
CREATE TABLE run_texts(
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY(run, kind, position)) WITHOUT ROWID;
CREATE TABLE run_calls(
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  call INTEGER NOT NULL,
  name INTEGER NOT NULL,
  shapes INTEGER,
  device INTEGER,
  step INTEGER NOT NULL,
  instruction INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  in_report INTEGER NOT NULL,
  kernel INTEGER NOT NULL,
  own_ns BLOB NOT NULL,
  inclusive_ns BLOB,
  repeats BLOB,
  counters BLOB,
  PRIMARY KEY(run, call)) WITHOUT ROWID;
CREATE TABLE run_spans(
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  repeat INTEGER NOT NULL,
  start_ns BLOB NOT NULL,
  duration_ns BLOB NOT NULL,
  calls BLOB,
  PRIMARY KEY(run, repeat)) WITHOUT ROWID;
CREATE VIEW calls AS
SELECT c.run AS run, c.call AS call, n.text AS name, s.text AS shapes, d.text AS device, t.text AS step,
  c.instruction AS instruction, c.depth AS depth, c.in_report AS in_report, c.kernel AS kernel,
  length(c.own_ns) / 8 AS samples
FROM run_calls AS c
LEFT JOIN run_texts AS n ON n.run = c.run AND n.kind = 'name' AND n.position = c.name
LEFT JOIN run_texts AS s ON s.run = c.run AND s.kind = 'shapes' AND s.position = c.shapes
LEFT JOIN run_texts AS d ON d.run = c.run AND d.kind = 'device' AND d.position = c.device
LEFT JOIN run_texts AS t ON t.run = c.run AND t.kind = 'step' AND t.position = c.step;
)";

// Several repeats in one row. What stood there before is right as it is: NULL, a row of one repeat.
constexpr const char* kVersion2 = "ALTER TABLE run_spans ADD COLUMN counts BLOB";

// Lists tell the noise of each run: standard deviation / mean of the totals of the device that took longest.
constexpr const char* kVersion3 = R"(
ALTER TABLE runs ADD COLUMN noise REAL;
UPDATE runs SET noise = (
  SELECT iif(n > 1 AND mean > 0, sqrt(max(squares - n * mean * mean, 0) / (n - 1)) / mean, NULL)
  FROM (SELECT count(*) AS n, avg(v.value) AS mean, sum(v.value * v.value) AS squares
        FROM run_heads AS h, json_each(h.json, '$.totals') AS t, json_each(t.value, '$.totalNs') AS v
        WHERE h.run = runs.id GROUP BY t.key ORDER BY mean DESC LIMIT 1));
)";

constexpr const char* kMigrations[] = {kVersion1, kVersion2, kVersion3};

// kStandIns[n] shows a file of version n + 1, which cannot be written, as one of version n + 2.
constexpr const char* kStandIns[] = {
    "CREATE TEMP VIEW run_spans AS SELECT *, NULL AS counts FROM main.run_spans",
    "CREATE TEMP VIEW runs AS SELECT *, NULL AS noise FROM main.runs"};
static_assert(std::size(kStandIns) + 1 == std::size(kMigrations));

base::Error newerSchema(const Database& database, std::int64_t found, std::size_t known) {
  return {base::ErrorCode::Unsupported,
          fmt::format("The store {} was made by a newer version of Opscope.", database.path().string()),
          fmt::format("Its schema is {}, this program knows up to {}. It was left as it is.", found, known),
          "Open it with a newer Opscope, or name another store with --store FILE."};
}

base::Result<std::int64_t> versionOf(const Database& database, std::size_t known) {
  OPSCOPE_TRY_ASSIGN(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version < 0 || static_cast<std::size_t>(version) > known) {
    return newerSchema(database, version, known);
  }
  return version;
}

}  // namespace

std::span<const char* const> migrations() {
  return kMigrations;
}

base::Result<> migrate(const Database& database, std::span<const char* const> steps) {
  OPSCOPE_TRY_ASSIGN(const std::int64_t before, versionOf(database, steps.size()));
  if (static_cast<std::size_t>(before) == steps.size()) {
    return {};
  }
  OPSCOPE_TRY_ASSIGN(Transaction transaction,
                     before == 0 ? Transaction::beginMaking(database) : Transaction::begin(database));
  // Another process may have been faster.
  OPSCOPE_TRY_ASSIGN(const std::int64_t version, versionOf(database, steps.size()));
  for (std::size_t step = static_cast<std::size_t>(version); step < steps.size(); ++step) {
    OPSCOPE_TRY(database.run(steps[step]));
  }
  const std::string marks =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, steps.size());
  OPSCOPE_TRY(database.run(marks.c_str()));
  return transaction.commit();
}

base::Result<> standIn(const Database& database) {
  OPSCOPE_TRY_ASSIGN(const std::int64_t version, versionOf(database, std::size(kMigrations)));
  for (std::size_t step = static_cast<std::size_t>(std::max<std::int64_t>(version, 1));
       step < std::size(kMigrations); ++step) {
    OPSCOPE_TRY(database.run(kStandIns[step - 1]));
  }
  return {};
}

}  // namespace opscope::store
