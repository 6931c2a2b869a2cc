// SPDX-License-Identifier: GPL-3.0-or-later
// Files opened lately, newest first. GUI thread; a value that the workspace keeps and the settings store.
#pragma once

#include <QDateTime>
#include <QString>
#include <vector>

namespace opscope::ui {

struct RecentFile {
  QString path;
  QString note;  ///< "main · TVM 0.27"
  QDateTime openedAt;
};

class RecentFiles {
 public:
  static constexpr std::size_t kLimit = 12;

  void add(const QString& path, const QString& note, const QDateTime& openedAt);
  void remove(const QString& path);
  void clear() { m_files.clear(); }
  const std::vector<RecentFile>& files() const { return m_files; }
  void setFiles(std::vector<RecentFile> files);

 private:
  std::vector<RecentFile> m_files;
};

/// "Today 14:02", "Yesterday", "24 Nov", "24 Nov 2025".
QString dayText(const QDateTime& time, const QDateTime& now);
/// "Today 14:02:31", "Yesterday 14:02", "24 Nov 14:02": tells runs of one day apart.
QString momentText(const QDateTime& time, const QDateTime& now);

}  // namespace opscope::ui
