// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario that runs in place of a function: its file, the file of its arrays, and what is wrong with
// them before anything runs. GUI thread; the workspace owns it. Files are read in the background, and again
// when they change on disk.
#pragma once

#include <QFileSystemWatcher>
#include <QJsonObject>
#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "ui/bridge/background.h"
#include "ui/bridge/session_types.h"

namespace opscope::ui {

class ScenarioForm : public QObject {
  Q_OBJECT
 public:
  /// `background` outlives the form.
  explicit ScenarioForm(Background* background, QObject* parent = nullptr);

  /// Of another file: nothing is chosen then. Null: no executable.
  void setExecutable(std::shared_ptr<const session::ExecutableInfo> executable);
  /// The same file, built anew: the choice stays and is held against the new one.
  void replaceExecutable(std::shared_ptr<const session::ExecutableInfo> executable);
  /// Without `arraysFile` the arrays of the time before are kept for the same scenario, else those of a file
  /// of the same name beside it are taken, when they fit.
  void choose(const QString& file, const QString& arraysFile = {});
  void setArraysFile(const QString& file);
  /// A function runs again; the files are kept for the next time.
  void drop();
  /// The files, as they are now; ends with changed().
  void readAgain();

  bool isChosen() const { return m_chosen; }
  /// A scenario was chosen before, and can be again.
  bool isKnown() const { return !m_file.isEmpty(); }
  const QString& file() const { return m_file; }
  const QString& arraysFile() const { return m_arraysFile; }
  /// "tiny.scenario.json", without its folder.
  QString fileName() const { return m_file.section(QLatin1Char('/'), -1); }
  /// Null until the file was read.
  const session::ScenarioInfo* info() const { return m_info ? &*m_info : nullptr; }
  bool isReading() const { return m_readsOpen > 0; }
  /// Takes arrays, or has some.
  bool takesArrays() const;

  /// Of the scenario's file and steps, of its arrays; empty: nothing is known to be wrong.
  QString problem() const;
  QString arraysProblem() const;
  QString firstProblem() const;
  bool isValid() const { return problem().isEmpty() && arraysProblem().isEmpty(); }
  /// Of the scenario's content; empty until it was read.
  QString hash() const;

  QJsonObject save() const;
  void restore(const QJsonObject& saved);

 Q_SIGNALS:
  /// Another scenario, other arrays, or none.
  void choiceChanged();
  /// What is known of the files.
  void changed();

 private:
  struct Read {
    session::ScenarioInfo info;
    QString arraysFile;
  };
  void watch();
  void onFileChanged();
  void take(const Read& read);

  Background* m_background;
  std::shared_ptr<const session::ExecutableInfo> m_executable;
  QFileSystemWatcher m_watcher;
  QString m_file;
  QString m_arraysFile;
  bool m_chosen = false;
  bool m_findsArrays = false;  ///< none were given: a file beside the scenario may hold them
  std::optional<session::ScenarioInfo> m_info;
  quint64 m_number = 0;  ///< of the newest reading; answers of others are dropped
  int m_readsOpen = 0;
};

}  // namespace opscope::ui
