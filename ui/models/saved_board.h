// SPDX-License-Identifier: GPL-3.0-or-later
// A board that the user keeps: how to reach it, and what the last check told. Plain values; any thread.
#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <array>

namespace opscope::ui {

/// Ids of the targets that are always there.
inline const QString kLocalTarget = QStringLiteral("local");
inline const QString kIsolatedTarget = QStringLiteral("isolated");
/// "This computer" and the like; empty for what is none of them.
QString ownTargetName(const QString& id);

struct SavedBoard {
  enum class Kind { Direct, Tracker };
  /// What serves it: TVM's servers can be told less than ours.
  enum class Server { Unknown, Opscope, Tvm };
  enum class Field { Name, Address, Key, SecretFile, Priority, Wait };
  static constexpr std::array kFields = {Field::Name,       Field::Address,  Field::Key,
                                         Field::SecretFile, Field::Priority, Field::Wait};

  QString id;  ///< stable and unique: what settings call it
  QString name;
  Kind kind = Kind::Direct;
  QString address;                         ///< "10.0.0.7:9090"
  QString key;                             ///< of the boards wanted; may be empty for a direct one
  QString secretFile;                      ///< shared with opscope-server; may be empty
  QString priority = QStringLiteral("1");  ///< of a tracker's request, as it was written
  QString wait = QStringLiteral("60");     ///< seconds for a free board, as it was written

  // Of the last check or summary.
  QDateTime checkedAt;
  bool passed = false;
  QString state;                    ///< "2 free, 1 busy", "answers", "no answer"
  QStringList devices;              ///< "cpu:0"
  Server server = Server::Unknown;  ///< of the last check or run

  /// As --target.
  QString target() const;
  /// Without a key: for the tracker's summary. Empty for a direct board.
  QString trackerTarget() const;
  /// What is wrong with a field, in words that say what is needed; empty when nothing is.
  QString problem(Field field) const;
  bool isValid() const;
  /// One machine with a server of TVM's own; behind a tracker the next board may have another.
  bool isTvmServer() const { return kind == Kind::Direct && server == Server::Tvm; }
  /// "direct · 10.0.0.31:9090".
  QString place() const;
  /// The state when it was told today, "not checked today" else.
  QString stateToday() const;

  bool operator==(const SavedBoard&) const = default;
};

/// Made from the address while the user gives no name.
QString usualName(const SavedBoard& board);
QJsonObject toJson(const SavedBoard& board);
SavedBoard boardFromJson(const QJsonObject& object);

}  // namespace opscope::ui
