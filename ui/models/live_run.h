// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of a profile while it goes on: the totals of its repeats, its ops. Plain data; GUI thread.
// Not more is kept than what is quickly looked through, so that a run of millions of repeats stalls nobody.
#pragma once

#include <QHash>
#include <QString>
#include <vector>

#include "engine/report/kinds.h"
#include "engine/report/repeat_times.h"
#include "engine/report/statistics.h"

namespace opscope::ui {

class LiveRun {
 public:
  static constexpr std::size_t kMostTotals = 20'000;      ///< of the newest repeats; statistics are over them
  static constexpr std::size_t kMostOpSamples = 100'000;  ///< over all ops
  static constexpr std::size_t kFewestRepeatsOfOps = 31;  ///< however many ops there are

  struct Op {
    QString name;  ///< as it is shown
    report::OpKind kind = report::OpKind::Other;
    std::uint32_t calls = 0;  ///< in a repeat
    std::vector<double> us;   ///< of the repeats that are told with ops, one value each
  };

  /// A run of so many repeats begins.
  void begin(std::uint64_t wanted);
  /// Forgets it.
  void clear() { *this = {}; }
  /// What was told before, or what leaves repeats out, is not taken: a session tells each repeat once.
  void add(const report::RepeatTimes& times);

  bool isEmpty() const { return m_done == 0; }
  std::uint64_t done() const { return m_done; }
  std::uint64_t wanted() const { return m_wanted; }
  /// The newest ones, the oldest first.
  const std::vector<double>& totalsUs() const { return m_totalsUs; }
  const std::vector<Op>& ops() const { return m_ops; }
  /// Of how many repeats the ops tell: the newest ones, where more are done.
  std::size_t opRepeats() const { return m_opTotalsUs.size(); }
  /// The totals of these.
  const std::vector<double>& opTotalsUs() const { return m_opTotalsUs; }
  /// Of totalsUs().
  report::Statistics statistics() const { return report::computeStatistics(m_totalsUs); }

 private:
  Op& opNamed(const std::string& name);
  void forgetOld();

  std::uint64_t m_wanted = 0;
  std::uint64_t m_done = 0;
  std::vector<double> m_totalsUs;
  std::vector<double> m_opTotalsUs;
  std::vector<Op> m_ops;
  QHash<QByteArray, std::size_t> m_opOfName;
};

}  // namespace opscope::ui
