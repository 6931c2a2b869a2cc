// SPDX-License-Identifier: GPL-3.0-or-later
// A window in a state that pictures are made of: always the same data, the same fonts, no clock. GUI thread.
#pragma once

#include "tests/ui/support/fake_session.h"
#include "tests/ui/support/synthetic_run.h"
#include "ui/shell/application.h"
#include "ui/shell/main_window.h"

#include <QTemporaryDir>

namespace opscope::ui::testing {

/// What a picture shows; every state goes with any theme and size.
struct PictureState {
  const char* name;
  const char* page;       ///< id
  bool isStored = false;  ///< compared with the picture in tests/data/pictures; others are only painted
};

/// A dialog is shown with the size at which it opens, whatever the window's.
bool isDialog(const PictureState& state);

/// All states, in the order of the pages.
const std::vector<PictureState>& pictureStates();

/// Fonts, language and time zone are those of the pictures, whatever the platform has. Call it before there
/// is an application.
void useFontsOfPictures();

class PictureStage {
 public:
  PictureStage();
  ~PictureStage();
  PictureStage(const PictureStage&) = delete;
  PictureStage& operator=(const PictureStage&) = delete;

  /// Brings the window there, by Qt Test's means: it fails the running test when that does not work.
  void reach(const PictureState& state);
  void setTheme(ThemeChoice theme);
  void setSize(const QSize& size);
  /// Waits until nothing is under way any more.
  void settle();
  /// The window, or the dialog that the state is about. What tells a time of day or this computer is covered.
  QImage picture(double scale) const;
  MainWindow& window() { return *m_window; }
  const Theme& theme() const { return m_theme; }
  /// The window, or the dialog that the state is about.
  QWidget* shown() const;

 private:
  void open(const std::shared_ptr<const session::ExecutableInfo>& info);
  void finish(const report::Document& document);
  void chooseOp(std::uint32_t name);
  void openNothing();
  void runHalfWay();
  void failRunning(bool longWords);
  void giveWrongFile();
  void fillStore(bool longNames);
  void compare(const QString& name);
  void showCode();
  void showCharts(const QString& name);
  void showDialog(const QString& name);
  void showFleet(bool longNames);
  void reachRun(const QString& name);

  Theme m_theme;
  QTemporaryDir m_folder;
  std::unique_ptr<Settings> m_settings;
  FakeSessionState m_fake;
  std::unique_ptr<RunStore> m_store;
  std::unique_ptr<Workspace> m_workspace;
  std::unique_ptr<MainWindow> m_window;
  std::unique_ptr<FleetModel> m_fleetModel;
  std::unique_ptr<QDialog> m_fleet;
  QWidget* m_dialog = nullptr;
};

}  // namespace opscope::ui::testing
