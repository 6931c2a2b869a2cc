// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps: measures one in a session of its own, saves its runs, and reads saved ones; tells the Charts page
// what to show. GUI thread; the window owns it.
#pragma once

#include <QObject>
#include <memory>
#include <string>
#include <vector>

#include "ui/models/sweep_view.h"
#include "ui/shell/workspace.h"

namespace opscope::ui {

class ChartsPage;

class SweepDesk : public QObject {
  Q_OBJECT
 public:
  /// Both outlive the desk.
  SweepDesk(Workspace* workspace, ChartsPage* page, QObject* parent = nullptr);
  ~SweepDesk() override;

  const std::vector<SavedSweep>& saved() const { return m_saved; }
  /// Null while none is shown.
  const std::shared_ptr<const SweepView>& view() const { return m_view; }
  bool isRunning() const { return m_bridge != nullptr && m_bridge->isBusy(); }

 public Q_SLOTS:
  void start(const QString& over, const std::vector<std::int64_t>& values);
  void stop();
  void showSaved(int index);

 private:
  struct Loading {
    QString over;
    std::vector<report::ScalingPoint> points;
    std::vector<QString> problems;
    std::size_t wanted = 0;
  };
  void connectBridge();
  void refreshSaved();
  void refreshStatus();
  void takeProgress(const session::Progress& progress);
  void takeResult(const session::SweepFinished& result);
  void takeLoaded(quint64 number, std::int64_t value, const base::Result<report::Document>& document);
  void build(const QString& over, std::vector<report::ScalingPoint> points, std::vector<QString> problems);
  /// A sweep is not left beside a file that was opened after it.
  void forgetOther();
  void tell(const QString& problem);

  Workspace* m_workspace;
  ChartsPage* m_page;
  std::unique_ptr<SessionBridge> m_bridge;  ///< made with the first sweep
  std::vector<SavedSweep> m_saved;
  std::shared_ptr<const SweepView> m_view;
  std::string m_measuredAt;  ///< when a run of the sweep began that was measured here and is shown; it gets
                             ///< its place among the saved ones when it is saved
  store::RunId m_shown = 0;  ///< first run of the saved sweep that is shown; 0: none
  QString m_path;            ///< of the file that is, or was, swept last
  QString m_shownBeside;     ///< the file that was open when the sweep was shown
  QString m_progress;
  quint64 m_number = 0;  ///< of what is shown or read; older answers are dropped
  Loading m_loading;
};

}  // namespace opscope::ui
