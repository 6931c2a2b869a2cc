// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/slow_work.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <QThread>

#include "engine/base/clock.h"
#include "engine/base/log.h"

namespace opscope::ui {
namespace {

constexpr double kMostMs = 50;

SlowWorkListener& listenerOfAll() {
  static SlowWorkListener listener;
  return listener;
}

bool isGuiThread() {
  const QCoreApplication* application = QCoreApplication::instance();
  return application != nullptr && QThread::currentThread() == application->thread();
}

}  // namespace

SlowWork::SlowWork(std::string_view name)
    : m_name(name), m_isOnGuiThread(isGuiThread()), m_beginNs(base::monotonicNs()) {
  if (const SlowWorkListener& listener = listenerOfAll()) listener(name, m_isOnGuiThread);
}

SlowWork::~SlowWork() {
  if (!m_isOnGuiThread) return;
  const double ms = double(base::monotonicNs() - m_beginNs) * 1e-6;
  if (ms > kMostMs)
    base::log(base::LogLevel::Warning, fmt::format("The window waited {:.0f} ms for {}.", ms, m_name));
}

void listenToSlowWork(SlowWorkListener listener) {
  listenerOfAll() = std::move(listener);
}

}  // namespace opscope::ui
