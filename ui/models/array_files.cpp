// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/array_files.h"

#include <QTimer>

namespace opscope::ui {
namespace {

constexpr int kLookAgainMs = 1000;

}  // namespace

ArrayFiles::ArrayFiles(Background* background, QObject* parent) : QObject(parent), m_background(background) {
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this](const QString& file) {
    list(file);
    // One that is replaced by renaming is missing for a moment.
    QTimer::singleShot(kLookAgainMs, this, [this, file]() { list(file); });
  });
}

void ArrayFiles::want(const QStringList& files) {
  const QSet<QString> wanted(files.begin(), files.end());
  if (wanted == m_wanted) return;
  const QSet<QString> gone = m_wanted - wanted, added = wanted - m_wanted;
  m_wanted = wanted;
  for (const QString& file : gone) {
    m_listings.erase(file.toStdString());
    m_watcher.removePath(file);
  }
  for (const QString& file : added) list(file);
}

void ArrayFiles::readAgain() {
  for (const QString& file : m_wanted) list(file);
}

const session::ArrayListing* ArrayFiles::find(const QString& file) const {
  const auto found = m_listings.find(file.toStdString());
  return found == m_listings.end() ? nullptr : &found->second;
}

void ArrayFiles::list(const QString& file) {
  if (!m_wanted.contains(file)) return;
  m_background->run(
      this, [path = file.toStdString()]() { return session::listArrays(path); },
      [this, file](const session::ArrayListing& listing) {
        if (!m_wanted.contains(file)) return;
        m_listings[file.toStdString()] = listing;
        if (!listing.problem && !m_watcher.files().contains(file)) m_watcher.addPath(file);
        Q_EMIT listed(file);
      });
}

}  // namespace opscope::ui
