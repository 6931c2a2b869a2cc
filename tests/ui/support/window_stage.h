// SPDX-License-Identifier: GPL-3.0-or-later
// A window with a played session, and the first steps with it, for tests. GUI thread.
#pragma once

#include <QTemporaryDir>
#include <QtTest>

#include "tests/ui/support/fake_session.h"
#include "tests/ui/support/synthetic_run.h"
#include "ui/shell/application.h"
#include "ui/shell/main_window.h"

namespace opscope::ui::testing {

/// Everything that a window needs, with a played session.
struct Stage {
  Theme theme;
  QTemporaryDir folder;
  std::unique_ptr<Settings> settings;
  FakeSessionState session;
  std::unique_ptr<RunStore> store;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<MainWindow> window;

  /// `storeName` is a file in `folder`.
  explicit Stage(const QString& storeName = QStringLiteral("runs.sqlite")) : m_storeName(storeName) {
    dressApplication(&theme, ThemeChoice::Light);
    settings = std::make_unique<Settings>(folder.filePath(QStringLiteral("opscope.ini")));
    store = std::make_unique<RunStore>(storeFile());
    workspace = std::make_unique<Workspace>(fakeSessionFactory(session), settings.get(), store.get());
    window = std::make_unique<MainWindow>(&theme, workspace.get(), QString());
    window->resize(1440, 900);
    window->show();
  }
  QString storeFile() const { return folder.filePath(m_storeName); }
  Command* command(const char* id) const {
    for (Command* command : window->commands()) {
      if (command->id() == QLatin1String(id)) return command;
    }
    return nullptr;
  }

 private:
  QString m_storeName;
};

inline void openExecutable(Stage& stage) {
  stage.workspace->openFile(QStringLiteral("/models/shufflenet.so"));
  QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
  stage.session.post(session::ExecutableOpened{syntheticExecutable()});
  QTRY_VERIFY(stage.workspace->executable() != nullptr);
}

inline void runToEnd(Stage& stage) {
  QTest::keyClick(stage.window.get(), Qt::Key_F5);
  QTRY_COMPARE(stage.session.profiles.size(), std::size_t(1));
  QVERIFY(stage.workspace->isRunning());
  stage.session.post(session::ProfileFinished{syntheticDocument()});
  QTRY_VERIFY(stage.workspace->run() != nullptr);
}

}  // namespace opscope::ui::testing
