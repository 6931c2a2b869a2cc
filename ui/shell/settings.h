// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept between starts, in the user's configuration folder: opscope/opscope.ini. GUI thread; the
// program makes one and hands it down. Tests give a file of their own.
#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QSettings>
#include <QStringList>

#include "ui/models/recent_files.h"
#include "ui/models/run_options.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

class Settings {
 public:
  /// The user's file.
  Settings();
  explicit Settings(const QString& file);

  QString fileName() const { return m_settings.fileName(); }
  ThemeChoice theme() const;
  void setTheme(ThemeChoice choice);
  /// In percent of the platform's, one of kTextSizes.
  int textSize() const;
  void setTextSize(int percent);
  QByteArray geometry() const;
  void setGeometry(const QByteArray& geometry);
  /// Panels folded on a page, by id.
  QStringList foldedPanels(const QString& page, const QStringList& byDefault) const;
  void setFoldedPanels(const QString& page, const QStringList& panels);
  RecentFiles recentFiles() const;
  void setRecentFiles(const RecentFiles& files);
  /// The form's choices of one function of an executable, by the hash of its file.
  QJsonObject form(const QString& executableHash, const QString& function) const;
  void setForm(const QString& executableHash, const QString& function, const QJsonObject& form);
  /// Run settings of an executable, by the hash of its file.
  RunOptions runOptions(const QString& executableHash) const;
  void setRunOptions(const QString& executableHash, const RunOptions& options);
  /// The scenario of an executable, as ScenarioForm writes it, by the hash of its file.
  QJsonObject scenario(const QString& executableHash) const;
  void setScenario(const QString& executableHash, const QJsonObject& scenario);
  int repeats() const;
  int warmup() const;
  void setRunLengths(int repeats, int warmup);
  /// Runs record what memory was taken when.
  bool recordsMemory() const;
  void setRecordsMemory(bool records);
  /// Runs record what the threads of the kernel pool do.
  bool recordsThreads() const;
  void setRecordsThreads(bool records);
  /// Every run is saved when it ends.
  bool savesRuns() const;
  void setSavesRuns(bool saves);
  /// Of the Runs panel, in design pixels; 0: as usual.
  int runsHeight() const;
  void setRunsHeight(int height);
  /// Saved boards, as BoardList writes them.
  QJsonArray boards() const;
  void setBoards(const QJsonArray& boards);
  /// Id of the target that was chosen last.
  QString target() const;
  void setTarget(const QString& id);
  /// That file dialogs used last; may be empty.
  QString dialogFolder() const;
  void setDialogFolder(const QString& folder);
  /// Where tensors were dumped to last; may be empty.
  QString dumpFolder() const;
  void setDumpFolder(const QString& folder);
  /// How the rows of Ops are made; empty: as usual.
  QString opsGrouping() const;
  void setOpsGrouping(const QString& id);
  QStringList shownColumns() const;
  void setShownColumns(const QStringList& ids);

  /// Writes what is not on disk yet. For the end of the program.
  void sync() { m_settings.sync(); }

 private:
  mutable QSettings m_settings;
};

}  // namespace opscope::ui
