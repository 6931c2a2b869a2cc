// SPDX-License-Identifier: GPL-3.0-or-later
// The way back from work on other threads. Any thread.
#pragma once

#include <QCoreApplication>
#include <QPointer>
#include <utility>

namespace opscope::ui {

/// Queues `done(context)` to the GUI thread; nothing happens when `context` is gone by then.
template <class Context, class Done>
void onGuiThread(const QPointer<Context>& context, Done done) {
  QMetaObject::invokeMethod(
      QCoreApplication::instance(),
      [context, done = std::move(done)]() {
        if (!context.isNull()) done(context.data());
      },
      Qt::QueuedConnection);
}

}  // namespace opscope::ui
