// SPDX-License-Identifier: GPL-3.0-or-later
// What a tracker knows: its keys with free, busy and waiting, and who holds boards that tell. GUI thread; the
// dialog owns it.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include "ui/models/tracker_model.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class TrackerPanel : public QWidget {
  Q_OBJECT
 public:
  explicit TrackerPanel(const Theme* theme, QWidget* parent = nullptr);
  TrackerModel* model() { return m_model; }
  DataTable* table() { return m_table; }
  void clear();
  void setReading();
  void setOverview(const session::TrackerOverview& overview);
  void setProblem(const base::Error& error);

 Q_SIGNALS:
  void readRequested();
  void stopRequested();
  /// Double click or Return on a key.
  void keyChosen(const QString& key);

 private:
  void layoutTable();
  void tellAge();

  const Theme* m_theme;
  TrackerModel* m_model;
  DataTable* m_table;
  Text* m_state;
  LinkButton* m_again;
  Text* m_words;
  QElapsedTimer m_age;
  QTimer m_tick;
  bool m_reading = false;
};

}  // namespace opscope::ui
