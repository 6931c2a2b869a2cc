// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/inspector_running.h"

#include <algorithm>

#include "ui/models/format.h"

namespace opscope::ui {

namespace {

constexpr double kQuietNoise = 0.05;
constexpr double kPercent = 100;

/// Half the width of the median's interval, of the median, in percent.
std::optional<double> knownWithin(const report::Statistics& s) {
  if (!s.medianLow || !s.medianHigh || s.median <= 0) return std::nullopt;
  return std::max(*s.medianHigh - s.median, s.median - *s.medianLow) / s.median * kPercent;
}

}  // namespace

InspectorRunning::InspectorRunning(const Theme* theme, QWidget* parent)
    : QScrollArea(parent), m_theme(theme) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(QStringLiteral("About this run"));
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(theme->px(12), theme->px(12), theme->px(12), theme->px(12));
  layout->setSpacing(theme->px(12));
  layout->addWidget(plainText(theme, QStringLiteral("This run"), 15, &Colours::text, QFont::DemiBold));
  m_facts = new FactList(theme);
  layout->addWidget(m_facts);
  m_verdict = new ui::Panel(theme, {});
  auto* row = new QHBoxLayout;
  row->setContentsMargins(theme->px(12), theme->px(10), theme->px(12), theme->px(10));
  row->setSpacing(theme->px(10));
  m_icon = new IconLabel(lookIcon(theme, "ok", IconInk::Success), theme->px(16));
  row->addWidget(m_icon, 0, Qt::AlignTop);
  auto* words = new QVBoxLayout;
  words->setSpacing(theme->px(2));
  m_title = new Text(theme, 13, &Colours::text, QFont::DemiBold);
  m_detail = new Text(theme, 12, &Colours::textSecondary);
  m_detail->setWordWrap(true);
  words->addWidget(m_title);
  words->addWidget(m_detail);
  row->addLayout(words, 1);
  m_verdict->body()->addLayout(row);
  layout->addWidget(m_verdict);
  layout->addStretch(1);
  setWidget(content);
}

void InspectorRunning::setRun(const std::vector<FactList::Row>& facts, const LiveRun& run) {
  const report::Statistics s = run.statistics();
  std::vector<FactList::Row> rows = facts;
  const auto add = [&rows](const char* name, const QString& value) {
    rows.push_back({QString::fromLatin1(name), value, false});
  };
  add("Repeats done", QStringLiteral("%1 of %2")
                          .arg(format::integer(qint64(run.done())), format::integer(qint64(run.wanted()))));
  // Of a very long run the numbers are those of its newest repeats.
  if (s.count < run.done()) add("Numbers of the last", format::integer(qint64(s.count)));
  add("Median", format::duration(s.median).text());
  if (s.count > 1) {
    add("Least and most", format::durationRange(s.min, s.max));
    add("Noise",
        s.noise ? format::noise(*s.noise * kPercent) + QStringLiteral("\u00A0%") : format::missing());
  }
  m_facts->setRows(rows);
  setVerdict(s);
}

void InspectorRunning::setVerdict(const report::Statistics& statistics) {
  const std::optional<double> within = knownWithin(statistics);
  m_verdict->setVisible(within && statistics.noise);
  if (!within || !statistics.noise) return;
  const bool quiet = *statistics.noise < kQuietNoise;
  m_icon->setIcon(lookIcon(m_theme, quiet ? "ok" : "warning", quiet ? IconInk::Success : IconInk::Warning));
  m_title->setText(quiet ? QStringLiteral("Quiet so far") : QStringLiteral("Noisy so far"));
  const QString known = QStringLiteral("The median is known within %1\u00A0%.").arg(format::noise(*within));
  m_detail->setText(
      (quiet ? QStringLiteral("The noise is below 5\u00A0%. ")
             : QStringLiteral("The noise is 5\u00A0% or more: something else may work beside it. ")) +
      known);
}

}  // namespace opscope::ui
