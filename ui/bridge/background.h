// SPDX-License-Identifier: GPL-3.0-or-later
// Work away from the GUI thread: files, exports, large re-analysis. Made and used on the GUI thread; work
// gets moved values and shared immutable data only. Destroying it waits for work that runs.
#pragma once

#include <QThreadPool>
#include <functional>
#include <memory>
#include <utility>

#include "ui/bridge/gui_thread.h"

namespace opscope::ui {

/// Lets the GUI thread go before the calling one where there are fewer processors than busy threads.
void goBehindWindow();

class Background {
 public:
  Background() = default;
  /// With 1, works are done one after the other, in the order in which they were given.
  explicit Background(int threads) { m_pool.setMaxThreadCount(threads); }
  ~Background() { m_pool.waitForDone(); }

  /// Runs `work` on a thread of the pool, then `done(result)` on the GUI thread if `context` still lives.
  template <class Work, class Done>
  void run(QObject* context, Work work, Done done) {
    using Value = decltype(work());
    m_pool.start([context = QPointer<QObject>(context), work = std::move(work), done = std::move(done)]() {
      goBehindWindow();
      // shared_ptr because a queued call must be copyable; it is the only owner.
      auto value = std::make_shared<Value>(work());
      onGuiThread(context, [done, value](QObject*) { done(std::move(*value)); });
    });
  }

  bool waitForDone(int milliseconds) { return m_pool.waitForDone(milliseconds); }

 private:
  QThreadPool m_pool;
};

}  // namespace opscope::ui
