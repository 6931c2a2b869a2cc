// SPDX-License-Identifier: GPL-3.0-or-later
// Marks work that may take longer than a frame, so that it is seen when it is done where the window waits for
// it. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace opscope::ui {

/// One piece of such work, from its making to its end. What takes longer than 50 ms on the GUI thread is a
/// warning in the log.
class SlowWork {
 public:
  /// `name` is a literal, as in "The window waited 80 ms for a run's view."
  explicit SlowWork(std::string_view name);
  ~SlowWork();
  SlowWork(const SlowWork&) = delete;
  SlowWork& operator=(const SlowWork&) = delete;

 private:
  std::string_view m_name;
  bool m_isOnGuiThread;
  std::int64_t m_beginNs;
};

/// Hears of each piece as it begins, on the thread that does it; an empty one hears no more. Set while no
/// such work is done.
using SlowWorkListener = std::function<void(std::string_view name, bool isOnGuiThread)>;
void listenToSlowWork(SlowWorkListener listener);

}  // namespace opscope::ui
