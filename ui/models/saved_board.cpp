// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/saved_board.h"

#include <QFileInfo>
#include <QJsonArray>

#include "ui/bridge/board_types.h"

namespace opscope::ui {
namespace {

/// What the engine's reader of targets says of an address alone, in the words of the dialog.
QString addressProblem(const QString& address) {
  if (address.trimmed().isEmpty())
    return QStringLiteral("Needs a host and a port, for example 10.0.0.7:9090.");
  if (address.contains(QLatin1Char('/')) || address.contains(QLatin1Char('?')))
    return QStringLiteral("Needs only host and port here; the key has its own field.");
  const auto target = session::parseTarget("rpc://" + address.trimmed().toStdString());
  if (target) return {};
  QString words = QString::fromStdString(target.error().message);
  words += QLatin1Char(' ');
  words += target.error().hint.empty() ? QStringLiteral("Needs HOST:PORT.")
                                       : QString::fromStdString(target.error().hint);
  return words;
}

bool hasBlank(const QString& text) {
  return std::any_of(text.begin(), text.end(), [](QChar c) { return c.isSpace() || c.unicode() < 0x20; });
}

QString keyProblem(const SavedBoard& board) {
  if (board.kind == SavedBoard::Kind::Tracker && board.key.isEmpty())
    return QStringLiteral("Needs the key of the boards; the tracker's list below names them.");
  if (hasBlank(board.key)) return QStringLiteral("A key has no blanks.");
  if (board.key.contains(QLatin1Char('?')) || board.key.contains(QLatin1Char('/')))
    return QStringLiteral("A key here has no “/” and no “?”.");
  return {};
}

QString secretProblem(const QString& file) {
  if (file.isEmpty()) return {};
  const QFileInfo info(file);
  if (!info.exists()) return QStringLiteral("There is no such file.");
  if (!info.isFile()) return QStringLiteral("Needs a file, found a folder.");
  if (!info.isReadable()) return QStringLiteral("This file cannot be read.");
  return {};
}

QString priorityProblem(const QString& text) {
  bool whole = false;
  text.trimmed().toInt(&whole);
  return whole ? QString() : QStringLiteral("Needs a whole number; higher ones are served first.");
}

QString waitProblem(const QString& text) {
  bool number = false;
  const double seconds = text.trimmed().toDouble(&number);
  if (number && seconds >= 0 && seconds <= 1e6) return {};
  return QStringLiteral("Needs seconds, for example 60; 0 does not wait.");
}

QString serverWord(SavedBoard::Server server) {
  switch (server) {
    case SavedBoard::Server::Opscope:
      return QStringLiteral("opscope");
    case SavedBoard::Server::Tvm:
      return QStringLiteral("tvm");
    case SavedBoard::Server::Unknown:
      break;
  }
  return {};
}

}  // namespace

QString ownTargetName(const QString& id) {
  if (id == kLocalTarget) return QStringLiteral("This computer");
  if (id == kIsolatedTarget) return QStringLiteral("This computer, isolated");
  return {};
}

QString SavedBoard::target() const {
  if (kind == Kind::Direct) {
    return QStringLiteral("rpc://") + address.trimmed() +
           (key.isEmpty() ? QString() : QLatin1Char('/') + key);
  }
  return QStringLiteral("tracker://%1/%2?priority=%3&timeout=%4")
      .arg(address.trimmed(), key, priority.trimmed(), wait.trimmed());
}

QString SavedBoard::trackerTarget() const {
  return kind == Kind::Tracker ? QStringLiteral("tracker://") + address.trimmed() : QString();
}

QString SavedBoard::problem(Field field) const {
  const bool tracker = kind == Kind::Tracker;
  switch (field) {
    case Field::Name:
      return name.trimmed().isEmpty() ? QStringLiteral("Needs a name for the list.") : QString();
    case Field::Address:
      return addressProblem(address);
    case Field::Key:
      return keyProblem(*this);
    case Field::SecretFile:
      return secretProblem(secretFile);
    case Field::Priority:
      return tracker ? priorityProblem(priority) : QString();
    case Field::Wait:
      return tracker ? waitProblem(wait) : QString();
  }
  return {};
}

bool SavedBoard::isValid() const {
  return std::all_of(kFields.begin(), kFields.end(),
                     [this](Field field) { return problem(field).isEmpty(); });
}

QString SavedBoard::place() const {
  const QString where = address.isEmpty() ? QStringLiteral("no address yet") : address.trimmed();
  if (kind == Kind::Direct) return QStringLiteral("direct · ") + where;
  return QStringLiteral("tracker · ") + where;
}

QString SavedBoard::stateToday() const {
  const bool today = checkedAt.isValid() && checkedAt.date() == QDate::currentDate();
  return today && !state.isEmpty() ? state : QStringLiteral("not checked today");
}

QString usualName(const SavedBoard& board) {
  const QString host = board.address.trimmed().section(QLatin1Char(':'), 0, -2);
  if (board.kind == SavedBoard::Kind::Tracker && !board.key.isEmpty())
    return host.isEmpty() ? board.key : QStringLiteral("%1 of %2").arg(board.key, host);
  return host.isEmpty() ? QStringLiteral("New board") : host;
}

QJsonObject toJson(const SavedBoard& board) {
  return {{QStringLiteral("id"), board.id},
          {QStringLiteral("name"), board.name},
          {QStringLiteral("kind"),
           board.kind == SavedBoard::Kind::Tracker ? QStringLiteral("tracker") : QStringLiteral("direct")},
          {QStringLiteral("address"), board.address},
          {QStringLiteral("key"), board.key},
          {QStringLiteral("secretFile"), board.secretFile},
          {QStringLiteral("priority"), board.priority},
          {QStringLiteral("wait"), board.wait},
          {QStringLiteral("checkedAt"), board.checkedAt.toString(Qt::ISODate)},
          {QStringLiteral("passed"), board.passed},
          {QStringLiteral("state"), board.state},
          {QStringLiteral("devices"), QJsonArray::fromStringList(board.devices)},
          {QStringLiteral("server"), serverWord(board.server)}};
}

SavedBoard boardFromJson(const QJsonObject& object) {
  const auto text = [&](const char* name) { return object[QLatin1String(name)].toString(); };
  SavedBoard board;
  board.id = text("id");
  board.name = text("name");
  board.kind =
      text("kind") == QLatin1String("tracker") ? SavedBoard::Kind::Tracker : SavedBoard::Kind::Direct;
  board.address = text("address");
  board.key = text("key");
  board.secretFile = text("secretFile");
  if (!text("priority").isEmpty()) board.priority = text("priority");
  if (!text("wait").isEmpty()) board.wait = text("wait");
  board.checkedAt = QDateTime::fromString(text("checkedAt"), Qt::ISODate);
  board.passed = object[QLatin1String("passed")].toBool();
  board.state = text("state");
  for (const QJsonValue& device : object[QLatin1String("devices")].toArray())
    board.devices << device.toString();
  for (const auto server : {SavedBoard::Server::Opscope, SavedBoard::Server::Tvm}) {
    if (text("server") == serverWord(server)) board.server = server;
  }
  return board;
}

}  // namespace opscope::ui
