// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/crash_guard.h"

#include <QCoreApplication>
#include <QDir>
#include <QJsonDocument>
#include <QRandomGenerator>

#include "engine/base/atomic_file.h"

namespace opscope::ui {
namespace {

constexpr int kSettleMs = 300;
constexpr int kEndMs = 3000;
const QString kLockEnd = QStringLiteral(".lock");

QByteArray textOf(const OpenState& state) {
  QJsonObject json;
  json[QLatin1String("path")] = state.path;
  json[QLatin1String("function")] = state.function;
  json[QLatin1String("form")] = state.form;
  json[QLatin1String("page")] = state.page;
  json[QLatin1String("scenario")] = state.scenario;
  if (state.run) json[QLatin1String("run")] = QString::number(*state.run);
  return QJsonDocument(json).toJson(QJsonDocument::Compact);
}

OpenState stateOf(const QByteArray& text) {
  const QJsonObject json = QJsonDocument::fromJson(text).object();
  OpenState state;
  state.path = json[QLatin1String("path")].toString();
  state.function = json[QLatin1String("function")].toString();
  state.form = json[QLatin1String("form")].toObject();
  state.page = json[QLatin1String("page")].toString();
  state.scenario = json[QLatin1String("scenario")].toObject();
  bool ok = false;
  const qint64 run = json[QLatin1String("run")].toString().toLongLong(&ok);
  if (ok) state.run = run;
  return state;
}

/// The newest of what processes that are gone have left; takes all of theirs away. In the background.
OpenState collect(const QString& folder, const QString& own) {
  OpenState newest;
  const QDir dir(folder);
  const QStringList names = dir.entryList({QStringLiteral("open-*.json")}, QDir::Files, QDir::Time);
  for (const QString& name : names) {
    const QString path = dir.filePath(name);
    if (path == own) continue;
    QLockFile lock(path + kLockEnd);
    lock.setStaleLockTime(0);
    if (!lock.tryLock(0)) continue;  // its process lives
    const auto text = base::readFile(path.toStdString());
    QFile::remove(path);
    if (!text || !newest.isEmpty()) continue;
    newest = stateOf(QByteArray(text->data(), qsizetype(text->size())));
  }
  return newest;
}

}  // namespace

CrashGuard::CrashGuard(const QString& folder, QObject* parent) : QObject(parent), m_folder(folder) {
  m_file = QStringLiteral("%1/open-%2-%3.json")
               .arg(folder)
               .arg(QCoreApplication::applicationPid())
               .arg(QRandomGenerator::global()->generate(), 8, 16, QLatin1Char('0'));
  m_lock = std::make_shared<QLockFile>(m_file + kLockEnd);
  m_timer.setSingleShot(true);
  m_timer.setInterval(kSettleMs);
  connect(&m_timer, &QTimer::timeout, this, &CrashGuard::writeNow);
}

CrashGuard::~CrashGuard() {
  m_timer.stop();
  m_background.run(
      nullptr,
      [file = m_file, lock = m_lock]() {
        QFile::remove(file);
        lock->unlock();
        return true;
      },
      [](bool) {});
  m_background.waitForDone(kEndMs);
}

void CrashGuard::look() {
  m_background.run(
      this, [folder = m_folder, own = m_file]() { return collect(folder, own); },
      [this](const OpenState& state) {
        if (!state.isEmpty()) Q_EMIT found(state);
      });
}

void CrashGuard::keep(const OpenState& state) {
  if (m_state == state) return;
  m_state = state;
  m_timer.start();
}

void CrashGuard::writeNow() {
  m_timer.stop();
  if (m_state == m_written) return;
  m_written = m_state;
  // That it cannot be written is no failure of anything that the user does: only the offer would be missing.
  m_background.run(
      this,
      [folder = m_folder, file = m_file, lock = m_lock, text = textOf(m_state), none = m_state.isEmpty()]() {
        if (none) return QFile::remove(file);
        QDir().mkpath(folder);
        lock->setStaleLockTime(0);
        if (!lock->isLocked() && !lock->tryLock(0)) return false;
        return base::writeFileAtomically(file.toStdString(),
                                         std::string_view(text.constData(), std::size_t(text.size())))
            .has_value();
      },
      [](bool) {});
}

}  // namespace opscope::ui
