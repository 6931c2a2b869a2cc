// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/live_run.h"

#include <algorithm>

#include "ui/models/format.h"

namespace opscope::ui {

namespace {

void keepNewest(std::vector<double>& values, std::size_t most) {
  if (values.size() > most) values.erase(values.begin(), values.end() - std::ptrdiff_t(most));
}

}  // namespace

void LiveRun::begin(std::uint64_t wanted) {
  clear();
  m_wanted = wanted;
}

LiveRun::Op& LiveRun::opNamed(const std::string& name) {
  const QByteArray key = QByteArray::fromStdString(name);
  const auto found = m_opOfName.constFind(key);
  if (found != m_opOfName.constEnd()) return m_ops[*found];
  m_opOfName.insert(key, m_ops.size());
  m_ops.push_back({format::fromUtf8(name), report::kindOf(name), 0, {}});
  return m_ops.back();
}

void LiveRun::add(const report::RepeatTimes& times) {
  if (times.first != m_done || times.opsFirst < times.first) return;
  m_done += times.totalNs.size();
  for (const double ns : times.totalNs) m_totalsUs.push_back(ns * 1e-3);
  const std::size_t before = m_opTotalsUs.size(), skipped = times.opsFirst - times.first;
  for (std::size_t i = skipped; i < times.totalNs.size(); ++i)
    m_opTotalsUs.push_back(times.totalNs[i] * 1e-3);
  for (const report::RepeatTimes::Op& told : times.ops) {
    Op& op = opNamed(told.name);
    op.calls = std::max(op.calls, told.calls);
    op.us.resize(before);  // repeats before without a call of it took nothing
    for (const double ns : told.ownNs) op.us.push_back(ns * 1e-3);
  }
  for (Op& op : m_ops) op.us.resize(m_opTotalsUs.size());
  forgetOld();
}

void LiveRun::forgetOld() {
  keepNewest(m_totalsUs, kMostTotals);
  const std::size_t most =
      std::clamp(kMostOpSamples / std::max<std::size_t>(m_ops.size(), 1), kFewestRepeatsOfOps, kMostTotals);
  keepNewest(m_opTotalsUs, most);
  for (Op& op : m_ops) keepNewest(op.us, most);
}

}  // namespace opscope::ui
