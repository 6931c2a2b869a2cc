// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/settings.h"

#include <QJsonDocument>
#include <algorithm>
#include <array>

#include "ui/models/saved_board.h"
#include "ui/shell/text_size.h"

namespace opscope::ui {
namespace {

constexpr std::array kThemeWords = {"platform", "light", "dark", "contrast"};
constexpr int kDefaultRepeats = 30;
constexpr int kDefaultWarmup = 3;

QString formKey(const QString& hash, const QString& function) {
  return QStringLiteral("forms/%1/%2").arg(hash, QString::fromLatin1(function.toUtf8().toHex()));
}

}  // namespace

Settings::Settings()
    : m_settings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("opscope"),
                 QStringLiteral("opscope")) {}

Settings::Settings(const QString& file) : m_settings(file, QSettings::IniFormat) {}

ThemeChoice Settings::theme() const {
  const QString word = m_settings.value(QStringLiteral("look/theme")).toString();
  for (std::size_t i = 0; i < kThemeWords.size(); ++i) {
    if (word == QLatin1String(kThemeWords[i])) return ThemeChoice(i);
  }
  return ThemeChoice::Platform;
}

void Settings::setTheme(ThemeChoice choice) {
  m_settings.setValue(QStringLiteral("look/theme"), QString::fromLatin1(kThemeWords[std::size_t(choice)]));
}

int Settings::textSize() const {
  return nearestTextSize(m_settings.value(QStringLiteral("look/textSize"), kUsualTextSize).toInt());
}

void Settings::setTextSize(int percent) {
  m_settings.setValue(QStringLiteral("look/textSize"), percent);
}

QByteArray Settings::geometry() const {
  return m_settings.value(QStringLiteral("window/geometry")).toByteArray();
}

void Settings::setGeometry(const QByteArray& geometry) {
  m_settings.setValue(QStringLiteral("window/geometry"), geometry);
}

QStringList Settings::foldedPanels(const QString& page, const QStringList& byDefault) const {
  return m_settings.value(QStringLiteral("folded/") + page, byDefault).toStringList();
}

void Settings::setFoldedPanels(const QString& page, const QStringList& panels) {
  m_settings.setValue(QStringLiteral("folded/") + page, panels);
}

RecentFiles Settings::recentFiles() const {
  std::vector<RecentFile> files;
  const int count = m_settings.beginReadArray(QStringLiteral("recent"));
  for (int i = 0; i < count; ++i) {
    m_settings.setArrayIndex(i);
    files.push_back({m_settings.value(QStringLiteral("path")).toString(),
                     m_settings.value(QStringLiteral("note")).toString(),
                     m_settings.value(QStringLiteral("openedAt")).toDateTime()});
  }
  m_settings.endArray();
  RecentFiles recent;
  recent.setFiles(std::move(files));
  return recent;
}

void Settings::setRecentFiles(const RecentFiles& files) {
  m_settings.remove(QStringLiteral("recent"));
  m_settings.beginWriteArray(QStringLiteral("recent"), int(files.files().size()));
  for (int i = 0; i < int(files.files().size()); ++i) {
    const RecentFile& file = files.files()[std::size_t(i)];
    m_settings.setArrayIndex(i);
    m_settings.setValue(QStringLiteral("path"), file.path);
    m_settings.setValue(QStringLiteral("note"), file.note);
    m_settings.setValue(QStringLiteral("openedAt"), file.openedAt);
  }
  m_settings.endArray();
}

QJsonObject Settings::form(const QString& executableHash, const QString& function) const {
  const QByteArray json = m_settings.value(formKey(executableHash, function)).toByteArray();
  return QJsonDocument::fromJson(json).object();
}

void Settings::setForm(const QString& executableHash, const QString& function, const QJsonObject& form) {
  m_settings.setValue(formKey(executableHash, function), QJsonDocument(form).toJson(QJsonDocument::Compact));
}

RunOptions Settings::runOptions(const QString& executableHash) const {
  const QByteArray json = m_settings.value(QStringLiteral("options/") + executableHash).toByteArray();
  return RunOptions::fromSaved(QJsonDocument::fromJson(json).object());
}

void Settings::setRunOptions(const QString& executableHash, const RunOptions& options) {
  m_settings.setValue(QStringLiteral("options/") + executableHash,
                      QJsonDocument(options.save()).toJson(QJsonDocument::Compact));
}

QJsonObject Settings::scenario(const QString& executableHash) const {
  const QByteArray json = m_settings.value(QStringLiteral("scenarios/") + executableHash).toByteArray();
  return QJsonDocument::fromJson(json).object();
}

void Settings::setScenario(const QString& executableHash, const QJsonObject& scenario) {
  m_settings.setValue(QStringLiteral("scenarios/") + executableHash,
                      QJsonDocument(scenario).toJson(QJsonDocument::Compact));
}

int Settings::repeats() const {
  return std::clamp(m_settings.value(QStringLiteral("run/repeats"), kDefaultRepeats).toInt(), 1, 1000000);
}

int Settings::warmup() const {
  return std::clamp(m_settings.value(QStringLiteral("run/warmup"), kDefaultWarmup).toInt(), 0, 1000000);
}

void Settings::setRunLengths(int repeats, int warmup) {
  m_settings.setValue(QStringLiteral("run/repeats"), repeats);
  m_settings.setValue(QStringLiteral("run/warmup"), warmup);
}

bool Settings::recordsMemory() const {
  return m_settings.value(QStringLiteral("run/memory"), false).toBool();
}

void Settings::setRecordsMemory(bool records) {
  m_settings.setValue(QStringLiteral("run/memory"), records);
}

bool Settings::recordsThreads() const {
  return m_settings.value(QStringLiteral("run/threads"), false).toBool();
}

void Settings::setRecordsThreads(bool records) {
  m_settings.setValue(QStringLiteral("run/threads"), records);
}

bool Settings::savesRuns() const {
  return m_settings.value(QStringLiteral("run/save"), true).toBool();
}

void Settings::setSavesRuns(bool saves) {
  m_settings.setValue(QStringLiteral("run/save"), saves);
}

int Settings::runsHeight() const {
  return std::clamp(m_settings.value(QStringLiteral("window/runsHeight"), 0).toInt(), 0, 2000);
}

void Settings::setRunsHeight(int height) {
  m_settings.setValue(QStringLiteral("window/runsHeight"), height);
}

QJsonArray Settings::boards() const {
  return QJsonDocument::fromJson(m_settings.value(QStringLiteral("boards/saved")).toByteArray()).array();
}

void Settings::setBoards(const QJsonArray& boards) {
  m_settings.setValue(QStringLiteral("boards/saved"), QJsonDocument(boards).toJson(QJsonDocument::Compact));
}

QString Settings::target() const {
  return m_settings.value(QStringLiteral("run/target"), kLocalTarget).toString();
}

void Settings::setTarget(const QString& id) {
  m_settings.setValue(QStringLiteral("run/target"), id);
}

QString Settings::dialogFolder() const {
  return m_settings.value(QStringLiteral("window/folder")).toString();
}

void Settings::setDialogFolder(const QString& folder) {
  m_settings.setValue(QStringLiteral("window/folder"), folder);
}

QString Settings::dumpFolder() const {
  return m_settings.value(QStringLiteral("instrument/folder")).toString();
}

void Settings::setDumpFolder(const QString& folder) {
  m_settings.setValue(QStringLiteral("instrument/folder"), folder);
}

QStringList Settings::shownColumns() const {
  return m_settings.value(QStringLiteral("ops/columns")).toStringList();
}

void Settings::setShownColumns(const QStringList& ids) {
  m_settings.setValue(QStringLiteral("ops/columns"), ids);
}

QString Settings::opsGrouping() const {
  return m_settings.value(QStringLiteral("ops/grouping")).toString();
}

void Settings::setOpsGrouping(const QString& id) {
  m_settings.setValue(QStringLiteral("ops/grouping"), id);
}

}  // namespace opscope::ui
