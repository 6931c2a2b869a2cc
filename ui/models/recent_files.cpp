// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recent_files.h"

#include <QLocale>
#include <algorithm>

namespace opscope::ui {

void RecentFiles::add(const QString& path, const QString& note, const QDateTime& openedAt) {
  remove(path);
  m_files.insert(m_files.begin(), {path, note, openedAt});
  if (m_files.size() > kLimit) m_files.resize(kLimit);
}

void RecentFiles::remove(const QString& path) {
  std::erase_if(m_files, [&](const RecentFile& file) { return file.path == path; });
}

void RecentFiles::setFiles(std::vector<RecentFile> files) {
  m_files = std::move(files);
  if (m_files.size() > kLimit) m_files.resize(kLimit);
}

QString dayText(const QDateTime& time, const QDateTime& now) {
  if (!time.isValid()) return {};
  const qint64 days = time.date().daysTo(now.date());
  if (days == 0) return QStringLiteral("Today %1").arg(time.toString(QStringLiteral("HH:mm")));
  if (days == 1) return QStringLiteral("Yesterday");
  const bool sameYear = time.date().year() == now.date().year();
  return QLocale::c().toString(time.date(),
                               sameYear ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

QString momentText(const QDateTime& time, const QDateTime& now) {
  if (!time.isValid()) return {};
  const bool today = time.date() == now.date();
  if (today) return QStringLiteral("Today %1").arg(time.toString(QStringLiteral("HH:mm:ss")));
  return dayText(time, now) + time.toString(QStringLiteral(" HH:mm"));
}

}  // namespace opscope::ui
