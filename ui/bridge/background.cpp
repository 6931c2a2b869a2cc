// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/background.h"

#include <sys/resource.h>

namespace opscope::ui {
namespace {

constexpr int kNice = 10;

}  // namespace

void goBehindWindow() {
  // Linux takes 0 for the calling thread alone. Where it refuses, the work runs as before.
  static_cast<void>(setpriority(PRIO_PROCESS, 0, kNice));
}

}  // namespace opscope::ui
