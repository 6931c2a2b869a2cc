// SPDX-License-Identifier: GPL-3.0-or-later
// The window's composition root: builds objects and hands them down.
#include <QApplication>
#include <QFileInfo>
#include <QTemporaryDir>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "app/workbench/arguments.h"
#include "app/workbench/first_paint.h"
#include "engine/base/log.h"
#include "engine/session/session.h"
#include "opscope/version.h"
#include "ui/shell/application.h"
#include "ui/shell/end_signals.h"
#include "ui/shell/main_window.h"

namespace {

using namespace opscope;

/// Repeats of a screenshot: enough for statistics, quick enough for a test.
constexpr int kScreenshotRepeats = 10;

int tell(const base::Error& error, int status) {
  std::fputs((base::formatError(error) + "\n").c_str(), stderr);
  return status;
}

bool asksForPicture(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--screenshot", 12) == 0 || std::strcmp(argv[i], "--help") == 0 ||
        std::strcmp(argv[i], "-h") == 0 || std::strcmp(argv[i], "--version") == 0 ||
        std::strcmp(argv[i], "-v") == 0) {
      return true;
    }
  }
  return false;
}

/// False when there is neither a display nor a picture to make.
bool choosePlatform(int argc, char** argv) {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (set("QT_QPA_PLATFORM") || set("DISPLAY") || set("WAYLAND_DISPLAY")) return true;
  setenv("QT_QPA_PLATFORM", "offscreen", 1);
  return asksForPicture(argc, argv);
}

QString sampleFile() {
  const QFileInfo file(QCoreApplication::applicationDirPath() +
                       QStringLiteral("/../share/opscope/samples/basic_pitch.so"));
  return file.exists() ? file.canonicalFilePath() : QString();
}

int takeScreenshot(QApplication& application, ui::Theme& theme, const workbench::Arguments& arguments) {
  const QTemporaryDir folder;
  ui::Settings settings(folder.filePath(QStringLiteral("opscope.ini")));
  // A picture shows the runs of a store that is named, and saves none.
  settings.setSavesRuns(false);
  const bool named = !arguments.store.isEmpty();
  ui::RunStore store(named ? arguments.store : folder.filePath(QStringLiteral("runs.sqlite")));
  ui::Workspace workspace(ui::engineSessionFactory(), &settings, &store);
  workspace.setRunLengths(kScreenshotRepeats, 1);
  workspace.setRecordsMemory(arguments.screenshot->page == QLatin1String("memory"));
  if (arguments.hasPlan) workspace.setInitialPlan(arguments.plan);
  if (arguments.options) workspace.setInitialOptions(*arguments.options);
  ui::MainWindow window(&theme, &workspace, sampleFile());
  ui::Screenshot screenshot(&window, &workspace, *arguments.screenshot);
  int status = 0;
  QObject::connect(&screenshot, &ui::Screenshot::finished, &application, [&status](const QString& error) {
    if (!error.isEmpty()) {
      std::fprintf(stderr, "opscope: error: %s\n", error.toUtf8().constData());
      status = 1;
    }
    QCoreApplication::exit(status);
  });
  QMetaObject::invokeMethod(
      &screenshot, [&screenshot]() { screenshot.start(); }, Qt::QueuedConnection);
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  base::configureLog(false);
  if (!choosePlatform(argc, argv)) {
    return tell({base::ErrorCode::Unsupported, "no display to open a window on",
                 "DISPLAY and WAYLAND_DISPLAY are not set",
                 "opscope FILE --screenshot OUT.png renders a page without one; opscope-cli profile FILE "
                 "prints the table"},
                1);
  }
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("opscope"));
  QApplication::setApplicationVersion(QStringLiteral(OPSCOPE_VERSION));
  auto arguments = workbench::readArguments(QApplication::arguments());
  if (!arguments) return tell(arguments.error(), 2);
  session::initialiseEngine();
  ui::Theme theme;
  if (arguments->screenshot) {
    ui::dressApplication(&theme, arguments->theme.value_or(ui::ThemeChoice::Light),
                         arguments->textSize.value_or(ui::kUsualTextSize));
    return takeScreenshot(application, theme, *arguments);
  }
  ui::Settings settings;
  ui::dressApplication(&theme, arguments->theme.value_or(settings.theme()),
                       arguments->textSize.value_or(settings.textSize()));
  ui::RunStore store(arguments->store);
  ui::Workspace workspace(ui::engineSessionFactory(), &settings, &store);
  if (arguments->hasPlan) workspace.setInitialPlan(arguments->plan);
  if (arguments->options) workspace.setInitialOptions(*arguments->options);
  ui::MainWindow window(&theme, &workspace, sampleFile());
  std::unique_ptr<workbench::FirstPaint> firstPaint;
  if (qEnvironmentVariableIsSet(workbench::kTellPainted))
    firstPaint = std::make_unique<workbench::FirstPaint>(&window);
  window.show();
  if (!arguments->page.isEmpty()) window.showPageById(arguments->page);
  auto guard = std::make_unique<ui::CrashGuard>(QFileInfo(settings.fileName()).absolutePath());
  QObject::connect(guard.get(), &ui::CrashGuard::found, &window, &ui::MainWindow::offerRestore);
  QObject::connect(&window, &ui::MainWindow::openStateChanged, guard.get(),
                   [&guard, &window]() { guard->keep(window.openState()); });
  guard->look();
  if (!arguments->files.isEmpty()) window.openNamed(arguments->files);
  const ui::EndSignals ends;
  QObject::connect(&ends, &ui::EndSignals::arrived, &application, [&]() {
    settings.setGeometry(window.saveGeometry());
    workspace.stop();
    QCoreApplication::exit(0);
  });
  const int status = QApplication::exec();
  guard.reset();
  settings.sync();
  // A kernel that does not return uses what the end of main destroys, so nothing is destroyed then.
  if (!workspace.shutDown()) std::_Exit(status);
  return status;
}
