// SPDX-License-Identifier: GPL-3.0-or-later
// A window with a session of the engine, for tests that go through real data. initialiseEngine() comes first.
// GUI thread.
#pragma once

#include <QTemporaryDir>
#include <QtTest>

#include "ui/bridge/session_driver.h"
#include "ui/shell/application.h"
#include "ui/shell/main_window.h"

namespace opscope::ui::testing {

struct EngineStage {
  Theme theme;
  QTemporaryDir folder;
  std::unique_ptr<Settings> settings;
  std::unique_ptr<RunStore> store;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<MainWindow> window;

  EngineStage() {
    dressApplication(&theme, ThemeChoice::Light);
    settings = std::make_unique<Settings>(folder.filePath(QStringLiteral("opscope.ini")));
    store = std::make_unique<RunStore>(folder.filePath(QStringLiteral("runs.sqlite")));
    workspace = std::make_unique<Workspace>(engineSessionFactory(), settings.get(), store.get());
    window = std::make_unique<MainWindow>(&theme, workspace.get(), QString());
    window->resize(1440, 900);
    window->show();
  }
  ~EngineStage() { workspace->shutDown(); }

  void open(const QString& fixture) {
    workspace->openFile(QStringLiteral(OPSCOPE_TEST_DATA "/vm/tvm027/") + fixture);
    QTRY_VERIFY_WITH_TIMEOUT(workspace->executable() != nullptr, 30000);
  }
  void profile(int repeats) {
    workspace->setRunLengths(repeats, 0);
    workspace->profile();
    QTRY_VERIFY_WITH_TIMEOUT(workspace->run() != nullptr && !workspace->isRunning(), 60000);
  }
  void settle() {
    QVERIFY(workspace->background()->waitForDone(60000));
    QCoreApplication::processEvents();
  }
};

}  // namespace opscope::ui::testing
