// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/end_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace opscope::ui {
namespace {

constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};

/// Where the handler writes to; below 0: nowhere.
std::atomic<int> writeEnd = -1;

void onSignal(int) {
  const int before = errno;
  const char byte = 0;
  const int end = writeEnd.load();
  if (end >= 0) {
    [[maybe_unused]] const auto written = ::write(end, &byte, 1);
  }
  errno = before;
}

}  // namespace

EndSignals::EndSignals(QObject* parent) : QObject(parent) {
  if (::pipe2(m_ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  auto* notifier = new QSocketNotifier(m_ends[0], QSocketNotifier::Read, this);
  connect(notifier, &QSocketNotifier::activated, this, [this, notifier]() {
    notifier->setEnabled(false);
    Q_EMIT arrived();
  });
  writeEnd = m_ends[1];
  for (const int number : kSignals) {
    struct sigaction before {};
    // Who starts the program may want one to be ignored, as nohup does.
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

EndSignals::~EndSignals() {
  for (const int number : kSignals) {
    struct sigaction current {};
    if (::sigaction(number, nullptr, &current) == 0 && current.sa_handler == onSignal)
      ::signal(number, SIG_DFL);
  }
  writeEnd = -1;
  for (const int end : m_ends) {
    if (end >= 0) ::close(end);
  }
}

}  // namespace opscope::ui
