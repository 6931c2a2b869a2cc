// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline/timeline_tip.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "engine/report/statistics.h"
#include "ui/models/format.h"
#include "ui/views/delegates/cell_delegate.h"

namespace opscope::ui {
namespace {

constexpr qsizetype kMostShapes = 6;
constexpr double kNarrowest = 240;
constexpr double kWidest = 420;

/// "+2.6 %", or the missing sign when there is no median.
QString againstMedian(double ns, double medianNs) {
  if (medianNs <= 0 || ns <= 0) return format::missing();
  const double percent = (ns / medianNs - 1) * 100;
  const QString digits = format::fixed(std::abs(percent), 1);
  const bool zero = std::abs(percent) < 0.05;
  return (zero          ? QString()
          : percent > 0 ? QStringLiteral("+")
                        : QString(format::kMinus)) +
         digits + QStringLiteral("\u00A0%");
}

QString inMs(double ns) {
  return ns >= 1e10 ? format::fixed(ns / 1e9, 6) + QStringLiteral("\u00A0s")
                    : format::fixed(ns / 1e6, 3) + QStringLiteral("\u00A0ms");
}

/// "12.3 MiB/s"; empty where it tells nothing.
QString rateText(std::uint64_t bytes, double ns) {
  constexpr std::uint64_t kFewest = 1024;
  if (bytes < kFewest || ns <= 0) return {};
  return format::bytes(double(bytes) / ns * 1e9) + QStringLiteral("/s");
}

QString phaseWords(report::TrafficPhase phase) {
  switch (phase) {
    case report::TrafficPhase::Opening:
      return QStringLiteral("getting to know the board");
    case report::TrafficPhase::Loading:
      return QStringLiteral("loading the executable");
    case report::TrafficPhase::Inputs:
      return QStringLiteral("giving it its inputs");
    case report::TrafficPhase::WarmUp:
      return QStringLiteral("warm-up");
    case report::TrafficPhase::Bare:
      return QStringLiteral("a repeat without recording");
    case report::TrafficPhase::Repeat:
      return QStringLiteral("the repeat");
    case report::TrafficPhase::Records:
      return QStringLiteral("bringing over what was measured");
  }
  return {};
}

TipText requestTip(const TimelineScene& scene, const SceneHit& hit) {
  const report::Span& span = scene.rows[std::size_t(hit.row)].lane->span(hit.block);
  const report::TrafficEvent& event = scene.timeline->traffic().eventOf(span);
  TipText tip;
  tip.fill = &scene.fillOfRequest(event.kind);
  tip.name = format::brokenName(scene.requestText(span));
  tip.time = format::duration(span.durationNs / 1000).text();
  tip.about = phaseWords(event.phase);
  if (event.requests > 1) {
    tip.about += QStringLiteral(" · ") + format::counted(event.requests, "request", "requests");
  }
  if (event.failed) tip.about += QStringLiteral(" · failed");
  const std::uint64_t bytes = std::max(event.bytesOut, event.bytesIn);
  const QString rate = rateText(bytes, span.durationNs);
  const QString begins = format::duration(std::abs(span.startNs) / 1000).text();
  tip.rows = {{QStringLiteral("Bytes out"), format::bytes(double(event.bytesOut))},
              {QStringLiteral("Bytes in"), format::bytes(double(event.bytesIn))},
              {QStringLiteral("Rate"), rate.isEmpty() ? format::missing() : rate},
              {QStringLiteral("Sent"),
               span.startNs < 0 ? QStringLiteral("%1 before the calls").arg(begins) : inMs(span.startNs)}};
  const auto& doubt = scene.timeline->traffic().doubtNs();
  tip.rows.emplace_back(QStringLiteral("Beside the calls"),
                        scene.timeline->isBeforeRepeats() ? QStringLiteral("before the first repeat")
                        : !doubt                          ? QStringLiteral("not known")
                        : *doubt > 0 ? QStringLiteral("to within ") + format::duration(*doubt / 1000).text()
                                     : QStringLiteral("exact"));
  return tip;
}

TipText mergedRequestsTip(const TimelineScene& scene, const SceneHit& hit) {
  const TimelineLane& lane = *scene.rows[std::size_t(hit.row)].lane;
  const report::Span& longest = lane.span(hit.block);
  const TimelineTraffic& traffic = scene.timeline->traffic();
  std::uint64_t out = 0, in = 0;
  for (std::uint32_t block = hit.firstBlock; block < hit.endBlock; ++block) {
    out += traffic.eventOf(lane.span(block)).bytesOut;
    in += traffic.eventOf(lane.span(block)).bytesIn;
  }
  TipText tip;
  tip.fill = &scene.fillOfRequest(traffic.eventOf(longest).kind);
  tip.name << format::counted(std::int64_t(hit.endBlock - hit.firstBlock), "short request", "short requests");
  tip.time = format::duration(lane.sumNs(hit.firstBlock, hit.endBlock) / 1000).text();
  tip.about = QStringLiteral("Zoom in to see each of them");
  tip.rows = {{QStringLiteral("Bytes out"), format::bytes(double(out))},
              {QStringLiteral("Bytes in"), format::bytes(double(in))},
              {QStringLiteral("Longest here"), format::duration(longest.durationNs / 1000).text()}};
  tip.shapes = format::brokenName(scene.requestText(longest), 3);
  return tip;
}

TipText stepTip(const TimelineScene& scene, const SceneHit& hit) {
  const Timeline& timeline = *scene.timeline;
  const report::Run& run = timeline.run();
  const report::Span& span = scene.rows[std::size_t(hit.row)].lane->span(hit.block);
  const std::uint32_t step = timeline.steps().stepOf(span);
  TipText tip;
  tip.name = format::brokenName(scene.stepText(span));
  tip.time = format::duration(span.durationNs / 1000).text();
  tip.about =
      QStringLiteral("Step %1 of %2 · %3\u00A0% of %4")
          .arg(format::integer(std::int64_t(step) + 1), format::integer(std::int64_t(run.steps.size())),
               format::percent(std::min(span.durationNs / timeline.totalNs(), 1.0) * 100),
               run.function.empty() ? QStringLiteral("the run") : format::fromUtf8(run.function));
  const auto before = [](const report::Span& call, double ns) { return call.startNs < ns; };
  const auto calls = timeline.spans();
  const auto first = std::lower_bound(calls.begin(), calls.end(), span.startNs, before);
  const auto end = std::lower_bound(first, calls.end(), span.startNs + span.durationNs, before);
  std::vector<double> times = step < run.stepNs.size() ? run.stepNs[step] : std::vector<double>();
  std::erase_if(times, [](double ns) { return !std::isfinite(ns); });
  const double median = times.empty() ? 0 : report::medianInPlace(times);
  tip.rows = {{QStringLiteral("Starts"), inMs(span.startNs)},
              {QStringLiteral("Ends"), inMs(span.startNs + span.durationNs)},
              {QStringLiteral("Calls"), format::integer(std::int64_t(end - first))},
              {QStringLiteral("Against its median"), againstMedian(span.durationNs, median)}};
  return tip;
}

TipText mergedStepsTip(const TimelineScene& scene, const SceneHit& hit) {
  const TimelineLane& lane = *scene.rows[std::size_t(hit.row)].lane;
  const report::Span& longest = lane.span(hit.block);
  TipText tip;
  tip.name << format::counted(std::int64_t(hit.endBlock - hit.firstBlock), "short step", "short steps");
  tip.time = format::duration(lane.sumNs(hit.firstBlock, hit.endBlock) / 1000).text();
  tip.about = QStringLiteral("Zoom in to see each of them");
  tip.rows = {{QStringLiteral("From"), inMs(lane.startNs(hit.firstBlock))},
              {QStringLiteral("To"), inMs(lane.endNs(hit.endBlock - 1))},
              {QStringLiteral("Longest here"), format::duration(longest.durationNs / 1000).text()}};
  tip.shapes = format::brokenName(scene.stepText(longest), 3);
  return tip;
}

TipText mergedTip(const TimelineScene& scene, const SceneHit& hit) {
  const TimelineLane& lane = *scene.rows[std::size_t(hit.row)].lane;
  const report::Span& longest = lane.span(hit.block);
  TipText tip;
  tip.fill = &scene.fillOf(scene.timeline->opOf(longest));
  const bool tasks = scene.rows[std::size_t(hit.row)].group == TimelineRow::Group::Pool;
  tip.name << format::counted(std::int64_t(hit.endBlock - hit.firstBlock),
                              tasks ? "short task" : "short call", tasks ? "short tasks" : "short calls");
  tip.time = format::duration(lane.sumNs(hit.firstBlock, hit.endBlock) / 1000).text();
  tip.about = QStringLiteral("Zoom in to see each of them");
  tip.rows = {{QStringLiteral("From"), inMs(lane.startNs(hit.firstBlock))},
              {QStringLiteral("To"), inMs(lane.endNs(hit.endBlock - 1))},
              {QStringLiteral("Longest here"), format::duration(longest.durationNs / 1000).text()}};
  tip.shapes = format::brokenName(scene.nameOf(longest), 3);
  return tip;
}

/// Who worked, or why only the calling thread did.
QString launchWords(report::LaunchKind kind) {
  switch (kind) {
    case report::LaunchKind::Pool:
      return QStringLiteral("the threads of the pool");
    case report::LaunchKind::OneTask:
      return QStringLiteral("one task, so the calling thread");
    case report::LaunchKind::OneThread:
      return QStringLiteral("the pool has one thread");
    case report::LaunchKind::Nested:
      return QStringLiteral("within another task, on its thread");
    case report::LaunchKind::PoolBusy:
      return QStringLiteral("the calling thread: the pool was busy");
  }
  return {};
}

TipText taskTip(const TimelineScene& scene, const SceneHit& hit) {
  const TimelineLane& lane = *scene.rows[std::size_t(hit.row)].lane;
  const TimelinePool& pool = scene.timeline->pool();
  const report::Span& span = lane.span(hit.block);
  const report::Launch& launch = pool.launchOf(lane.spanIndex(hit.block));
  const report::LaneTask& task = pool.taskOf(lane.spanIndex(hit.block));
  TipText tip;
  tip.fill = &scene.fillOf(scene.timeline->opOf(span));
  tip.name = format::brokenName(scene.nameOf(span));
  tip.time = blockTime(span.durationNs);
  tip.about = QStringLiteral("Task %1 of %2 · %3")
                  .arg(format::integer(std::int64_t(task.task) + 1), format::integer(launch.tasks),
                       launchWords(launch.kind));
  const double delay = std::max(0.0, span.startNs - launch.startNs);
  const double waited = std::isfinite(task.cpuNs) ? std::max(0.0, task.durationNs - task.cpuNs) : 0;
  tip.rows = {
      {QStringLiteral("Starts"), inMs(span.startNs)},
      {QStringLiteral("After its launch"),
       delay > 0 ? format::microseconds(delay / 1000) + QStringLiteral("\u00A0µs")
                 : QStringLiteral("at once")},
      {QStringLiteral("Without a processor"),
       waited > 0 ? format::microseconds(waited / 1000) + QStringLiteral("\u00A0µs") : format::missing()},
      {QStringLiteral("The whole launch"), format::duration(launch.durationNs / 1000).text()}};
  return tip;
}

QString bytesText(double value) {
  return value > 0 ? format::bytes(value) : QStringLiteral("0");
}

TipText memoryTip(const TimelineScene& scene) {
  const Timeline& timeline = *scene.timeline;
  const double ns = scene.timeAt(double(scene.cursorX.value_or(scene.titleWidth())) + 0.5);
  const StepCurve& storage = timeline.storageCurve();
  TipText tip;
  tip.fill = &scene.theme->kindFill(report::OpKind::Memory);
  tip.name << QStringLiteral("Live memory");
  tip.time = bytesText(storage.valueAt(ns));
  tip.about = QStringLiteral("Storages of the machine, at %1").arg(inMs(ns));
  if (!timeline.tensorCurve().isEmpty()) {
    tip.rows.emplace_back(QStringLiteral("Tensors in them"), bytesText(timeline.tensorCurve().valueAt(ns)));
  }
  tip.rows.emplace_back(QStringLiteral("Highest of this repeat"), bytesText(storage.highest()));
  tip.rows.emplace_back(QStringLiteral("Reached at"), inMs(storage.highestNs()));
  return tip;
}

}  // namespace

TipText tipOf(const TimelineScene& scene, const SceneHit& hit) {
  if (hit.curve) return memoryTip(scene);
  if (scene.rows[std::size_t(hit.row)].group == TimelineRow::Group::Rpc) {
    return hit.merged ? mergedRequestsTip(scene, hit) : requestTip(scene, hit);
  }
  if (scene.rows[std::size_t(hit.row)].group == TimelineRow::Group::Steps) {
    return hit.merged ? mergedStepsTip(scene, hit) : stepTip(scene, hit);
  }
  if (hit.merged) return mergedTip(scene, hit);
  if (scene.rows[std::size_t(hit.row)].group == TimelineRow::Group::Pool) return taskTip(scene, hit);
  const Timeline& timeline = *scene.timeline;
  const report::Run& run = timeline.run();
  const report::Span& span = scene.rows[std::size_t(hit.row)].lane->span(hit.block);
  const report::Call& call = timeline.callOf(span);
  const std::uint32_t op = timeline.opOf(span);
  TipText tip;
  tip.fill = &scene.fillOf(op);
  tip.name = format::brokenName(scene.nameOf(span));
  tip.time = blockTime(span.durationNs);
  QStringList about;
  about << format::fromUtf8(report::kindName(report::kindOf(run.names[call.name])));
  if (call.device < run.devices.size()) about << format::fromUtf8(run.devices[call.device]);
  about << QStringLiteral("call %1 of %2")
               .arg(format::integer(std::int64_t(span.call) + 1),
                    format::integer(std::int64_t(run.calls.size())));
  about << QStringLiteral("%1\u00A0% of %2")
               .arg(format::percent(span.durationNs / timeline.totalNs() * 100),
                    run.function.empty() ? QStringLiteral("the run") : format::fromUtf8(run.function));
  tip.about = about.join(QStringLiteral(" · "));
  tip.rows = {
      {QStringLiteral("Starts"), inMs(span.startNs)},
      {QStringLiteral("Ends"), inMs(span.startNs + span.durationNs)},
      {QStringLiteral("Against its median"), againstMedian(span.durationNs, medianNsOf(timeline, op))}};
  // Where Code has it; "call n" counts the calls of a repeat.
  if (!run.executableHash.empty())
    tip.rows.push_back({QStringLiteral("Instruction"), QStringLiteral("#%1").arg(call.instruction)});
  if (call.shapes < run.shapes.size()) {
    for (const ArgumentText& argument : argumentsOf(format::fromUtf8(run.shapes[call.shapes])))
      tip.shapes << argument.text;
  }
  if (tip.shapes.size() > kMostShapes) {
    const qsizetype more = tip.shapes.size() - kMostShapes + 1;
    tip.shapes = tip.shapes.mid(0, kMostShapes - 1);
    tip.shapes << QStringLiteral("and %1").arg(format::counted(more, "more argument", "more arguments"));
  }
  return tip;
}

TimelineTip::TimelineTip(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
}

void TimelineTip::setText(TipText text) {
  m_text = std::move(text);
  const QFontMetricsF bold(m_theme->font(13, QFont::DemiBold)), plain(m_theme->font(12)),
      fixed(m_theme->fixedFont(11));
  double width = m_theme->px(kNarrowest);
  for (qsizetype i = 0; i < m_text.name.size(); ++i) {
    const double time = i == 0 ? bold.horizontalAdvance(m_text.time) + m_theme->px(24) : 0;
    width = std::max(width, bold.horizontalAdvance(m_text.name[i]) + m_theme->px(42) + time);
  }
  width = std::max(width, plain.horizontalAdvance(m_text.about) + m_theme->px(24));
  for (const QString& shape : m_text.shapes)
    width = std::max(width, fixed.horizontalAdvance(shape) + m_theme->px(24));
  width = std::min(width, double(m_theme->px(kWidest)));
  const auto lines = int(m_text.name.size() + 1 + qsizetype(m_text.rows.size()));
  const int shapes =
      m_text.shapes.isEmpty() ? 0 : m_theme->px(6) + int(m_text.shapes.size()) * m_theme->px(16);
  resize(int(std::ceil(width)) + 1, m_theme->px(18) + lines * rowHeight() + shapes);
  update();
}

void TimelineTip::place(const QPoint& point, const QRect& area) {
  const int away = m_theme->px(14);
  int x = point.x() + away;
  if (x + width() > area.right() - 2) x = point.x() - away - width();
  int y = point.y() + away;
  if (y + height() > area.bottom() - 2) y = area.bottom() - 2 - height();
  move(std::max(area.left() + 2, x), std::max(area.top() + 2, y));
}

void TimelineTip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colours& c = m_theme->colours();
  painter.fillRect(rect(), c.tooltip);
  painter.setPen(c.tooltipBorder);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
  const int pad = m_theme->px(12), line = rowHeight();
  const int room = width() - 2 * pad;
  int y = m_theme->px(8);
  const auto put = [&](const QRect& place, int flags, const QString& text, Qt::TextElideMode mode) {
    painter.drawText(place, flags | Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(text, mode, place.width()));
  };
  if (m_text.fill != nullptr)
    drawSwatch(&painter, m_theme, *m_text.fill, QPoint(pad + m_theme->px(5), y + line / 2));
  painter.setPen(c.onTooltip);
  painter.setFont(m_theme->font(13, QFont::DemiBold));
  const int timeWidth = painter.fontMetrics().horizontalAdvance(m_text.time) + 1;
  put(QRect(width() - pad - timeWidth, y, timeWidth, line), Qt::AlignRight, m_text.time, Qt::ElideRight);
  for (qsizetype i = 0; i < m_text.name.size(); ++i, y += line) {
    const int left = pad + m_theme->px(18);
    const int taken = i == 0 ? timeWidth + m_theme->px(12) : 0;
    put(QRect(left, y, width() - pad - left - taken, line), Qt::AlignLeft, m_text.name[i], Qt::ElideMiddle);
  }
  painter.setFont(m_theme->font(12));
  painter.setPen(c.textSecondary);
  put(QRect(pad, y, room, line), Qt::AlignLeft, m_text.about, Qt::ElideRight);
  y += line + m_theme->px(2);
  for (const auto& [name, value] : m_text.rows) {
    painter.setPen(c.textSecondary);
    put(QRect(pad, y, room, line), Qt::AlignLeft, name, Qt::ElideRight);
    painter.setPen(c.onTooltip);
    put(QRect(pad, y, room, line), Qt::AlignRight, value, Qt::ElideRight);
    y += line;
  }
  y += m_theme->px(4);
  painter.setFont(m_theme->fixedFont(11));
  for (const QString& shape : m_text.shapes) {
    put(QRect(pad, y, room, m_theme->px(16)), Qt::AlignLeft, shape, Qt::ElideRight);
    y += m_theme->px(16);
  }
}

}  // namespace opscope::ui
