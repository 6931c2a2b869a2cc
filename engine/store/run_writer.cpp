// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "engine/report/run_head.h"
#include "engine/report/run_report.h"
#include "engine/report/statistics.h"
#include "engine/store/columns.h"
#include "engine/store/run_rows.h"

namespace opscope::store {

namespace {

using base::Result;
using report::kNone;
using report::Run;

constexpr double kNsPerUs = 1e3;

std::string nowText() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

bool isComplete(const Run& run) {
  return run.failure.empty() && run.repeats >= run.repeatsWanted;
}

void bindIndex(Statement& statement, int parameter, std::uint32_t index) {
  index == kNone ? statement.bindNull(parameter) : statement.bind(parameter, std::int64_t{index});
}

/// Spans of repeats that follow one another, as columns.
struct SpanRow {
  std::uint32_t repeat = 0;  ///< the first
  std::vector<double> starts;
  std::vector<double> durations;
  std::vector<std::uint32_t> calls;
  std::vector<std::uint32_t> counts;  ///< spans of each repeat
  bool callsCountUp = true;           ///< in each repeat from 0 on

  std::uint32_t endRepeat() const { return repeat + static_cast<std::uint32_t>(counts.size()); }

  void clear() {
    for (std::vector<double>* column : {&starts, &durations}) column->clear();
    for (std::vector<std::uint32_t>* column : {&calls, &counts}) column->clear();
    callsCountUp = true;
  }

  /// Takes the spans of the repeat that begins at `first`; returns where the next one begins.
  std::size_t addRepeat(const std::vector<report::Span>& spans, std::size_t first) {
    std::size_t end = first;
    if (counts.empty()) {
      repeat = spans[first].repeat;
    }
    for (; end < spans.size() && spans[end].repeat == spans[first].repeat; ++end) {
      starts.push_back(spans[end].startNs);
      durations.push_back(spans[end].durationNs);
      calls.push_back(spans[end].call);
      callsCountUp = callsCountUp && spans[end].call == end - first;
    }
    counts.push_back(static_cast<std::uint32_t>(end - first));
    return end;
  }
};

class Writer {
 public:
  Writer(const Database& database, const report::Document& document)
      : m_database(database), m_document(document), m_run(*document.run) {}

  Result<RunId> write(const RunNotes& notes) {
    OPSCOPE_TRY(writeSummary(notes.note));
    m_id = sqlite3_last_insert_rowid(m_database.handle());
    OPSCOPE_TRY(writeTags(m_database, m_id, notes.tags));
    OPSCOPE_TRY(writeHead());
    OPSCOPE_TRY(writeTexts());
    OPSCOPE_TRY(writeCalls());
    OPSCOPE_TRY(writeSpans());
    OPSCOPE_TRY(writeSize());
    return m_id;
  }

 private:
  Result<> writeSummary(const std::string& note) {
    OPSCOPE_TRY_ASSIGN(
        Statement insert,
        m_database.prepare("INSERT INTO runs(saved_at, started_at, executable, path, hash, function, target, "
                           "device, inputs, warmup,"
                           " repeats, repeats_wanted, complete, failure, median_us, duration_us, calls, "
                           "samples, bytes, note, noise)"
                           " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)"));
    const std::string saved = nowText();
    const std::string name = std::filesystem::path(m_run.executablePath).filename().string();
    const std::string devices = fmt::format("{}", fmt::join(m_run.devices, ", "));
    insert.bind(1, saved).bind(2, m_run.startedAt).bind(3, name).bind(4, m_run.executablePath);
    insert.bind(5, m_run.executableHash).bind(6, m_run.function).bind(7, m_run.target).bind(8, devices);
    insert.bind(9, m_run.inputs).bind(10, std::int64_t{m_run.warmup}).bind(11, std::int64_t{m_run.repeats});
    insert.bind(12, std::int64_t{m_run.repeatsWanted})
        .bind(13, std::int64_t{isComplete(m_run)})
        .bind(14, m_run.failure);
    bindTimes(insert);
    insert.bind(17, static_cast<std::int64_t>(m_run.calls.size()));
    insert.bind(18, static_cast<std::int64_t>(m_run.ownNs.size())).bind(19, note);
    return insert.run();
  }

  void bindTimes(Statement& insert) const {
    const report::DeviceTotal* const total = report::largestTotal(m_run);
    if (total == nullptr || total->totalNs.empty()) {
      insert.bindNull(15).bind(16, 0.0).bindNull(20);
      return;
    }
    double sumNs = 0;
    for (const double ns : total->totalNs) {
      sumNs += ns;
    }
    const report::Statistics statistics = report::computeStatistics(total->totalNs);
    insert.bind(15, statistics.median / kNsPerUs).bind(16, sumNs / kNsPerUs);
    statistics.noise ? insert.bind(20, *statistics.noise) : insert.bindNull(20);
  }

  Result<> writeHead() {
    OPSCOPE_TRY_ASSIGN(Statement insert, m_database.prepare("INSERT INTO run_heads(run, json) VALUES(?, ?)"));
    const std::string head = report::toHeadJson(m_document);
    m_bytes += head.size();
    return insert.bind(1, m_id).bind(2, head).run();
  }

  Result<> writeTexts() {
    OPSCOPE_TRY_ASSIGN(
        Statement insert,
        m_database.prepare("INSERT INTO run_texts(run, kind, position, text) VALUES(?, ?, ?, ?)"));
    std::vector<std::string> counters;
    for (const report::CounterColumn& column : m_run.counters) {
      counters.push_back(column.name);
    }
    std::vector<std::pair<std::string, const std::vector<std::string>*>> kinds = {{"name", &m_run.names},
                                                                                  {"shapes", &m_run.shapes},
                                                                                  {"device", &m_run.devices},
                                                                                  {"step", &m_run.steps},
                                                                                  {"counter", &counters}};
    for (std::size_t column = 0; column < m_run.counters.size(); ++column) {
      kinds.emplace_back(fmt::format("counter:{}", column), &m_run.counters[column].texts);
    }
    for (const auto& [kind, texts] : kinds) {
      for (std::size_t position = 0; position < texts->size(); ++position) {
        const std::string& text = (*texts)[position];
        m_bytes += text.size();
        insert.bind(1, m_id).bind(2, kind).bind(3, static_cast<std::int64_t>(position)).bind(4, text);
        OPSCOPE_TRY(insert.run());
      }
    }
    return {};
  }

  Result<> writeCalls() {
    OPSCOPE_TRY_ASSIGN(
        Statement insert,
        m_database.prepare(
            "INSERT INTO run_calls(run, call, name, shapes, device, step, instruction, depth, "
            "in_report, kernel, own_ns,"
            " inclusive_ns, repeats, counters) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    std::vector<double> counters;
    for (std::size_t position = 0; position < m_run.calls.size(); ++position) {
      const report::Call& call = m_run.calls[position];
      insert.bind(1, m_id).bind(2, static_cast<std::int64_t>(position)).bind(3, std::int64_t{call.name});
      bindIndex(insert, 4, call.shapes);
      bindIndex(insert, 5, call.device);
      insert.bind(6, std::int64_t{call.step})
          .bind(7, std::int64_t{call.instruction})
          .bind(8, std::int64_t{call.depth});
      insert.bind(9, std::int64_t{call.inReport}).bind(10, std::int64_t{call.kernel});
      bindSamples(insert, call);
      bindCounters(insert, call, counters);
      OPSCOPE_TRY(insert.run());
    }
    return {};
  }

  /// Inclusive times that are the own times, and repeats that are all of them, are not kept.
  void bindSamples(Statement& insert, const report::Call& call) {
    const auto part = [&call](const auto& column) {
      return std::span(column).subspan(call.firstSample, call.sampleCount);
    };
    const auto own = part(m_run.ownNs);
    const auto inclusive = part(m_run.inclusiveNs);
    const auto repeats = part(m_run.sampleRepeat);
    bindColumn(insert, 11, own);
    std::ranges::equal(own, inclusive) ? (void)insert.bindNull(12) : bindColumn(insert, 12, inclusive);
    countsUp(repeats) ? (void)insert.bindNull(13) : bindColumn(insert, 13, repeats);
  }

  /// The values of all counters, one after the other, in `room`, which must live until the row is written.
  void bindCounters(Statement& insert, const report::Call& call, std::vector<double>& room) {
    room.clear();
    for (const report::CounterColumn& column : m_run.counters) {
      const auto values = std::span(column.values).subspan(call.firstSample, call.sampleCount);
      room.insert(room.end(), values.begin(), values.end());
    }
    m_run.counters.empty() ? (void)insert.bindNull(14)
                           : bindColumn(insert, 14, std::span<const double>(room));
  }

  template <class Number>
  void bindColumn(Statement& insert, int parameter, std::span<const Number> column) {
    insert.bind(parameter, bytesOf(column));
    m_bytes += column.size_bytes();
  }

  /// Repeats that follow one another share a row until it is large enough: a million short repeats would
  /// else take a million rows.
  Result<> writeSpans() {
    constexpr std::size_t kSpansOfRow = 4096;
    OPSCOPE_TRY_ASSIGN(
        Statement insert,
        m_database.prepare("INSERT INTO run_spans(run, repeat, start_ns, duration_ns, calls, counts)"
                           " VALUES(?, ?, ?, ?, ?, ?)"));
    SpanRow row;
    for (std::size_t first = 0; first < m_run.spans.size();) {
      const std::uint32_t repeat = m_run.spans[first].repeat;
      if (!row.counts.empty() && (row.starts.size() >= kSpansOfRow || repeat != row.endRepeat())) {
        OPSCOPE_TRY(writeRow(insert, row));
        row.clear();
      }
      first = row.addRepeat(m_run.spans, first);
    }
    return row.counts.empty() ? Result<>() : writeRow(insert, row);
  }

  Result<> writeRow(Statement& insert, const SpanRow& row) {
    insert.bind(1, m_id).bind(2, std::int64_t{row.repeat});
    bindColumn(insert, 3, std::span<const double>(row.starts));
    bindColumn(insert, 4, std::span<const double>(row.durations));
    row.callsCountUp ? (void)insert.bindNull(5)
                     : bindColumn(insert, 5, std::span<const std::uint32_t>(row.calls));
    row.counts.size() == 1 ? (void)insert.bindNull(6)
                           : bindColumn(insert, 6, std::span<const std::uint32_t>(row.counts));
    return insert.run();
  }

  Result<> writeSize() {
    OPSCOPE_TRY_ASSIGN(Statement update, m_database.prepare("UPDATE runs SET bytes = ? WHERE id = ?"));
    return update.bind(1, static_cast<std::int64_t>(m_bytes)).bind(2, m_id).run();
  }

  const Database& m_database;
  const report::Document& m_document;
  const Run& m_run;
  RunId m_id = 0;
  std::size_t m_bytes = 0;
};

}  // namespace

Result<RunId> writeRun(const Database& database, const report::Document& document, const RunNotes& notes) {
  return Writer(database, document).write(notes);
}

Result<> writeTags(const Database& database, RunId id, std::span<const std::string> tags) {
  OPSCOPE_TRY_ASSIGN(Statement insert,
                     database.prepare("INSERT OR IGNORE INTO run_tags(run, tag) VALUES(?, ?)"));
  for (const std::string& tag : tags) {
    OPSCOPE_TRY(insert.bind(1, id).bind(2, tag).run());
  }
  return {};
}

}  // namespace opscope::store
