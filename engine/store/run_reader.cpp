// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/report/run_head.h"
#include "engine/store/columns.h"
#include "engine/store/run_rows.h"

namespace opscope::store {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using report::kNone;

class Reader {
 public:
  Reader(const Database& database, RunId id) : m_database(database), m_id(id) {}

  Result<report::Document> read() {
    OPSCOPE_TRY_ASSIGN(const std::string head, readHead());
    OPSCOPE_TRY(reserve());
    OPSCOPE_TRY(readCalls());
    OPSCOPE_TRY(checkCounts());
    OPSCOPE_TRY(readSpans());
    const std::string name = fmt::format("Run {} of the store {}", m_id, m_database.path().string());
    return report::documentFromHead(head, std::move(m_body), name);
  }

 private:
  Error damaged(std::string_view place, std::string_view detail) const {
    return {ErrorCode::Format,
            fmt::format("Run {} of the store {} is damaged: {}.", m_id, m_database.path().string(), place),
            std::string(detail), fmt::format("opscope-cli runs delete {} takes it out.", m_id)};
  }

  Result<Statement> select(std::string_view sql) const {
    OPSCOPE_TRY_ASSIGN(Statement statement, m_database.prepare(sql));
    statement.bind(1, m_id);
    return statement;
  }

  Result<std::string> readHead() const {
    OPSCOPE_TRY_ASSIGN(Statement statement, select("SELECT json FROM run_heads WHERE run = ?"));
    OPSCOPE_TRY_ASSIGN(const bool row, statement.step());
    if (!row) {
      return damaged("its head is missing", "");
    }
    return std::string(statement.text(0));
  }

  /// What the store tells of itself is held against its size before memory is taken for it.
  Result<> reserve() {
    OPSCOPE_TRY_ASSIGN(Statement statement, select("SELECT calls, samples FROM runs WHERE id = ?"));
    OPSCOPE_TRY_ASSIGN(const bool row, statement.step());
    if (!row) {
      return damaged("its summary is missing", "");
    }
    m_calls = statement.integer(0);
    m_samples = statement.integer(1);
    std::error_code problem;
    const std::uintmax_t fileBytes = std::filesystem::file_size(m_database.path(), problem);
    const std::uintmax_t most = problem ? 0 : fileBytes / sizeof(double);
    const auto within = [most](std::int64_t count) {
      return std::min(static_cast<std::uintmax_t>(std::max<std::int64_t>(count, 0)), most);
    };
    m_body.calls.reserve(within(m_calls));
    m_body.ownNs.reserve(within(m_samples));
    m_body.inclusiveNs.reserve(within(m_samples));
    m_body.sampleRepeat.reserve(within(m_samples));
    m_body.spans.reserve(within(m_samples));
    return {};
  }

  Result<> checkCounts() const {
    if (static_cast<std::int64_t>(m_body.calls.size()) != m_calls ||
        static_cast<std::int64_t>(m_body.ownNs.size()) != m_samples) {
      return damaged("calls are missing",
                     fmt::format("Found {} calls with {} samples, expected {} with {}.", m_body.calls.size(),
                                 m_body.ownNs.size(), m_calls, m_samples));
    }
    return {};
  }

  Result<> readCalls() {
    OPSCOPE_TRY_ASSIGN(Statement rows, select("SELECT call, name, shapes, device, step, instruction, depth, "
                                              "in_report, kernel, own_ns, inclusive_ns, repeats, counters"
                                              " FROM run_calls WHERE run = ? ORDER BY call"));
    while (true) {
      OPSCOPE_TRY_ASSIGN(const bool row, rows.step());
      if (!row) {
        return {};
      }
      OPSCOPE_TRY(readCall(rows));
    }
  }

  Result<> readCall(const Statement& row) {
    const auto place = [this] { return fmt::format("call {}", m_body.calls.size()); };
    bool fits = row.integer(0) == static_cast<std::int64_t>(m_body.calls.size());
    const auto index = [&](int column) {
      const std::int64_t value = row.isNull(column) ? kNone : row.integer(column);
      fits = fits && value >= 0 && value <= kNone;
      return static_cast<std::uint32_t>(value);
    };
    report::Call call;
    call.name = index(1);
    call.shapes = index(2);
    call.device = index(3);
    call.step = index(4);
    call.instruction = index(5);
    call.depth = index(6);
    call.inReport = row.integer(7) != 0;
    call.kernel = row.integer(8) != 0;
    call.firstSample = m_body.ownNs.size();
    if (!fits) {
      return damaged(place(), "A number is missing or out of range.");
    }
    const std::size_t count = row.bytes(9).size() / sizeof(double);
    call.sampleCount = static_cast<std::uint32_t>(std::min<std::size_t>(count, kNone));
    const bool whole =
        appendColumn(row.bytes(9), call.sampleCount, m_body.ownNs) &&
        appendColumn(row.bytes(row.isNull(10) ? 9 : 10), call.sampleCount, m_body.inclusiveNs) &&
        appendOptional(row, 11, call.sampleCount, m_body.sampleRepeat) &&
        appendCounters(row, 12, call.sampleCount);
    if (!whole) {
      return damaged(place(), "The columns of its samples differ in length.");
    }
    m_body.calls.push_back(call);
    return {};
  }

  /// Values of as many counters as the first call with samples has; without any there is no column.
  bool appendCounters(const Statement& row, int column, std::size_t count) {
    const std::span<const std::byte> values =
        row.isNull(column) ? std::span<const std::byte>() : row.bytes(column);
    const std::size_t bytes = count * sizeof(double);
    if (m_body.counters.empty() && bytes > 0) {
      m_body.counters.resize(values.size() / bytes);
    }
    if (values.size() != m_body.counters.size() * bytes) {
      return false;
    }
    for (std::size_t counter = 0; counter < m_body.counters.size(); ++counter) {
      appendColumn(values.subspan(counter * bytes, bytes), count, m_body.counters[counter]);
    }
    return true;
  }

  /// A column that is not kept counts up from 0.
  static bool appendOptional(const Statement& row, int column, std::size_t count,
                             std::vector<std::uint32_t>& out) {
    if (!row.isNull(column)) {
      return appendColumn(row.bytes(column), count, out);
    }
    for (std::size_t position = 0; position < count; ++position) {
      out.push_back(static_cast<std::uint32_t>(position));
    }
    return true;
  }

  Result<> readSpans() {
    OPSCOPE_TRY_ASSIGN(Statement rows, select("SELECT repeat, start_ns, duration_ns, calls, counts"
                                              " FROM run_spans WHERE run = ? ORDER BY repeat"));
    while (true) {
      OPSCOPE_TRY_ASSIGN(const bool row, rows.step());
      if (!row) {
        return {};
      }
      if (!appendSpans(rows)) {
        return damaged(fmt::format("repeat {}", rows.integer(0)),
                       "The columns of its spans differ in length.");
      }
    }
  }

  /// The spans of one row: of one repeat, or of as many as `counts` has numbers. False when it is damaged.
  bool appendSpans(const Statement& row) {
    const std::int64_t repeat = row.integer(0);
    const std::span<const std::byte> starts = row.bytes(1);
    const std::span<const std::byte> durations = row.bytes(2);
    const std::size_t count = starts.size() / sizeof(double);
    m_counts.assign(row.isNull(4) ? 1 : 0, static_cast<std::uint32_t>(std::min<std::size_t>(count, kNone)));
    m_spanCalls.clear();
    const std::size_t parts = row.isNull(4) ? 0 : row.bytes(4).size() / sizeof(std::uint32_t);
    const bool fits = starts.size() == count * sizeof(double) && durations.size() == starts.size() &&
                      (row.isNull(4) || appendColumn(row.bytes(4), parts, m_counts)) &&
                      std::accumulate(m_counts.begin(), m_counts.end(), std::uint64_t{0}) == count &&
                      (row.isNull(3) || appendColumn(row.bytes(3), count, m_spanCalls)) && repeat >= 0 &&
                      repeat + static_cast<std::int64_t>(m_counts.size()) <= kNone;
    if (!fits) {
      return false;
    }
    std::size_t at = 0;
    for (std::size_t part = 0; part < m_counts.size(); ++part) {
      for (std::uint32_t position = 0; position < m_counts[part]; ++position, ++at) {
        m_body.spans.push_back({numberAt<double>(starts, at), numberAt<double>(durations, at),
                                m_spanCalls.empty() ? position : m_spanCalls[at],
                                static_cast<std::uint32_t>(repeat) + static_cast<std::uint32_t>(part)});
      }
    }
    return true;
  }

  const Database& m_database;
  RunId m_id;
  std::int64_t m_calls = 0;  // that the summary tells
  std::int64_t m_samples = 0;
  report::RunBody m_body;
  std::vector<std::uint32_t> m_counts;     // of one row of spans
  std::vector<std::uint32_t> m_spanCalls;  // the same
};

}  // namespace

Result<report::Document> readRun(const Database& database, RunId id) {
  return Reader(database, id).read();
}

}  // namespace opscope::store
