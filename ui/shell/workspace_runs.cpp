// SPDX-License-Identifier: GPL-3.0-or-later
// The workspace and the store of runs: every run that ends is saved, and saved ones are shown.
#include <utility>

#include "ui/models/format.h"
#include "ui/models/runs_model.h"
#include "ui/shell/workspace.h"

namespace opscope::ui {

void Workspace::connectStore() {
  if (m_store == nullptr) return;
  connect(m_store, &RunStore::saved, this,
          [this](store::RunId id, const std::shared_ptr<const report::Run>& run) {
            m_fleetModel.noteSaved(run, id);
            if (m_activity == Activity::Fleet) Q_EMIT fleetSaved();
            if (!m_run || m_run->document.run != run) {
              // It may be on its way to the pages still.
              m_lastSaved = {id, run};
              return;
            }
            noteSaved(id);
          });
  connect(m_store, &RunStore::unsavedChanged, this, [this]() {
    if (!m_store->saveProblem()) return;
    note(QStringLiteral("save"), format::fromUtf8(m_store->saveProblem()->message), true);
    Q_EMIT noticed(
        QStringLiteral("The run was not saved: %1").arg(format::fromUtf8(m_store->saveProblem()->message)));
  });
  connect(m_store, &RunStore::changeFailed, this, [this](const base::Error& error) {
    Q_EMIT noticed(QStringLiteral("The store was not changed: %1").arg(format::fromUtf8(error.message)));
  });
}

void Workspace::noteSaved(store::RunId id) {
  m_origin.saved = id;
  m_origin.savedAt = QTime::currentTime();
  Q_EMIT shownRunChanged();
  Q_EMIT statusChanged();
}

void Workspace::keepRun(const report::Document& document, const store::RunNotes& notes) {
  if (m_store == nullptr || !m_settings->savesRuns() || document.run->repeats == 0) return;
  m_store->save(document, notes);
}

void Workspace::noteSessionBeside(SessionBridge* bridge) {
  m_beside = bridge;
  Q_EMIT statusChanged();
}

void Workspace::showMeasured(const report::Document& document) {
  m_background.run(
      this, [document]() { return makeRunView(document); },
      [this, number = m_openNumber](const std::shared_ptr<const RunView>& view) {
        if (number == m_openNumber) showRun(view, {});
      });
}

void Workspace::showRun(const std::shared_ptr<const RunView>& view, const RunOrigin& origin) {
  m_run = view;
  m_origin = origin;
  m_selection.reset();
  if (m_lastSaved.run == view->document.run) {
    m_origin.saved = m_lastSaved.id;
    m_origin.savedAt = QTime::currentTime();
  }
  m_lastSaved = {};
  Q_EMIT runChanged();
  Q_EMIT shownRunChanged();
  Q_EMIT statusChanged();
}

void Workspace::openSaved(store::RunId id) {
  if (m_store == nullptr) return;
  endTrial();
  m_opening = true;
  m_failure.reset();
  const quint64 number = ++m_openRequest;
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
  const store::StoredRun* known = m_store->find(id);
  const QString name = known != nullptr ? runTitle(*known) : QStringLiteral("run %1").arg(id);
  m_store->load(id, this, [this, id, number, name](const base::Result<report::Document>& document) {
    if (number != m_openRequest) return;
    if (!document) {
      m_opening = false;
      fail(Failure::During::Opening, document.error(), name);
      return;
    }
    m_background.run(
        this, [document = *document]() { return makeRunView(document); },
        [this, id, number](const std::shared_ptr<const RunView>& view) {
          if (number != m_openRequest) return;
          m_opening = false;
          const std::string& hash = view->run().executableHash;
          if (m_executable && !hash.empty() && m_executable->hash == hash) {
            showSaved(view, id);
          } else {
            beforeDrop(QStringLiteral("run %1").arg(id), [this, view, id]() { showSaved(view, id); });
          }
        });
  });
}

void Workspace::restore(const OpenState& state) {
  if (state.path.isEmpty()) {
    if (state.run) openSaved(*state.run);
    return;
  }
  openFile(state.path);
  m_restoring = state;
}

void Workspace::finishRestoring() {
  const auto state = std::exchange(m_restoring, std::nullopt);
  if (!state) return;
  chooseFunction(state->function);
  if (m_choices.function == state->function && currentFunction() != nullptr) m_form.restore(state->form);
  m_scenario.restore(state->scenario);
  if (state->run) openSaved(*state->run);
}

void Workspace::exportSaved(store::RunId id, const QString& path) {
  store::RunNotes notes;
  if (const store::StoredRun* run = m_store->find(id)) notes = {run->note, run->tags};
  m_store->load(id, this, [this, notes, path](const base::Result<report::Document>& document) {
    if (document) {
      writeSession(*document, notes, path);
    } else {
      fail(Failure::During::Exporting, document.error(), path);
    }
  });
}

void Workspace::exportSession(const QString& path) {
  if (!m_run) return;
  store::RunNotes notes;
  const store::StoredRun* run =
      m_store != nullptr && m_origin.saved ? m_store->find(*m_origin.saved) : nullptr;
  if (run != nullptr) notes = {run->note, run->tags};
  writeSession(m_run->document, notes, path);
}

void Workspace::writeSession(const report::Document& document, const store::RunNotes& notes,
                             const QString& path) {
  m_background.run(
      this, [document, notes, file = path.toStdString()]() { return writeStoreFile(document, notes, file); },
      [this, path](const base::Result<>& written) {
        if (written) {
          Q_EMIT noticed(QStringLiteral("Session file saved as %1").arg(format::shortPath(path)));
        } else {
          fail(Failure::During::Exporting, written.error(), path);
        }
      });
}

void Workspace::showSaved(const std::shared_ptr<const RunView>& view, store::RunId id) {
  const std::string& hash = view->run().executableHash;
  // A run of the file that is open leaves it open: its form, its tree, and Run.
  if (!m_executable || hash.empty() || m_executable->hash != hash) {
    closeFile();
    m_openPath = QString::fromStdString(view->run().executablePath);
    Q_EMIT executableChanged();
  }
  m_runCommand.clear();
  RunOrigin origin;
  origin.kind = RunOrigin::Kind::Saved;
  origin.saved = id;
  showRun(view, origin);
}

}  // namespace opscope::ui
