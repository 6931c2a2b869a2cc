// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/noise_watch.h"

#include <utility>

#include "engine/base/clock.h"

namespace opscope::profile {

namespace {

constexpr double kNsInS = 1e9;

double secondsSince(std::int64_t beginNs) {
  return static_cast<double>(base::monotonicNs() - beginNs) / kNsInS;
}

/// `start` moved on by what was counted from `left` to `back`.
template <class Number>
void skip(std::optional<Number>& start, const std::optional<Number>& left,
          const std::optional<Number>& back) {
  if (start && left && back && *back > *left) {
    *start += *back - *left;
  }
}

}  // namespace

NoiseWatch::NoiseWatch(std::filesystem::path root, std::function<ThreadUsage()> threadUsage)
    : m_reader(std::move(root)), m_threadUsage(std::move(threadUsage)) {}

void NoiseWatch::begin() {
  m_evidence.before = m_reader.read();
  m_evidence.threadBefore = m_threadUsage();
  m_evidence.processBefore = readProcessUsage();
  m_beginNs = base::monotonicNs();
}

void NoiseWatch::stepAside() {
  if (!m_aside) {
    m_aside = Moment{m_threadUsage(), base::monotonicNs()};
  }
}

void NoiseWatch::comeBack() {
  if (const auto left = std::exchange(m_aside, std::nullopt)) {
    const ThreadUsage now = m_threadUsage();
    skip(m_evidence.threadBefore.waitedS, left->usage.waitedS, now.waitedS);
    skip(m_evidence.threadBefore.migrations, left->usage.migrations, now.migrations);
    m_evidence.asideS += secondsSince(left->ns);
  }
}

void NoiseWatch::end() {
  comeBack();
  m_evidence.wallS = secondsSince(m_beginNs);
  m_evidence.processAfter = readProcessUsage();
  m_evidence.threadAfter = m_threadUsage();
  m_evidence.after = m_reader.read();
}

report::NoiseGrade NoiseWatch::grade(int threads, const report::Run& run) {
  m_evidence.repeats = &m_usages;
  m_evidence.threads = threads;
  return gradeNoise(noiseReadings(m_evidence, run));
}

}  // namespace opscope::profile
