// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_pool.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "engine/report/interner.h"
#include "engine/report/op_table.h"
#include "engine/report/run_report.h"

namespace opscope::report {

namespace {

constexpr double kNsPerUs = 1e3;

/// A call of the pool with its samples of all runs.
struct PooledCall {
  Call call;
  std::vector<double> ownNs;
  std::vector<double> inclusiveNs;
  std::vector<std::uint32_t> repeats;
};

class Pooler {
 public:
  explicit Pooler(const Run& first) : m_run(headOf(first)) {}

  void add(const Document& document) {
    const Run& run = *document.run;
    m_run.hasStartTimes = m_run.hasStartTimes && run.hasStartTimes;
    const OpTable table = buildOpTable(document, Grouping::ByOp);
    std::unordered_map<std::string, std::size_t> taken;
    for (const OpRow& row : table.rows) addRow(run, table, row, taken);
    addTotals(run);
    m_run.repeats += run.repeats;
    m_run.repeatsWanted += run.repeatsWanted;
  }

  std::shared_ptr<const Run> finish() {
    for (PooledCall& pooled : m_calls) {
      pooled.call.firstSample = m_run.ownNs.size();
      pooled.call.sampleCount = static_cast<std::uint32_t>(pooled.ownNs.size());
      m_run.calls.push_back(pooled.call);
      m_run.ownNs.insert(m_run.ownNs.end(), pooled.ownNs.begin(), pooled.ownNs.end());
      m_run.inclusiveNs.insert(m_run.inclusiveNs.end(), pooled.inclusiveNs.begin(), pooled.inclusiveNs.end());
      m_run.sampleRepeat.insert(m_run.sampleRepeat.end(), pooled.repeats.begin(), pooled.repeats.end());
      pooled = {};
    }
    m_run.configuration.set(kRepeats, Count{m_run.repeats});
    return std::make_shared<const Run>(std::move(m_run));
  }

 private:
  static Run headOf(const Run& first) {
    Run run;
    run.executablePath = first.executablePath;
    run.executableHash = first.executableHash;
    run.function = first.function;
    run.target = first.target;
    run.startedAt = first.startedAt;
    run.inputs = first.inputs;
    run.warmup = first.warmup;
    run.steps = {std::string()};
    run.configuration = first.configuration;
    run.timing = first.timing;
    run.remote = first.remote;
    run.environment = first.environment;
    return run;
  }

  /// `taken`: calls of an op that this run has filled already; rows with other hashes share its texts.
  void addRow(const Run& run, const OpTable& table, const OpRow& row,
              std::unordered_map<std::string, std::size_t>& taken) {
    constexpr char kBetween = '\0';
    std::string key(nameOf(run, row));
    ((key += kBetween) += shapesOf(run, row)) += kBetween;
    key += deviceOf(run, row);
    std::vector<std::size_t>& calls = m_ops[key];
    std::size_t& used = taken[key];
    for (const std::uint32_t call : table.callsOf(row)) {
      if (used == calls.size()) {
        calls.push_back(m_calls.size());
        m_calls.push_back({callOf(run, row, run.calls[call]), {}, {}, {}});
      }
      addSamples(run, run.calls[call], m_calls[calls[used++]]);
    }
  }

  Call callOf(const Run& run, const OpRow& row, const Call& original) {
    Call call;
    call.name = m_names.idOf(nameOf(run, row));
    if (row.shapes != kNone) call.shapes = m_shapes.idOf(shapesOf(run, row));
    if (row.device != kNone) call.device = m_devices.idOf(deviceOf(run, row));
    call.instruction = original.instruction;
    call.depth = original.depth;
    call.inReport = true;
    call.kernel = original.kernel;
    return call;
  }

  void addSamples(const Run& run, const Call& call, PooledCall& pooled) const {
    for (std::uint64_t at = call.firstSample; at < call.firstSample + call.sampleCount; ++at) {
      if (run.sampleRepeat[at] >= run.repeats) continue;
      pooled.ownNs.push_back(run.ownNs[at]);
      pooled.inclusiveNs.push_back(run.inclusiveNs[at]);
      pooled.repeats.push_back(m_run.repeats + run.sampleRepeat[at]);
    }
  }

  /// A device that a run does not use took no time in it.
  void addTotals(const Run& run) {
    for (const DeviceTotal& total : run.totals) {
      auto found = std::ranges::find(m_run.totals, total.device, &DeviceTotal::device);
      if (found == m_run.totals.end()) {
        m_run.totals.push_back({total.device, {}});
        found = std::prev(m_run.totals.end());
      }
      found->totalNs.resize(m_run.repeats, 0.0);
      found->totalNs.insert(found->totalNs.end(), total.totalNs.begin(), total.totalNs.end());
    }
    for (DeviceTotal& total : m_run.totals) total.totalNs.resize(m_run.repeats + run.repeats, 0.0);
  }

  Run m_run;
  Interner m_names{m_run.names};
  Interner m_shapes{m_run.shapes};
  Interner m_devices{m_run.devices};
  std::unordered_map<std::string, std::vector<std::size_t>> m_ops;  ///< by texts, of m_calls
  std::vector<PooledCall> m_calls;
};

}  // namespace

RunPool poolRuns(std::span<const Document> documents) {
  RunPool pool;
  std::uint32_t repeats = 0;
  for (const Document& document : documents) {
    pool.runs.push_back(document.run);
    pool.firstRepeats.push_back(repeats);
    repeats += document.run->repeats;
  }
  pool.firstRepeats.push_back(repeats);
  if (documents.size() == 1) {
    pool.document = documents.front();
    return pool;
  }
  Pooler pooler(*documents.front().run);
  for (const Document& document : documents) pooler.add(document);
  pool.document = makeDocument(pooler.finish());
  return pool;
}

std::vector<std::vector<double>> samplesByRun(const RunPool& pool, std::span<const std::uint32_t> calls) {
  const Run& run = *pool.document.run;
  std::vector<double> sums(run.repeats, 0.0);
  std::vector<bool> made(run.repeats, false);
  for (const std::uint32_t index : calls) {
    const Call& call = run.calls[index];
    for (std::uint64_t at = call.firstSample; at < call.firstSample + call.sampleCount; ++at) {
      const std::uint32_t repeat = run.sampleRepeat[at];
      if (repeat >= run.repeats) continue;
      sums[repeat] += run.ownNs[at];
      made[repeat] = true;
    }
  }
  std::vector<std::vector<double>> samples(pool.size());
  for (std::size_t i = 0; i < pool.size(); ++i) {
    for (std::uint32_t repeat = pool.firstRepeats[i]; repeat < pool.firstRepeats[i + 1]; ++repeat) {
      if (made[repeat]) samples[i].push_back(sums[repeat] / kNsPerUs);
    }
  }
  return samples;
}

bool hasSamples(const RunPool& pool) {
  return std::ranges::all_of(pool.runs, [](const std::shared_ptr<const Run>& run) {
    return run->hasStartTimes || run->repeats > 1;
  });
}

}  // namespace opscope::report
