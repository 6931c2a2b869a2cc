// SPDX-License-Identifier: GPL-3.0-or-later
// Which events a run counts: those that can be counted here as a list to tick, with the reason for the
// others, and a field for names of the processor's own events. GUI thread.
#pragma once

#include <QLineEdit>
#include <QListWidget>

#include "ui/bridge/session_types.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class CounterChoice : public QWidget {
  Q_OBJECT
 public:
  CounterChoice(const Theme* theme, const QStringList& chosen, QWidget* parent = nullptr);
  /// What this computer has. On a board every event may be had: the board alone tells.
  void setList(const session::CounterList& list, bool onBoard);
  QStringList chosen() const;
  QListWidget* list() { return m_list; }
  QLineEdit* others() { return m_others; }

 private:
  void addEvent(const session::CounterInfo& event, bool offered, bool ticked);
  void tellRefused(const session::CounterList& list);

  const Theme* m_theme;
  QStringList m_chosen;  ///< until the list is there
  bool m_listed = false;
  QListWidget* m_list;
  QLineEdit* m_others;
  Text* m_note;
};

}  // namespace opscope::ui
