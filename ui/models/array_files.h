// SPDX-License-Identifier: GPL-3.0-or-later
// What the files of arrays that a form names hold, by their headers. GUI thread; files are listed in the
// background, and again when they change on disk.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QSet>
#include <QStringList>

#include "ui/bridge/background.h"
#include "ui/bridge/session_types.h"

namespace opscope::ui {

class ArrayFiles : public QObject {
  Q_OBJECT
 public:
  /// `background` outlives this.
  explicit ArrayFiles(Background* background, QObject* parent = nullptr);

  /// The files that are named now: new ones are listed, others are forgotten.
  void want(const QStringList& files);
  /// All of them anew.
  void readAgain();
  const session::ArrayListings& listings() const { return m_listings; }
  /// Null while it is not listed.
  const session::ArrayListing* find(const QString& file) const;

 Q_SIGNALS:
  /// Something is known of this file, or something else.
  void listed(const QString& file);

 private:
  void list(const QString& file);

  Background* m_background;
  QFileSystemWatcher m_watcher;
  QSet<QString> m_wanted;
  session::ArrayListings m_listings;
};

}  // namespace opscope::ui
