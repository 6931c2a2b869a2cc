// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown when nothing is open: open, sample, recent files, a place to drop a file. GUI thread.
#pragma once

#include <QWidget>

#include "ui/models/recent_files.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class StartPage : public QWidget {
  Q_OBJECT
 public:
  explicit StartPage(const Theme* theme, QWidget* parent = nullptr);
  void setRecentFiles(const RecentFiles& files);
  /// Without a sample its button is not shown.
  void setSampleAvailable(bool available);
  /// A file is held over the window.
  void setDropActive(bool active);

 Q_SIGNALS:
  void openRequested();
  void sampleRequested();
  void fileRequested(const QString& path);
  void forgetRequested(const QString& path);

 private:
  const Theme* m_theme;
  QAbstractButton* m_open;
  QAbstractButton* m_sample;
  QWidget* m_drop;
  QVBoxLayout* m_recent;
};

}  // namespace opscope::ui
