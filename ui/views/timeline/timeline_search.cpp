// SPDX-License-Identifier: GPL-3.0-or-later
// Search and pins of the Timeline.
#include <algorithm>

#include "ui/views/timeline/timeline_view.h"

namespace opscope::ui {
namespace {

/// Up to here hits are counted at once, which takes a few milliseconds.
constexpr std::size_t kCountedAtOnce = 500000;

}  // namespace

void TimelineView::takeFilter() {
  m_scene.matches.clear();
  m_hits.clear();
  m_hitsKnown = true;
  if (m_scene.timeline) m_scene.matches = matchingOps(*m_scene.timeline, m_selection->filter());
  if (!m_scene.matches.empty()) {
    m_hitsKnown = m_scene.timeline->spans().size() <= kCountedAtOnce;
    if (m_hitsKnown) {
      m_hits = hitsOf(*m_scene.timeline, m_scene.matches);
    } else {
      Q_EMIT hitsWanted();
    }
  }
  viewport()->update();
  Q_EMIT searchChanged();
}

void TimelineView::setHits(const std::shared_ptr<const Timeline>& timeline,
                           const std::vector<std::uint8_t>& matches, std::vector<std::uint32_t> hits) {
  if (timeline != m_scene.timeline || matches != m_scene.matches) return;
  m_hits = std::move(hits);
  m_hitsKnown = true;
  Q_EMIT searchChanged();
}

TimelineView::Search TimelineView::search() const {
  Search result;
  result.active = !m_scene.matches.empty();
  result.counted = m_hitsKnown;
  result.hits = m_hits.size();
  const auto place = std::lower_bound(m_hits.begin(), m_hits.end(), m_scene.span);
  if (place != m_hits.end() && *place == m_scene.span)
    result.current = std::size_t(place - m_hits.begin()) + 1;
  return result;
}

void TimelineView::stepCall(int by) {
  if (!m_scene.timeline) return;
  // Without a current call the first one within the view counts as next.
  const bool hasCall = m_scene.span != report::kNone;
  const auto from = std::int64_t(startingSpan()) - (!hasCall && by > 0 ? 1 : 0);
  std::uint32_t found = report::kNone;
  if (!m_scene.matches.empty()) {
    if (by > 0) {
      const auto next = std::upper_bound(m_hits.begin(), m_hits.end(), from,
                                         [](std::int64_t a, std::uint32_t b) { return a < std::int64_t(b); });
      if (next != m_hits.end()) found = *next;
    } else {
      const auto next = std::lower_bound(m_hits.begin(), m_hits.end(), from,
                                         [](std::uint32_t a, std::int64_t b) { return std::int64_t(a) < b; });
      if (next != m_hits.begin()) found = *(next - 1);
    }
  } else if (m_scene.op != report::kNone) {
    found = m_scene.timeline->stepWithin(m_scene.timeline->ops().callsOf(m_scene.op), from, by);
  }
  if (found == report::kNone) return;
  choose(found, m_scene.rowOfSpan(found, m_scene.currentRow));
  keepVisible(found);
}

void TimelineView::fillPin(Pin& pin) const {
  if (pin.op.isNull()) return;
  pin.lane = std::make_unique<TimelineLane>();
  const Timeline& timeline = *m_scene.timeline;
  const std::uint32_t op = timeline.ops().find(pin.op);
  if (op == report::kNone) return;
  std::vector<std::uint32_t> own;
  for (const std::uint32_t call : timeline.ops().callsOf(op)) {
    const std::uint32_t span = timeline.spanOfCall(call);
    if (span != report::kNone) own.push_back(span);
  }
  std::sort(own.begin(), own.end());
  // Of a function that calls itself the outer call is shown.
  for (const std::uint32_t span : own) {
    const auto spans = timeline.spans();
    if (pin.lane->lastEndNs(spans) <= spans[span].startNs + 1) pin.lane->append(span);
  }
  pin.lane->build(timeline.spans());
}

std::vector<ScenePin> TimelineView::scenePins() const {
  std::vector<ScenePin> pins;
  for (const Pin& pin : m_pins) pins.push_back({pin.op, pin.lane.get(), pin.row});
  return pins;
}

bool TimelineView::isPinned(const OpId& op) const {
  return !op.isNull() &&
         std::any_of(m_pins.begin(), m_pins.end(), [&](const Pin& pin) { return pin.op == op; });
}

bool TimelineView::isPinned(const LaneId& lane) const {
  return std::any_of(m_pins.begin(), m_pins.end(),
                     [&](const Pin& pin) { return pin.op.isNull() && pin.row == lane; });
}

void TimelineView::togglePin() {
  if (!m_scene.timeline || m_scene.op == report::kNone) return;
  const OpId op = m_scene.timeline->ops().ops[m_scene.op];
  m_scene.rows.clear();
  if (std::erase_if(m_pins, [&](const Pin& pin) { return pin.op == op; }) == 0) {
    m_pins.push_back({op, {}, nullptr});
    fillPin(m_pins.back());
  }
  arrange();
}

void TimelineView::togglePin(const LaneId& lane) {
  if (!m_scene.timeline) return;
  m_scene.rows.clear();
  if (std::erase_if(m_pins, [&](const Pin& pin) { return pin.op.isNull() && pin.row == lane; }) == 0) {
    m_pins.push_back({{}, lane, nullptr});
  }
  arrange();
}

void TimelineView::unpinAll() {
  m_scene.rows.clear();
  m_pins.clear();
  arrange();
}

std::optional<LaneId> TimelineView::laneAt(int row) const {
  return row < 0 || row >= int(m_scene.rows.size()) ? std::nullopt : m_scene.rows[std::size_t(row)].id;
}

}  // namespace opscope::ui
