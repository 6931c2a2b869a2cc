// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "engine/base/held_file.h"
#include "engine/store/store_path.h"
#include "ui/bridge/slow_work.h"

namespace opscope::ui {

using base::Error;
using base::Result;

/// The connections, for the one thread that works with the file. Two of them: what one writes, the other one
/// sees as a change.
struct RunStore::Desk {
  explicit Desk(std::string wanted) : option(std::move(wanted)) {}

  using Listing = Result<std::shared_ptr<const Runs>>;

  /// Nothing when the file is as it was.
  std::optional<Listing> look(bool force) {
    const SlowWork work("the list of runs");
    auto place = store::storePath(option);
    if (!place) return Listing(place.error());
    dropReplaced(*place);
    if (!reader) {
      auto opened = store::Store::open(*place, store::Access::Read);
      if (!opened && opened.error().code == base::ErrorCode::NotFound) {
        const bool wasEmpty = std::exchange(missing, true);
        if (wasEmpty && !force) return std::nullopt;
        return Listing(std::make_shared<const Runs>());
      }
      if (!opened) return Listing(opened.error());
      reader.emplace(std::move(*opened));
      missing = false;
      remember(*place);
      force = true;
    }
    auto number = reader->changeNumber();
    if (!number) return failed(number.error());
    if (!force && *number == change) return std::nullopt;
    auto list = reader->list({});
    if (!list) return failed(list.error());
    change = *number;
    return Listing(std::make_shared<const Runs>(std::move(*list)));
  }

  Result<store::Store*> forReading() {
    const SlowWork work("a saved run");
    if (reader) return &*reader;
    OPSCOPE_TRY_ASSIGN(const auto place, store::storePath(option));
    OPSCOPE_TRY_ASSIGN(store::Store opened, store::Store::open(place, store::Access::Read));
    reader.emplace(std::move(opened));
    remember(place);
    return &*reader;
  }

  Result<store::Store*> forWriting() {
    const SlowWork work("the store of runs");
    OPSCOPE_TRY_ASSIGN(const auto place, store::storePath(option));
    dropReplaced(place);
    if (writer) return &*writer;
    OPSCOPE_TRY(store::makeStoreFolder(option));
    OPSCOPE_TRY_ASSIGN(store::Store opened, store::Store::open(place, store::Access::Write));
    writer.emplace(std::move(opened));
    remember(place);
    return &*writer;
  }

 private:
  Listing failed(const Error& error) {
    reader.reset();  // the next look begins anew
    return error;
  }

  /// A file that somebody deleted or replaced is another one: what is open goes on in the old one.
  void dropReplaced(const std::filesystem::path& place) {
    if (!reader && !writer) return;
    struct stat status {};
    const bool there = ::stat(place.c_str(), &status) == 0;
    if (there && status.st_ino == inode && status.st_dev == device) return;
    reader.reset();
    writer.reset();
  }

  void remember(const std::filesystem::path& place) {
    struct stat status {};
    if (::stat(place.c_str(), &status) != 0) return;
    inode = status.st_ino;
    device = status.st_dev;
  }

  std::string option;
  std::optional<store::Store> reader;
  std::optional<store::Store> writer;
  std::int64_t change = 0;
  bool missing = false;
  ino_t inode = 0;
  dev_t device = 0;
};

RunStore::RunStore(const QString& file, QObject* parent)
    : QObject(parent),
      m_desk(std::make_shared<Desk>(file.toStdString())),
      m_all(std::make_shared<const Runs>()),
      m_runs(m_all) {
  connect(&m_timer, &QTimer::timeout, this, [this]() { look(false); });
  m_removalTimer.setSingleShot(true);
  m_removalTimer.setInterval(kUndoMs);
  connect(&m_removalTimer, &QTimer::timeout, this, &RunStore::finishRemoval);
}

RunStore::~RunStore() {
  finishRemoval();
}

void RunStore::watch(int everyMs) {
  m_timer.start(everyMs);
  look(true);
}

const store::StoredRun* RunStore::find(RunId id) const {
  const auto found = std::ranges::find(*m_runs, id, &store::StoredRun::id);
  return found == m_runs->end() ? nullptr : &*found;
}

void RunStore::look(bool force) {
  // One that waits will see what is there by then; a forced one comes after what was just written.
  if (m_looking && !force) return;
  m_looking = true;
  m_background.run(
      this, [desk = m_desk, force]() { return desk->look(force); },
      [this](std::optional<Desk::Listing> listing) {
        m_looking = false;
        if (!listing) return;
        const bool first = !std::exchange(m_listed, true);
        if (*listing) {
          m_all = **listing;
          m_listProblem.reset();
        } else {
          const bool known = m_listProblem && m_listProblem->message == listing->error().message;
          m_listProblem = listing->error();
          if (known && !first) return;
        }
        show();
      });
}

void RunStore::show() {
  if (m_removed.isEmpty() && m_going.isEmpty()) {
    m_runs = m_all;
  } else {
    auto left = std::make_shared<Runs>();
    std::ranges::copy_if(*m_all, std::back_inserter(*left), [this](const store::StoredRun& run) {
      return !m_removed.contains(run.id) && !m_going.contains(run.id);
    });
    m_runs = left;
  }
  Q_EMIT runsChanged();
}

void RunStore::save(const report::Document& document, const store::RunNotes& notes) {
  startSaving({document, notes});
}

void RunStore::startSaving(Unsaved run) {
  ++m_saving;
  m_background.run(
      this,
      [desk = m_desk, run]() -> Result<RunId> {
        OPSCOPE_TRY_ASSIGN(store::Store * store, desk->forWriting());
        return store->save(run.document, run.notes);
      },
      [this, run](const Result<RunId>& id) {
        --m_saving;
        if (id) {
          look(true);
          Q_EMIT saved(*id, run.document.run);
        } else {
          m_unsaved.push_back(run);
          m_saveProblem = id.error();
          Q_EMIT unsavedChanged();
        }
        if (m_saving == 0) Q_EMIT savingEnded();
      });
}

void RunStore::saveAgain() {
  const std::vector<Unsaved> runs = std::exchange(m_unsaved, {});
  m_saveProblem.reset();
  Q_EMIT unsavedChanged();
  for (const Unsaved& run : runs) startSaving(run);
}

void RunStore::giveUpUnsaved() {
  m_unsaved.clear();
  m_saveProblem.reset();
  Q_EMIT unsavedChanged();
}

void RunStore::load(RunId id, QObject* context, Loaded loaded) {
  m_background.run(
      context,
      [desk = m_desk, id]() -> Result<report::Document> {
        OPSCOPE_TRY_ASSIGN(store::Store * store, desk->forReading());
        return store->load(id);
      },
      [loaded = std::move(loaded)](Result<report::Document> document) { loaded(std::move(document)); });
}

void RunStore::change(std::function<Result<>(store::Store&)> work) {
  m_background.run(
      this,
      [desk = m_desk, work = std::move(work)]() -> Result<> {
        OPSCOPE_TRY_ASSIGN(store::Store * store, desk->forWriting());
        return work(*store);
      },
      [this](const Result<>& done) {
        // Also after a failure: what the list shows is put right.
        look(true);
        if (!done) Q_EMIT changeFailed(done.error());
      });
}

void RunStore::setNote(RunId id, const QString& note) {
  change([id, text = note.toStdString()](store::Store& store) { return store.setNote(id, text); });
}

void RunStore::setTags(RunId id, const QStringList& tags) {
  std::vector<std::string> wanted;
  for (const QString& tag : tags) wanted.push_back(tag.toStdString());
  change([id, wanted](store::Store& store) -> Result<> {
    OPSCOPE_TRY_ASSIGN(const store::StoredRun run, store.find(id));
    std::vector<std::string> old;
    std::ranges::copy_if(run.tags, std::back_inserter(old), [&](const std::string& tag) {
      return std::ranges::find(wanted, tag) == wanted.end();
    });
    OPSCOPE_TRY(store.removeTags(id, old));
    return store.addTags(id, wanted);
  });
}

void RunStore::remove(const std::vector<RunId>& ids) {
  // Undo is for the last removal; the one before is done.
  finishRemoval();
  for (const RunId id : ids) m_removed.insert(id);
  m_removalTimer.start();
  show();
  Q_EMIT removalChanged();
}

void RunStore::undoRemoval() {
  m_removalTimer.stop();
  m_removed.clear();
  show();
  Q_EMIT removalChanged();
}

void RunStore::finishRemoval() {
  m_removalTimer.stop();
  if (m_removed.isEmpty()) return;
  const std::vector<RunId> ids(m_removed.begin(), m_removed.end());
  m_going += m_removed;
  m_removed.clear();
  m_background.run(
      this,
      [desk = m_desk, ids]() -> Result<> {
        OPSCOPE_TRY_ASSIGN(store::Store * store, desk->forWriting());
        std::vector<RunId> there;
        for (const RunId id : ids) {
          if (store->find(id)) there.push_back(id);  // another process may have been faster
        }
        return store->remove(there);
      },
      [this, ids](const Result<>& done) {
        for (const RunId id : ids) m_going.remove(id);
        look(true);
        if (!done) Q_EMIT changeFailed(done.error());
      });
  Q_EMIT removalChanged();
}

namespace {

/// The error with the name of the file that was asked for in place of the part's.
Error aboutFile(Error error, const std::string& part, const std::string& path) {
  for (std::string* text : {&error.message, &error.detail}) {
    const std::size_t at = text->find(part);
    if (at != std::string::npos) text->replace(at, part.size(), path);
  }
  return error;
}

}  // namespace

Result<> writeStoreFile(const report::Document& document, const store::RunNotes& notes,
                        const std::string& path) {
  const SlowWork work("writing a session file");
  OPSCOPE_TRY(base::checkNotHeld(path, "replace"));
  // It ends as a session file does, so that errors are those of one.
  const std::string part = path + ".part" + std::to_string(::getpid()) + ".opscope";
  const auto clear = [&part]() {
    for (const char* end : {"", "-wal", "-shm"}) ::unlink((part + end).c_str());
  };
  clear();
  auto saved = [&]() -> Result<store::RunId> {
    OPSCOPE_TRY_ASSIGN(store::Store file, store::Store::open(part, store::Access::Write));
    return file.save(document, notes);
  }();
  if (saved && ::rename(part.c_str(), path.c_str()) == 0) return {};
  const Error error = saved ? Error{base::ErrorCode::Io, "The session file cannot be written.",
                                    path + ": " + std::strerror(errno), "Choose another folder."}
                            : aboutFile(saved.error(), part, path);
  clear();
  return error;
}

Result<report::Document> readStoreFile(const std::string& path) {
  const SlowWork work("a session file");
  OPSCOPE_TRY_ASSIGN(store::Store file, store::Store::open(path, store::Access::Read));
  OPSCOPE_TRY_ASSIGN(const store::RunId id, file.newest(0));
  return file.load(id);
}

}  // namespace opscope::ui
