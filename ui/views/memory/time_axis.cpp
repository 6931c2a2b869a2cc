// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory/time_axis.h"

#include <algorithm>

namespace opscope::ui {
namespace {

constexpr double kShortestNs = 100;

}  // namespace

void TimeAxis::setEnd(double ns) {
  m_endNs = std::max(ns, kShortestNs);
  m_fromNs = 0;
  m_untilNs = m_endNs;
  m_hoverNs.reset();
  m_momentNs.reset();
  Q_EMIT viewChanged();
}

void TimeAxis::show(double fromNs, double untilNs) {
  const double span = std::clamp(untilNs - fromNs, std::min(kShortestNs, m_endNs), m_endNs);
  const double from = std::clamp(fromNs, 0.0, m_endNs - span);
  if (from == m_fromNs && from + span == m_untilNs) return;
  m_fromNs = from;
  m_untilNs = from + span;
  Q_EMIT viewChanged();
}

void TimeAxis::zoom(double factor, double aroundNs) {
  const double span = std::clamp(spanNs() * factor, std::min(kShortestNs, m_endNs), m_endNs);
  const double part = spanNs() > 0 ? (aroundNs - m_fromNs) / spanNs() : 0.5;
  show(aroundNs - part * span, aroundNs + (1 - part) * span);
}

void TimeAxis::setHover(std::optional<double> ns) {
  if (m_hoverNs == ns) return;
  m_hoverNs = ns;
  Q_EMIT hoverChanged();
}

void TimeAxis::setMoment(std::optional<double> ns) {
  if (m_momentNs == ns) return;
  m_momentNs = ns;
  Q_EMIT momentChanged();
}

}  // namespace opscope::ui
