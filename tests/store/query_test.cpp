// SPDX-License-Identifier: Apache-2.0
// SQL on the store: the views, and that nothing but reading is done.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "tests/store/store_fixture.h"

namespace opscope::store {
namespace {

class QueryTest : public StoreTest {
 protected:
  QueryTest() : m_store(open()) {
    EXPECT_TRUE(succeeded(m_store.save(documentOf(report::richRun()), {"a note", {"t"}})));
  }

  std::vector<std::vector<Cell>> rows(std::string_view sql) {
    auto result = m_store.query(sql, {});
    EXPECT_TRUE(succeeded(result)) << sql;
    return result ? result->rows : std::vector<std::vector<Cell>>();
  }

  std::string refused(std::string_view sql, QueryLimits limits = {}) {
    const auto result = m_store.query(sql, limits);
    return result ? "accepted" : result.error().message;
  }

  Store m_store;
};

using Rows = std::vector<std::vector<Cell>>;
using Text = std::string;

TEST_F(QueryTest, SamplesAreRows) {
  const report::Run run = report::richRun();
  Rows expected;
  for (std::size_t call = 0; call < run.calls.size(); ++call) {
    for (std::uint64_t at = run.calls[call].firstSample;
         at < run.calls[call].firstSample + run.calls[call].sampleCount; ++at) {
      expected.push_back({static_cast<std::int64_t>(call), run.names[run.calls[call].name],
                          std::int64_t{run.sampleRepeat[at]}, run.ownNs[at] / 1000,
                          run.inclusiveNs[at] / 1000});
    }
  }
  EXPECT_EQ(rows("SELECT call, name, repeat, duration_us, inclusive_us FROM samples WHERE run = 1"),
            expected);
  EXPECT_EQ(rows("SELECT shapes, device, step FROM samples WHERE call = 4"),
            (Rows{{Cell(), Cell(), Text("decode")}}));
  EXPECT_EQ(rows("SELECT count(*) FROM samples WHERE run = 2"), (Rows{{std::int64_t{0}}}));
  EXPECT_EQ(rows("SELECT name, samples FROM calls WHERE call = 1"),
            (Rows{{Text("fused_conv2d1_add"), std::int64_t{2}}}));
}

TEST_F(QueryTest, SpansAreRows) {
  const report::Run run = report::richRun();
  Rows expected;
  for (const report::Span& span : run.spans) {
    expected.push_back(
        {std::int64_t{span.repeat}, std::int64_t{span.call}, span.startNs / 1000, span.durationNs / 1000});
  }
  EXPECT_EQ(rows("SELECT repeat, call, start_us, duration_us FROM spans WHERE run = 1"), expected);
}

TEST_F(QueryTest, CountersAreRows) {
  const report::Run run = report::richRun();
  Rows expected;
  for (std::size_t call = 0; call < run.calls.size(); ++call) {
    for (const report::CounterColumn& column : run.counters) {
      const bool isText = column.kind == report::CounterColumn::Kind::Text;
      const std::uint64_t first = run.calls[call].firstSample;
      for (std::uint64_t at = first; at < first + run.calls[call].sampleCount; ++at) {
        const double value = column.values[at];
        expected.push_back({static_cast<std::int64_t>(call), column.name, std::int64_t{run.sampleRepeat[at]},
                            std::isnan(value) ? Cell()
                            : isText          ? Cell(column.texts[static_cast<std::size_t>(value)])
                                              : Cell(value)});
      }
    }
  }
  EXPECT_EQ(
      rows("SELECT call, counter, repeat, value FROM counters WHERE run = 1 ORDER BY call, counter, repeat"),
      expected);
}

TEST_F(QueryTest, LimitsHold) {
  QueryLimits limits;
  limits.rows = 3;
  const auto cut = m_store.query("SELECT * FROM samples", limits);
  ASSERT_TRUE(succeeded(cut));
  EXPECT_EQ(cut->rows.size(), 3u);
  EXPECT_TRUE(cut->cut);
  limits.rows = 9;
  EXPECT_FALSE(m_store.query("SELECT * FROM samples", limits)->cut);
  limits.bytes = 1 << 20;
  EXPECT_EQ(refused("SELECT zeroblob(2000000)", limits), "The result is larger than 1 MB.");
  limits.rows = 100'000;
  EXPECT_EQ(
      refused("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n", limits),
      "The result is larger than 1 MB.");
}

TEST_F(QueryTest, OnlyReadingIsDone) {
  EXPECT_EQ(refused("DELETE FROM runs"), "This statement does more than read.");
  EXPECT_EQ(refused("ATTACH ':memory:' AS x"), "This statement does more than read.");
  EXPECT_EQ(refused("PRAGMA query_only = OFF"), "This statement does more than read.");
  EXPECT_EQ(refused("VACUUM INTO '/tmp/opscope-vacuum.sqlite'"), "This statement does more than read.");
  EXPECT_EQ(refused("SELECT 1; SELECT 2"), "Only one SQL statement at a time is run.");
  EXPECT_EQ(refused(""), "There is no SQL statement.");
  EXPECT_EQ(refused("SELECT FROM"), "SQL: near \"FROM\": syntax error");
  EXPECT_EQ(refused("SELECT * FROM unpack(x'00', NULL, NULL)"),
            "SQL: unpack: the columns differ in length, the run is damaged");
  EXPECT_EQ(rows("SELECT count(*) FROM unpack(NULL, NULL, NULL)"), (Rows{{std::int64_t{0}}}));
  EXPECT_NE(refused("SELECT * FROM unpack"), "accepted");
  EXPECT_NE(refused("SELECT * FROM unpack(x'')"), "accepted");
  EXPECT_TRUE(succeeded(m_store.save(documentOf(report::sampleRun()), {})))
      << "the store may be written again";
}

TEST_F(QueryTest, ALongQueryIsInterrupted) {
  std::jthread other([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      m_store.interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto result = m_store.query(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n", {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, base::ErrorCode::Cancelled)
      << result.error().message << result.error().detail;
}

}  // namespace
}  // namespace opscope::store
