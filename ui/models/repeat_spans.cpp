// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/repeat_spans.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {
namespace {

bool isBefore(const report::Run& run, const report::Span& a, const report::Span& b) {
  if (a.startNs != b.startNs) return a.startNs < b.startNs;
  return run.calls[a.call].depth < run.calls[b.call].depth;
}

bool isUsable(const report::Span& span) {
  return std::isfinite(span.startNs) && std::isfinite(span.durationNs) && span.startNs >= 0 &&
         span.durationNs >= 0;
}

}  // namespace

RepeatSpans::RepeatSpans(const report::Run& run, std::uint32_t repeat) {
  if (run.hasStartTimes) {
    takeSpans(run, repeat);
  } else {
    placeCalls(run, repeat);
  }
}

void RepeatSpans::takeSpans(const report::Run& run, std::uint32_t repeat) {
  const auto& all = run.spans;
  const auto first =
      std::lower_bound(all.begin(), all.end(), repeat,
                       [](const report::Span& span, std::uint32_t wanted) { return span.repeat < wanted; });
  auto end = first;
  bool asTheyAre = true;
  for (; end != all.end() && end->repeat == repeat; ++end) {
    asTheyAre = asTheyAre && isUsable(*end) && (end == first || !isBefore(run, *end, *(end - 1)));
  }
  m_spans = std::span<const report::Span>(first, end);
  if (asTheyAre) return;
  std::copy_if(first, end, std::back_inserter(m_own), isUsable);
  std::stable_sort(m_own.begin(), m_own.end(),
                   [&run](const report::Span& a, const report::Span& b) { return isBefore(run, a, b); });
  m_spans = m_own;
}

void RepeatSpans::placeCalls(const report::Run& run, std::uint32_t repeat) {
  double sum = 0;
  for (std::uint32_t i = 0; i < run.calls.size(); ++i) {
    const report::Call& call = run.calls[i];
    for (std::uint64_t s = call.firstSample; s < call.firstSample + call.sampleCount; ++s) {
      if (run.sampleRepeat[s] != repeat) continue;
      const double ns = std::isfinite(run.ownNs[s]) ? std::max(run.ownNs[s], 0.0) : 0;
      m_own.push_back({0, ns, i, repeat});
      sum += ns;
    }
  }
  double total = sum;
  for (const report::DeviceTotal& device : run.totals) {
    if (repeat < device.totalNs.size()) total = std::max(total, device.totalNs[repeat]);
  }
  // Where nothing is told of the time between ops, none is made up.
  const double rest = std::isfinite(total) && total > sum ? total - sum : 0;
  const double gap = rest / double(m_own.size() + 1);
  double now = gap;
  for (report::Span& span : m_own) {
    span.startNs = now;
    now += span.durationNs + gap;
  }
  m_spans = m_own;
}

}  // namespace opscope::ui
