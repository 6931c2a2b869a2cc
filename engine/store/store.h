// SPDX-License-Identifier: Apache-2.0
// Runs on disk: one SQLite file, which several processes may use at once. A Store belongs to one thread at a
// time (`interrupt` alone may come from another) and owns its connection. docs/store.md tells the schema.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/run.h"
#include "engine/store/query_result.h"

namespace opscope::store {

using RunId = std::int64_t;

/// What a person adds to a run.
struct RunNotes {
  std::string note;
  std::vector<std::string> tags;
};

/// A run as a list shows it.
struct StoredRun {
  RunId id = 0;
  std::string savedAt;     ///< ISO 8601 in UTC
  std::string startedAt;   ///< the same; may be empty for an imported report
  std::string executable;  ///< file name
  std::string path;
  std::string hash;
  std::string function;
  std::string target;
  std::string device;  ///< "cpu0"; several with ", " between
  std::string inputs;
  std::uint32_t warmup = 0;
  std::uint32_t repeats = 0;
  std::uint32_t repeatsWanted = 0;
  bool complete = true;
  std::string failure;             ///< why it is not complete, in words
  std::optional<double> medianUs;  ///< of the total over the repeats; nothing without a repeat
  std::optional<double> noise;     ///< standard deviation / mean of the totals; nothing with one repeat
  double durationUs = 0;           ///< sum of the totals of all repeats
  std::int64_t calls = 0;
  std::int64_t samples = 0;
  std::int64_t bytes = 0;  ///< that it takes in the store, about
  std::string note;
  std::vector<std::string> tags;  ///< in alphabetical order
};

/// Which runs; an empty filter is all of them.
struct RunFilter {
  std::string executable;            ///< part of the file name, or the beginning of the hash
  std::vector<std::string> tags;     ///< each of them
  std::string since;                 ///< ISO 8601 in UTC: started then or later
  std::optional<std::size_t> limit;  ///< the newest ones
};

struct StoreInfo {
  std::filesystem::path path;
  std::int64_t bytes = 0;  ///< of the file and its log
  std::int64_t runs = 0;
};

enum class Access {
  Read,  ///< the file must be there
  Write  ///< the file is made when it is missing or empty
};

class Store {
 public:
  /// Errors: NotFound (Read: no such file; Write: no such folder), Format (not a store of ours; nothing is
  /// changed), Unsupported (a newer schema), Io (permissions, disk), Timeout (locked by others for 5 s).
  static base::Result<Store> open(const std::filesystem::path& path, Access access);
  Store(Store&& other) noexcept;
  Store& operator=(Store&& other) noexcept;
  ~Store();

  /// In one transaction; when this returns, the run is on the disk. Errors: Io, Timeout, OutOfMemory; then
  /// nothing of the run is in the store.
  base::Result<RunId> save(const report::Document& document, const RunNotes& notes);

  /// The whole run, with its report. Errors: NotFound, Format (damaged), Io.
  base::Result<report::Document> load(RunId id);

  /// Newest first.
  base::Result<std::vector<StoredRun>> list(const RunFilter& filter);

  /// Errors: NotFound, with the ids that there are.
  base::Result<StoredRun> find(RunId id);

  /// The id of the newest run for 0, of the one before for 1. Errors: NotFound.
  base::Result<RunId> newest(std::size_t back);

  /// Takes runs out, all or none, and gives their space back to the file system. Errors also: NotFound.
  base::Result<> remove(std::span<const RunId> ids);

  base::Result<> setNote(RunId id, std::string_view note);
  base::Result<> addTags(RunId id, std::span<const std::string> tags);
  base::Result<> removeTags(RunId id, std::span<const std::string> tags);

  base::Result<StoreInfo> info();

  /// Another number than before when another connection, of this process or another, changed the file since
  /// this Store was asked last. Its own changes do not count.
  base::Result<std::int64_t> changeNumber();

  /// One statement that only reads. Beside the tables of the file it sees the views `samples`, `counters`
  /// and `spans`, one row a sample, a counter's value and a span. Errors: InvalidArgument (SQL, or what may
  /// not be done), Cancelled (interrupt), Format (more than `limits` allow in bytes).
  base::Result<QueryResult> query(std::string_view sql, const QueryLimits& limits);

  /// Ends a query that runs. Any thread, as long as the Store lives.
  void interrupt();

 private:
  struct Connection;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> m_connection;
};

}  // namespace opscope::store
