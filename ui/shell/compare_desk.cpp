// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/compare_desk.h"

#include <algorithm>
#include <utility>

#include "ui/models/format.h"
#include "ui/models/runs_model.h"
#include "ui/shell/opened_file.h"

namespace opscope::ui {
namespace {

using Kind = CompareChoice::Kind;
using LoadedSide = base::Result<std::shared_ptr<const CompareSide>>;

/// A list to choose from; older runs are in the Runs panel.
constexpr std::size_t kOptionsAtMost = 200;

std::shared_ptr<const CompareSide> shareSide(CompareSide side) {
  return std::make_shared<const CompareSide>(std::move(side));
}

/// Runs in the background.
LoadedSide readSide(const std::string& path) {
  OpenedFile opened = readOpenedFile(path);
  if (const auto* error = std::get_if<base::Error>(&opened)) return *error;
  if (const auto* run = std::get_if<OpenedRun>(&opened)) return shareSide(compareSideOf(run->run));
  return base::Error{base::ErrorCode::Format, path + " holds no measured run.",
                     "Reports, samples, CSV, traces and session files can be compared.",
                     "To compare executables, run them first."};
}

}  // namespace

CompareDesk::CompareDesk(Workspace* workspace, QObject* parent) : QObject(parent), m_workspace(workspace) {
  connect(workspace, &Workspace::runChanged, this, &CompareDesk::onRunChanged);
  connect(workspace, &Workspace::shownRunChanged, this, &CompareDesk::choicesChanged);
  if (workspace->store() != nullptr)
    connect(workspace->store(), &RunStore::runsChanged, this, &CompareDesk::choicesChanged);
}

std::vector<CompareOption> CompareDesk::options() const {
  std::vector<CompareOption> options;
  if (m_workspace->run()) {
    options.push_back(
        {{Kind::Shown, 0, {}}, QStringLiteral("Shown now: %1").arg(m_workspace->run()->fileName())});
  }
  if (m_workspace->store() == nullptr) return options;
  for (const Side& side : m_sides) {
    const bool known =
        std::ranges::any_of(options, [&](const CompareOption& each) { return each.choice == side.choice; });
    if (side.choice.kind == Kind::Group && !known)
      options.push_back({side.choice, groupText(side.choice.group)});
  }
  const auto& runs = *m_workspace->store()->runs();
  // The function is told where it tells runs apart; the line below the field has it anyway.
  const bool functions = std::ranges::any_of(
      runs, [&](const store::StoredRun& run) { return run.function != runs.front().function; });
  for (const store::StoredRun& run : runs) {
    const bool chosen = std::ranges::any_of(m_sides, [&](const Side& side) {
      return side.choice == CompareChoice{Kind::Saved, run.id, {}};
    });
    if (options.size() >= kOptionsAtMost && !chosen) continue;
    const QString note = run.note.empty() ? QString()
                                          : QStringLiteral(" · ") +
                                                format::shown(QString::fromStdString(run.note).simplified());
    options.push_back(
        {{Kind::Saved, run.id, {}}, runTitle(run, functions) + note, runTitle(run, functions, false) + note});
  }
  return options;
}

QString CompareDesk::groupText(const std::vector<store::RunId>& ids) const {
  QStringList names;
  for (const store::RunId id : ids) {
    const store::StoredRun* run = m_workspace->store()->find(id);
    names << (run != nullptr ? format::fromUtf8(run->executable) : QString());
  }
  return groupTitle(names);
}

std::optional<store::RunId> CompareDesk::runBefore() const {
  const auto& run = m_workspace->run();
  if (!run || m_workspace->store() == nullptr) return std::nullopt;
  const auto& shown = m_workspace->origin().saved;
  const std::string name = run->fileName().toStdString();
  for (const store::StoredRun& candidate : *m_workspace->store()->runs()) {
    if (candidate.executable != name || candidate.function != run->run().function) continue;
    if (shown ? candidate.id < *shown : candidate.startedAt != run->run().startedAt) return candidate.id;
  }
  return std::nullopt;
}

void CompareDesk::compareWithBefore() {
  if (const auto id = runBefore()) compare({Kind::Saved, *id, {}}, {Kind::Shown, 0, {}});
}

void CompareDesk::compare(const CompareChoice& before, const CompareChoice& after) {
  m_sides[0] = {before, nullptr, {}, 0};
  m_sides[1] = {after, nullptr, {}, 0};
  m_view.reset();
  load(0);
  load(1);
  Q_EMIT choicesChanged();
}

void CompareDesk::choose(bool isNew, const CompareChoice& choice) {
  const int side = isNew ? 1 : 0;
  if (m_sides[side].choice == choice && m_sides[side].loaded) return;
  m_sides[side] = {choice, nullptr, {}, 0};
  load(side);
  Q_EMIT choicesChanged();
}

void CompareDesk::setMinimumEffect(double part) {
  m_options.minimumEffect = part;
  compareNow();
}

void CompareDesk::load(int side) {
  m_problem.clear();
  const quint64 number = ++m_loads[side];
  const CompareChoice choice = m_sides[side].choice;
  if (choice.kind == Kind::Shown) {
    if (m_workspace->run()) m_sides[side].loaded = shareSide(compareSideOf(m_workspace->run()));
    compareNow();
    return;
  }
  m_busy = choice.kind != Kind::None;
  Q_EMIT changed();
  if (choice.kind == Kind::File) {
    m_workspace->background()->run(
        this, [path = choice.file.toStdString()]() { return readSide(path); },
        [this, side, number](const Loaded& loaded) { take(side, number, loaded); });
  } else if (choice.kind == Kind::Saved) {
    loadSaved(side, {choice.id});
  } else if (choice.kind == Kind::Group) {
    loadSaved(side, choice.group);
  }
}

void CompareDesk::loadSaved(int side, const std::vector<store::RunId>& ids) {
  m_sides[side].documents.resize(ids.size());
  m_sides[side].missing = ids.size();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    m_workspace->store()->load(
        ids[i], this,
        [this, side, number = m_loads[side], i](const base::Result<report::Document>& document) {
          takeDocument(side, number, i, document);
        });
  }
}

void CompareDesk::takeDocument(int side, quint64 number, std::size_t place,
                               const base::Result<report::Document>& document) {
  if (number != m_loads[side]) return;
  if (!document) {
    take(side, number, document.error());
    return;
  }
  m_sides[side].documents[place] = *document;
  if (--m_sides[side].missing > 0) return;
  m_workspace->background()->run(
      this,
      [documents = std::exchange(m_sides[side].documents, {})]() {
        return shareSide(compareSideOf(documents));
      },
      [this, side, number](const std::shared_ptr<const CompareSide>& loaded) { take(side, number, loaded); });
}

void CompareDesk::take(int side, quint64 number, const Loaded& loaded) {
  if (number != m_loads[side]) return;
  if (loaded) {
    m_sides[side].loaded = *loaded;
    compareNow();
    return;
  }
  // Others of the group that are still read are not waited for.
  ++m_loads[side];
  m_busy = false;
  m_problem = format::errorLines(loaded.error());
  m_sides[side] = {};
  m_view.reset();
  Q_EMIT choicesChanged();
  Q_EMIT changed();
}

void CompareDesk::onRunChanged() {
  for (int side = 0; side < 2; ++side) {
    if (m_sides[side].choice.kind != Kind::Shown) continue;
    if (m_workspace->run()) {
      m_sides[side].loaded = shareSide(compareSideOf(m_workspace->run()));
    } else {
      m_sides[side] = {};
    }
  }
  compareNow();
  Q_EMIT choicesChanged();
}

void CompareDesk::compareNow() {
  const quint64 number = ++m_number;
  if (!m_sides[0].loaded || !m_sides[1].loaded) {
    const auto loads = [](const Side& side) { return side.choice.kind != Kind::None && !side.loaded; };
    m_busy = loads(m_sides[0]) || loads(m_sides[1]);
    m_view.reset();
    Q_EMIT changed();
    return;
  }
  m_busy = true;
  Q_EMIT changed();
  m_workspace->background()->run(
      this,
      [a = m_sides[0].loaded, b = m_sides[1].loaded, options = m_options]() {
        return makeCompareView(*a, *b, options);
      },
      [this, number](const std::shared_ptr<const CompareView>& view) {
        if (number != m_number) return;
        m_busy = false;
        m_view = view;
        Q_EMIT changed();
      });
}

}  // namespace opscope::ui
