// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTERM, SIGINT and SIGHUP as an orderly end: they reach the event loop, which closes what is open. A
// second one ends the process at once. One object a process, GUI thread.
#pragma once

#include <QObject>

namespace opscope::ui {

class EndSignals : public QObject {
  Q_OBJECT
 public:
  explicit EndSignals(QObject* parent = nullptr);
  /// The signals do what they did before.
  ~EndSignals() override;

 Q_SIGNALS:
  void arrived();

 private:
  int m_ends[2] = {-1, -1};
};

}  // namespace opscope::ui
