// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown when nothing is open: open, sample, recent files, a place to drop a file. GUI thread.
#pragma once

#include <QWidget>

#include "ui/models/recent_files.h"
#include "ui/models/saved_board.h"
#include "ui/views/widgets/last_runs.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class StartPage : public QWidget {
  Q_OBJECT
 public:
  explicit StartPage(const Theme* theme, QWidget* parent = nullptr);
  void setRecentFiles(const RecentFiles& files);
  /// Without any their list is not shown.
  void setBoards(const std::vector<SavedBoard>& boards);
  /// Newest first.
  void setLastRuns(const std::vector<store::StoredRun>& runs);
  /// Without a sample its button says so and does nothing.
  void setSampleAvailable(bool available);
  /// What was open when the program was killed, in words; empty: nothing to offer.
  void setLeftOpen(const QString& words);
  /// A file is held over the window.
  void setDropActive(bool active);

 Q_SIGNALS:
  void openRequested();
  void sampleRequested();
  /// The Boards dialog; with that board where there is an id.
  void boardsRequested(const QString& id);
  void fileRequested(const QString& path);
  void forgetRequested(const QString& path);
  void savedRunRequested(store::RunId id);
  void restoreRequested();
  void guideRequested();
  void discardRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLayout* buildTitle();
  QLayout* buildLists();
  QWidget* buildBoards();
  QWidget* buildChanges();

  const Theme* m_theme;
  QAbstractButton* m_open;
  QAbstractButton* m_sample;
  QAbstractButton* m_connect;
  QWidget* m_drop;
  QWidget* m_boards;
  QVBoxLayout* m_boardRows;
  InfoBar* m_left;
  LastRuns* m_lastRuns;
  QVBoxLayout* m_recent;
  QBoxLayout* m_title;
};

}  // namespace opscope::ui
