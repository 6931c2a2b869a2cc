// SPDX-License-Identifier: GPL-3.0-or-later
// What was open when the program was killed. Each window notes what is open in a small file of its own, which
// a clean end takes away; the next start finds those whose process is gone. GUI thread; files are touched by
// a thread of its own.
#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QLockFile>
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "ui/bridge/background.h"
#include "ui/bridge/run_store.h"

namespace opscope::ui {

struct OpenState {
  QString path;      ///< executable or report; may be empty
  QString function;  ///< of the form
  QJsonObject form;
  std::optional<store::RunId> run;  ///< of the store
  QString page;
  QJsonObject scenario = {};  ///< as ScenarioForm writes it
  bool isEmpty() const { return path.isEmpty() && !run; }
  bool operator==(const OpenState&) const = default;
};

class CrashGuard : public QObject {
  Q_OBJECT
 public:
  /// `folder` is made when it is missing.
  explicit CrashGuard(const QString& folder, QObject* parent = nullptr);
  /// A clean end: nothing is left to be found.
  ~CrashGuard() override;

  /// Looks for what a killed process left; answers with found(), once, when there is something.
  void look();
  /// Notes what is open, a moment later.
  void keep(const OpenState& state);
  void writeNow();
  bool waitForDone(int milliseconds) { return m_background.waitForDone(milliseconds); }

 Q_SIGNALS:
  void found(const opscope::ui::OpenState& state);

 private:
  QString m_folder;
  QString m_file;
  OpenState m_state;
  OpenState m_written;
  QTimer m_timer;
  std::shared_ptr<QLockFile> m_lock;  ///< of the thread of m_background alone
  Background m_background{1};
};

}  // namespace opscope::ui

Q_DECLARE_METATYPE(opscope::ui::OpenState)
