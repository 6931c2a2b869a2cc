// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/scenario_form.h"

#include <QDir>
#include <QFileInfo>
#include <QTimer>
#include <utility>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr int kLookAgainMs = 1000;

/// "net.npz" beside "net.json" or "net.scenario.json"; empty when there is none.
QString arraysBeside(const QString& scenarioFile) {
  const QFileInfo scenario(scenarioFile);
  for (const QString& stem : {scenario.completeBaseName(), scenario.baseName()}) {
    const QString file = scenario.dir().filePath(stem + QLatin1String(".npz"));
    if (QFileInfo(file).isFile()) return file;
  }
  return {};
}

}  // namespace

ScenarioForm::ScenarioForm(Background* background, QObject* parent)
    : QObject(parent), m_background(background) {
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, &ScenarioForm::onFileChanged);
}

void ScenarioForm::setExecutable(std::shared_ptr<const session::ExecutableInfo> executable) {
  m_executable = std::move(executable);
  ++m_number;
  const bool any = m_chosen || isKnown();
  m_file.clear();
  m_arraysFile.clear();
  m_chosen = false;
  m_info.reset();
  watch();
  if (any) Q_EMIT choiceChanged();
}

void ScenarioForm::replaceExecutable(std::shared_ptr<const session::ExecutableInfo> executable) {
  m_executable = std::move(executable);
  if (m_chosen) readAgain();
}

void ScenarioForm::choose(const QString& file, const QString& arraysFile) {
  const bool same = file == m_file;
  if (!same) m_info.reset();
  m_file = file;
  if (!arraysFile.isEmpty() || !same) m_arraysFile = arraysFile;
  m_findsArrays = m_arraysFile.isEmpty();
  m_chosen = true;
  watch();
  readAgain();
  Q_EMIT choiceChanged();
}

void ScenarioForm::setArraysFile(const QString& file) {
  if (!m_chosen) return;
  m_arraysFile = file;
  m_findsArrays = false;
  watch();
  readAgain();
  Q_EMIT choiceChanged();
}

void ScenarioForm::drop() {
  if (!m_chosen) return;
  m_chosen = false;
  ++m_number;
  watch();
  Q_EMIT choiceChanged();
}

void ScenarioForm::readAgain() {
  if (!m_chosen || !m_executable) return;
  const quint64 number = ++m_number;
  ++m_readsOpen;
  m_background->run(
      this,
      [file = m_file, arrays = m_arraysFile, finds = m_findsArrays, executable = m_executable]() {
        const auto inspect = [&](const QString& with) {
          return session::inspectScenario(file.toStdString(), with.toStdString(), *executable);
        };
        Read read{inspect(arrays), arrays};
        if (!finds || !read.info.arraysProblem) return read;
        const QString beside = arraysBeside(file);
        if (beside.isEmpty()) return read;
        session::ScenarioInfo with = inspect(beside);
        return with.arraysProblem ? read : Read{std::move(with), beside};
      },
      [this, number](const Read& read) {
        --m_readsOpen;
        if (number == m_number) take(read);
      });
}

void ScenarioForm::take(const Read& read) {
  m_info = read.info;
  const bool found = read.arraysFile != m_arraysFile;
  m_arraysFile = read.arraysFile;
  watch();
  if (found) Q_EMIT choiceChanged();
  Q_EMIT changed();
}

void ScenarioForm::watch() {
  if (!m_watcher.files().isEmpty()) m_watcher.removePaths(m_watcher.files());
  if (!m_chosen) return;
  for (const QString& file : {m_file, m_arraysFile}) {
    if (!file.isEmpty() && QFileInfo::exists(file)) m_watcher.addPath(file);
  }
}

void ScenarioForm::onFileChanged() {
  // The watch ends with a file that is replaced by renaming; for a moment there may be none of that name.
  readAgain();
  QTimer::singleShot(kLookAgainMs, this, &ScenarioForm::readAgain);
}

bool ScenarioForm::takesArrays() const {
  return !m_arraysFile.isEmpty() || (m_info && m_info->arrayCount > 0);
}

QString ScenarioForm::problem() const {
  return m_chosen && m_info && m_info->problem ? format::errorLines(*m_info->problem) : QString();
}

QString ScenarioForm::arraysProblem() const {
  if (!m_chosen || !m_info || !m_info->arraysProblem) return {};
  if (!m_arraysFile.isEmpty()) return format::errorLines(*m_info->arraysProblem);
  // The engine's words are for a command line.
  return QStringLiteral("The scenario needs a file of arrays.\n%1")
      .arg(QString::fromStdString(m_info->arraysProblem->detail));
}

QString ScenarioForm::firstProblem() const {
  const QString own = problem();
  return own.isEmpty() ? arraysProblem() : own;
}

QString ScenarioForm::hash() const {
  return m_info ? QString::fromStdString(m_info->hash) : QString();
}

QJsonObject ScenarioForm::save() const {
  return {{QLatin1String("chosen"), m_chosen},
          {QLatin1String("file"), m_file},
          {QLatin1String("arrays"), m_arraysFile}};
}

void ScenarioForm::restore(const QJsonObject& saved) {
  const QString file = saved.value(QLatin1String("file")).toString();
  if (file.isEmpty()) return;
  const QString arrays = saved.value(QLatin1String("arrays")).toString();
  if (saved.value(QLatin1String("chosen")).toBool()) {
    choose(file, arrays);
    return;
  }
  drop();
  m_file = file;
  m_arraysFile = arrays;
}

}  // namespace opscope::ui
