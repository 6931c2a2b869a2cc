// SPDX-License-Identifier: GPL-3.0-or-later
// The door between the window and the store of runs. GUI thread; the program makes one and hands it down. All
// work on the file is done by one thread of its own, in the order in which it was asked for. The list follows
// what other processes save. A run that cannot be saved is kept until it is saved or given up.
#pragma once

#include <QObject>
#include <QSet>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/store/store.h"
#include "ui/bridge/background.h"

namespace opscope::ui {

class RunStore : public QObject {
  Q_OBJECT
 public:
  using RunId = store::RunId;
  using Runs = std::vector<store::StoredRun>;

  /// `file` as with --store: empty is $OPSCOPE_STORE, then the usual place. Nothing is opened or made yet.
  explicit RunStore(const QString& file, QObject* parent = nullptr);
  /// Does what was asked for before it returns.
  ~RunStore() override;

  /// Lists now and then whenever the file changes, looking every `everyMs`.
  void watch(int everyMs = 1000);
  /// Without those that were removed. Never null; newest first.
  const std::shared_ptr<const Runs>& runs() const { return m_runs; }
  /// The first list has come, or what is wrong with the file.
  bool isListed() const { return m_listed; }
  /// Why there is no list; empty when all is well. A file that is not there yet is an empty list.
  const std::optional<base::Error>& listProblem() const { return m_listProblem; }
  const store::StoredRun* find(RunId id) const;

  void save(const report::Document& document, const store::RunNotes& notes = {});
  /// Runs that are not in the file and that it was tried to save, with the newest reason.
  std::size_t unsavedCount() const { return m_unsaved.size(); }
  const std::optional<base::Error>& saveProblem() const { return m_saveProblem; }
  void saveAgain();
  bool isSaving() const { return m_saving > 0; }
  void giveUpUnsaved();

  using Loaded = std::function<void(base::Result<report::Document>)>;
  /// Answers with `loaded` while `context` lives. Errors: as Store::open and Store::load.
  void load(RunId id, QObject* context, Loaded loaded);
  void setNote(RunId id, const QString& note);
  void setTags(RunId id, const QStringList& tags);

  /// Takes runs out of the list at once and out of the file a while later: until then undoRemoval brings them
  /// back, and when the program is killed, nothing was lost.
  void remove(const std::vector<RunId>& ids);
  int removedCount() const { return int(m_removed.size()); }
  void undoRemoval();
  /// Removes from the file now.
  void finishRemoval();

  /// For the end of the program: false when work goes on after `milliseconds`.
  bool waitForDone(int milliseconds) { return m_background.waitForDone(milliseconds); }

  static constexpr int kUndoMs = 12000;

 Q_SIGNALS:
  /// The list or what is wrong with it.
  void runsChanged();
  void saved(store::RunId id, std::shared_ptr<const report::Run> run);
  /// Nothing is being saved any more, well or not.
  void savingEnded();
  /// unsavedCount or saveProblem.
  void unsavedChanged();
  void removalChanged();
  /// A note, tags or removed runs could not be written.
  void changeFailed(base::Error error);

 private:
  struct Desk;
  struct Unsaved {
    report::Document document;
    store::RunNotes notes;
  };
  void look(bool force);
  void show();
  void change(std::function<base::Result<>(store::Store&)> work);
  void startSaving(Unsaved run);

  std::shared_ptr<Desk> m_desk;  ///< of the thread of m_background alone
  std::shared_ptr<const Runs> m_all;
  std::shared_ptr<const Runs> m_runs;
  bool m_listed = false;
  bool m_looking = false;
  std::optional<base::Error> m_listProblem;
  std::vector<Unsaved> m_unsaved;
  int m_saving = 0;
  std::optional<base::Error> m_saveProblem;
  QSet<RunId> m_removed;
  QSet<RunId> m_going;  ///< being taken out of the file
  QTimer m_timer;
  QTimer m_removalTimer;
  Background m_background{1};
};

/// A file with this run alone, to be sent to somebody: a store. It replaces what is there, whole or not at
/// all. Blocks; for the background.
base::Result<> writeStoreFile(const report::Document& document, const store::RunNotes& notes,
                              const std::string& path);

/// Reads a file that writeStoreFile wrote, or the newest run of another store. Blocks; for the background.
/// Errors: as Store::open; NotFound when it holds no run.
base::Result<report::Document> readStoreFile(const std::string& path);

}  // namespace opscope::ui
