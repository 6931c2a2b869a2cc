// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a file, waits for what there is to show, renders the window to a PNG and ends. GUI thread.
#pragma once

#include <QObject>
#include <QSize>
#include <QString>

#include "ui/shell/main_window.h"

namespace opscope::ui {

struct ScreenshotPlan {
  QString picture;  ///< OUT.png
  QString page = QStringLiteral("summary");
  QSize size{1440, 900};
  double scale = 1;
  QStringList files;  ///< none: the start page; several: as MainWindow::openTogether, else two are compared
  bool run = true;    ///< an executable is profiled; false: the page before the first run
};

class Screenshot : public QObject {
  Q_OBJECT
 public:
  Screenshot(MainWindow* window, Workspace* workspace, const ScreenshotPlan& plan, QObject* parent = nullptr);
  void start();

 Q_SIGNALS:
  /// `error` is empty when the picture was written.
  void finished(const QString& error);

 private:
  void onStatus();
  void onFailure();
  void finishLater();
  void take();

  MainWindow* m_window;
  Workspace* m_workspace;
  ScreenshotPlan m_plan;
  bool m_started = false;
  bool m_done = false;
};

}  // namespace opscope::ui
